#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

/// One line of SVC_DECISION_LOG.
struct decision {
  std::int64_t micros = 0;  ///< Redis's time
  std::string subject{}, which{};
  std::uint32_t window = 0, limit = 0;
  std::string verdict{}, where{};
};

/// The decisions about one subject in one class, ordered by Redis's time. Decisions of one call of the script have
/// the same time. No entry leaves a window within a call, so the admitted decisions precede the refused ones.
inline std::vector<decision> read_decisions(std::string const& path, std::string const& subject,
                                            std::string const& which) {
  std::vector<decision> out;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    decision d;
    words >> d.micros >> d.subject >> d.which >> d.window >> d.limit >> d.verdict >> d.where;
    if (d.subject == subject && d.which == which) out.push_back(d);
  }
  auto const order = [](decision const& d) { return std::pair(d.micros, d.verdict == "denied"); };
  std::ranges::sort(out, {}, order);
  return out;
}

}  // namespace svc::test
