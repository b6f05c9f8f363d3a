#include "svc/domain/monitoring/alerting/location_state.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::alerting {
namespace {

std::string name_of(location_status v) {
  return v == location_status::up ? "up" : v == location_status::down ? "down" : "none";
}

/// The votes after each of the results: + good, s good but slow, - bad, e none.
std::string results_after(std::string_view results, thresholds limits, bool outage_open, location_state& state) {
  std::string out;
  std::int64_t position = 0;
  for (char const c : results) {
    observed_result now{.began = {++position}};
    if (c == '-') now.says = checks::conclusion::bad;
    if (c == 'e') now.says = checks::conclusion::none;
    if (now.says != checks::conclusion::good) now.failure = checks::failure(checks::code::internal);
    now.degraded = c == 's';
    state = next_location_state(state, now, limits, outage_open);
    out += (out.empty() ? "" : " ") + name_of(state.says);
  }
  return out;
}

TEST_CASE("votes at a location") {
  struct {
    std::string results;
    thresholds limits;
    bool outage_open;
    std::string states;
  } const cases[] = {
      // From none.
      {"+", {1, 1}, false, "up"},
      {"-", {1, 1}, false, "down"},
      {"e", {1, 1}, false, "none"},
      {"--", {2, 1}, false, "none down"},
      {"+", {1, 3}, false, "up"},
      {"+++", {1, 3}, true, "none none up"},
      {"++-+++", {2, 3}, true, "none none none none none up"},
      // From up.
      {"+-+--", {2, 1}, false, "up up up up down"},
      {"+---", {3, 1}, false, "up up up down"},
      {"+-e-", {2, 1}, false, "up up up down"},
      {"+ee+ee", {1, 1}, false, "up up up up up up"},
      {"+eee", {1, 1}, false, "up up up none"},
      {"+ee-eee", {2, 1}, false, "up up up up up up none"},
      {"+eeeee+", {1, 1}, false, "up up up none none none up"},
      // From down.
      {"-+", {1, 1}, false, "down up"},
      {"-+-++", {1, 2}, false, "down down down down up"},
      {"-+e+", {1, 2}, false, "down down down up"},
      {"-eee+", {1, 2}, true, "down down down none none"},
      {"-eee++", {1, 2}, true, "down down down none none up"},
      {"-eee-", {2, 2}, true, "none none none none none"},
      {"-eee--", {2, 2}, true, "none none none none none down"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.results);
    location_state state;
    CHECK(results_after(c.results, c.limits, c.outage_open, state) == c.states);
  }
}

TEST_CASE("the start of streaks, and the newest result") {
  location_state s;
  results_after("+-e-", {2, 1}, false, s);
  CHECK(s.failing_since == timestamp{2});
  CHECK_FALSE(s.good_since);
  CHECK(s.conclusive_at == timestamp{4});
  CHECK(s.fails == 2);
  CHECK(s.errors == 0);
  results_after("-++", {2, 3}, false, s);
  CHECK_FALSE(s.failing_since);
  CHECK(s.good_since == timestamp{2});
  CHECK(s.oks == 2);
  results_after("eee", {2, 3}, false, s);
  CHECK_FALSE(s.good_since);
  CHECK(s.oks == 0);
  CHECK(s.errors == 3);
  CHECK(s.seen_at == timestamp{3});
  CHECK(s.conclusive_at == timestamp{3});
  CHECK(s.error);
}

TEST_CASE(
    "a location is degraded after as many slow results as make it fail, until as many others as let it recover") {
  struct {
    std::string results;
    bool degraded;
  } const cases[] = {{"s", false},   {"ss", true},     {"s+s", false},   {"ss+", true},
                     {"ss++", true}, {"ss+++", false}, {"ss++s+", true}, {"s-s", false},
                     {"sse", true},  {"sseee", false}, {"ss--", false},  {"ss-", true}};
  for (auto const& c : cases) {
    CAPTURE(c.results);
    location_state s;
    results_after(c.results, {2, 3}, false, s);
    CHECK(s.degraded == c.degraded);
  }
}

}  // namespace
}  // namespace svc::alerting
