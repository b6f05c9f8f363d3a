#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace svc::test {

/// The values on a page of metrics (Prometheus text format 0.0.4) whose series begin with `series` and contain
/// `part`.
inline std::vector<double> values_of(std::string const& page, std::string const& series,
                                     std::string const& part = {}) {
  std::vector<double> out;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(series) && line.find(part) != std::string::npos)
      out.push_back(std::stod(line.substr(line.rfind(' '))));
  return out;
}

inline double sum_of(std::string const& page, std::string const& series, std::string const& part = {}) {
  double sum = 0;
  for (auto const value : values_of(page, series, part)) sum += value;
  return sum;
}

/// 0 when there is none.
inline double greatest_of(std::string const& page, std::string const& series) {
  double most = 0;
  for (auto const value : values_of(page, series)) most = std::max(most, value);
  return most;
}

}  // namespace svc::test
