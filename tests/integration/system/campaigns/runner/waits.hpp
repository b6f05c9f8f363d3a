#pragma once

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace svc::test {

/// Time limit of a campaign's clients for a byte. It exceeds every allowed duration, so that a hang shows its real
/// length.
constexpr std::chrono::seconds longest_wait{30};

/// One request as its client saw it. All processes share the machine's clock.
struct timed_request {
  std::string asker{};    ///< process
  std::string subject{};  ///< without ids
  std::chrono::steady_clock::time_point start{}, end{};
  std::chrono::milliseconds asked_wait{};  ///< the wait for news that it requested
  int answer = 0;                          ///< HTTP status; 0: the connection ended without an answer
};

inline std::string to_line(timed_request const& request) {
  return request.asker + " " + request.subject + " " + std::to_string(request.start.time_since_epoch().count()) +
         " " + std::to_string(request.end.time_since_epoch().count()) + " " +
         std::to_string(request.asked_wait.count()) + " " + std::to_string(request.answer) + "\n";
}

/// Reads the requests of a file. A last line that was cut off does not count.
inline std::vector<timed_request> read_requests(std::string const& file) {
  using clock = std::chrono::steady_clock;
  std::ifstream input(file);
  std::vector<timed_request> out;
  for (std::string line; std::getline(input, line) && !input.eof();) {
    std::istringstream words(line);
    timed_request request;
    clock::rep start = 0, end = 0;
    std::chrono::milliseconds::rep wait = 0;
    if (!(words >> request.asker >> request.subject >> start >> end >> wait >> request.answer)) continue;
    request.start = clock::time_point(clock::duration(start));
    request.end = clock::time_point(clock::duration(end));
    request.asked_wait = std::chrono::milliseconds(wait);
    out.push_back(request);
  }
  return out;
}

}  // namespace svc::test
