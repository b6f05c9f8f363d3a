// Recurring windows around changes of the clocks, compared with a table that Python's zoneinfo has made
// (data/window_times.py).
#include "svc/domain/monitoring/windows/plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace svc::windows {
namespace {

/// One row of the table.
struct expected_times {
  recurring_rule rule{};
  timestamp first{};
  std::vector<interval> occurrences{};
  std::vector<std::string> walls{};  ///< wall time and offset of each start, as 03:00+02:00
};

std::string without_spaces_around(std::string const& text) {
  auto const begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// Reads `2026-03-27T13:00Z`.
timestamp time_of(std::string const& text) {
  auto const parsed = parse_rfc3339(text.substr(0, 16) + ":00Z");
  REQUIRE(parsed.has_value());
  return *parsed;
}

expected_times read_row(std::string const& line) {
  std::vector<std::string> cells;
  std::istringstream row(line);
  for (std::string cell; std::getline(row, cell, '|');) cells.push_back(without_spaces_around(cell));
  REQUIRE(cells.size() >= 5);
  expected_times out;
  out.first = time_of(cells[3]);
  out.rule = {.cron = cells[0],
              .time_zone = cells[1],
              .duration = std::chrono::minutes(std::stol(cells[2])),
              .first_at = out.first,
              .until = time_of(cells[4])};
  std::istringstream times(cells.size() > 5 ? cells[5] : "");
  for (std::string word; times >> word;) {
    auto const dots = word.find(".."), sign = word.find('@');
    out.occurrences.push_back({time_of(word.substr(0, dots)), time_of(word.substr(dots + 2))});
    out.walls.push_back(word.substr(sign + 1));
  }
  return out;
}

/// Returns all occurrences of the rule. A plan has at most `most_ahead`.
std::vector<interval> planned(expected_times const& row) {
  std::vector<interval> out;
  for (timestamp after{row.first.micros - 1};;) {
    auto const found = plan_recurring(row.rule, after, row.first).ahead;
    CHECK(found.size() <= most_ahead);
    if (found.empty()) return out;
    out.insert(out.end(), found.begin(), found.end());
    after = found.back().starts_at;
  }
}

/// Returns the wall time without its date and its seconds, with the offset.
std::string wall_of(timestamp time, std::string const& zone) {
  auto const text = local_time(time, zone);
  return text.substr(11, 5) + text.substr(text.size() - 6);
}

}  // namespace

TEST_CASE(
    "a recurring window starts at its wall time and lasts its real length, as zoneinfo says, on days of DST too") {
  std::ifstream table(SVC_WINDOW_TIMES);
  int rows = 0;
  std::size_t occurrences = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    CAPTURE(line);
    auto const row = read_row(line);
    auto const found = planned(row);
    CHECK(found == row.occurrences);
    for (std::size_t i = 0; i < std::min(found.size(), row.walls.size()); ++i) {
      auto const length = found[i].ends_at.micros - found[i].starts_at.micros;
      CHECK(length == std::chrono::microseconds(row.rule.duration).count());
      CHECK(wall_of(found[i].starts_at, row.rule.time_zone) == row.walls[i]);
    }
    ++rows;
    occurrences += found.size();
  }
  CHECK(rows == 202);
  CHECK(occurrences == 1186);
}

}  // namespace svc::windows
