#include "svc/domain/cron.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <vector>

namespace svc {
namespace {

constexpr std::int64_t minute = 60'000'000;
constexpr std::int64_t window = 72 * 60 * minute;

/// The text without surrounding spaces.
std::string trimmed(std::string const& text) {
  auto const begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

/// The texts between bars.
std::vector<std::string> columns(std::string const& line) {
  std::vector<std::string> out;
  for (std::size_t position = 0;;) {
    auto const bar = line.find('|', position);
    out.push_back(trimmed(line.substr(position, bar - position)));
    if (bar == std::string::npos) return out;
    position = bar + 1;
  }
}

/// `2026-03-27T13:00Z`.
std::int64_t moment(std::string const& text) {
  auto const parsed = parse_rfc3339(text.substr(0, 16) + ":00Z");
  REQUIRE(parsed);
  return parsed->micros;
}

/// TIME or TIME+STEP*COUNT, each followed by a space.
std::vector<std::int64_t> expanded(std::string const& text) {
  std::vector<std::int64_t> out;
  for (std::size_t position = 0; position < text.size();) {
    auto const end = std::min(text.find(' ', position), text.size());
    std::string const word = text.substr(position, end - position);
    position = end + 1;
    auto const plus = word.find('+');
    auto const star = word.find('*');
    std::int64_t const step = plus == std::string::npos ? 0 : std::stol(word.substr(plus + 1)) * minute;
    long const count = star == std::string::npos ? 1 : std::stol(word.substr(star + 1));
    for (long i = 0; i < count; ++i) out.push_back(moment(word) + i * step);
  }
  return out;
}

TEST_CASE("schedules fire around changes of the clocks as the reference table says") {
  std::ifstream table(SVC_CRON_TIMES);
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    CAPTURE(line);
    auto const cells = columns(line);
    REQUIRE(cells.size() == 4);
    auto const schedule = cron_schedule::parse(cells[0]);
    REQUIRE(schedule);
    std::int64_t const begin = moment(cells[2]);
    std::vector<std::int64_t> times;
    for (std::int64_t position = begin - 1;;) {
      auto const next = schedule->next_after({position}, cells[1]);
      if (!next || next->micros >= begin + window) break;
      times.push_back(position = next->micros);
    }
    CHECK(times == expanded(cells[3]));
    ++rows;
  }
  CHECK(rows == 30 * 4 * 2);
}

}  // namespace
}  // namespace svc
