#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace svc::test {

/// One action of a runner of the campaign, one line each, in the runner's own file. A request is recorded before it
/// is sent and its answer afterwards, so the record of a killed runner contains what it may have requested.
struct deed {
  /// `claimed`; `prints`, `ends`, `releases` before a request; `printed`, `ended`, `released` after its answer.
  std::string subject{};
  std::string run{}, claim{};
  std::int64_t attempt = 0;
  std::string said = "-";  ///< status of an end, number of a line
  int answer = 0;          ///< HTTP status
};

inline std::string to_line(deed const& entry) {
  return entry.subject + " " + entry.run + " " + entry.claim + " " + std::to_string(entry.attempt) + " " +
         entry.said + " " + std::to_string(entry.answer) + "\n";
}

/// A last line that was cut off does not count.
inline std::vector<deed> read_deeds(std::string const& file) {
  std::ifstream input(file);
  std::vector<deed> out;
  for (std::string line; std::getline(input, line) && !input.eof();) {
    std::istringstream words(line);
    deed entry;
    if (words >> entry.subject >> entry.run >> entry.claim >> entry.attempt >> entry.said >> entry.answer)
      out.push_back(entry);
  }
  return out;
}

/// A line of output that says which claim printed it.
inline std::string output_line(std::int64_t attempt, std::string const& number, std::string const& claim) {
  return std::to_string(attempt) + " " + number + " " + claim;
}

}  // namespace svc::test
