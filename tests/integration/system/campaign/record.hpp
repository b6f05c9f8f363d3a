#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace svc::test {

/// What a runner of the campaign has done, one line each, in its own file. What it asks for is written before the
/// request, what it was told behind the answer, so a killed one leaves what it may have asked for.
struct deed {
  /// `claimed`; `prints`, `ends`, `releases` before a request; `printed`, `ended`, `released` behind its answer.
  std::string what{};
  std::string run{}, claim{};
  std::int64_t attempt = 0;
  std::string said = "-";  ///< an end's status, a line's number
  int answer = 0;          ///< HTTP status
};

inline std::string to_line(deed const& one) {
  return one.what + " " + one.run + " " + one.claim + " " + std::to_string(one.attempt) + " " + one.said + " " +
         std::to_string(one.answer) + "\n";
}

/// A last line that was cut off is none.
inline std::vector<deed> read_deeds(std::string const& file) {
  std::ifstream in(file);
  std::vector<deed> out;
  for (std::string line; std::getline(in, line) && !in.eof();) {
    std::istringstream words(line);
    deed one;
    if (words >> one.what >> one.run >> one.claim >> one.attempt >> one.said >> one.answer) out.push_back(one);
  }
  return out;
}

/// A line of output tells whose it is.
inline std::string output_line(std::int64_t attempt, std::string const& number, std::string const& claim) {
  return std::to_string(attempt) + " " + number + " " + claim;
}

}  // namespace svc::test
