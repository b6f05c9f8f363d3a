// From votes to verdicts, outages and their times.
#include "unit/domain/monitoring/alerting/played.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::alerting {
namespace {

std::string word(verdict v) {
  static constexpr char const* words[] = {"pending", "up", "degraded", "down", "error"};
  return words[static_cast<std::size_t>(v)];
}

TEST_CASE("verdicts of one location") {
  struct {
    std::string results;  // one a minute
    thresholds limits;
    std::string verdicts;
  } const cases[] = {
      {"+", {1, 1}, "up"},
      {"-", {1, 1}, "down"},
      {"s", {1, 1}, "degraded"},
      {"-+", {1, 1}, "down up"},
      {"--+", {2, 1}, "pending down up"},
      {"+--+s+", {2, 1}, "up up down up up up"},
      {"+s+", {1, 1}, "up degraded up"},
      {"ss-", {1, 1}, "degraded degraded down"},
      {"-s", {1, 1}, "down degraded"},
      {"-++", {1, 2}, "down down up"},
      {"+eee", {1, 1}, "up up up error"},
      {"+eee+", {1, 1}, "up up up error up"},
      {"-eee+", {1, 1}, "down down down error up"},
      {"-eee-", {1, 1}, "down down down error down"},
      {"eeee", {1, 1}, "pending pending pending error"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.results);
    played p;
    p.limits = c.limits;
    p.monitor.since = at_second(60);
    std::string out;
    std::int64_t second = 0;
    for (char const r : c.results) out += (out.empty() ? "" : " ") + word(p.result(r, second += 60).becomes);
    CHECK(out == c.verdicts);
  }
}

TEST_CASE("an outage begins with the first failing check and ends with the first good one of the streak") {
  played p;
  p.limits = {.failure = 2, .recovery = 2};
  p.result('+', 0);
  CHECK(p.result('-', 60).suspect_since == at_second(60));
  CHECK_FALSE(p.last.opened);
  p.result('-', 120);
  REQUIRE(p.last.opened);
  CHECK(p.last.opened->started_at == at_second(60));
  CHECK(p.last.opened->detected_at == at_second(120));
  CHECK(p.last.opened->cause.message == "refused at 120");
  CHECK(p.last.opened->location == "local");
  CHECK(p.last.opened->locations == std::vector<std::string>{"local"});
  CHECK_FALSE(p.last.suspect_since);
  p.result('+', 180);
  p.result('-', 240);
  p.result('+', 300);
  CHECK_FALSE(p.last.closed);
  p.result('+', 360);
  REQUIRE(p.last.closed);
  CHECK(p.last.closed->ended_at == at_second(300));
  CHECK(p.last.closed->reason == end_reason::recovered);
}

TEST_CASE("an outage neither begins nor ends later than it is decided, whatever the clock of the checks says") {
  played p;
  auto const found = [&](char subject, std::int64_t began, std::int64_t second) {
    p.store_result(subject, began);
    p.look(second);
  };
  found('-', 61, 60);
  REQUIRE(p.last.opened);
  CHECK(p.last.opened->started_at == at_second(60));
  CHECK(p.last.opened->detected_at == at_second(60));
  found('+', 122, 120);
  REQUIRE(p.last.closed);
  CHECK(p.last.closed->ended_at == at_second(120));
}

TEST_CASE("deciding again changes nothing") {
  played p({{.id = id_of(1)}, {.id = id_of(2), .disabled = true}});
  p.monitor.alerts.on_degraded = true;
  std::int64_t second = 0;
  for (char const r : std::string("+-ss+eeee--+s")) {
    p.result(r, second += 60);
    auto const again = p.look(second);
    CHECK_FALSE(again.changed);
    CHECK(again.alerts.empty());
    CHECK(again.release.empty());
  }
  CHECK(p.rows.size() > 8);
}

TEST_CASE("without evidence for three intervals the verdict is error, and an outage stays open") {
  played p;
  p.result('-', 0);
  CHECK(p.last.look_again == at_second(180));
  CHECK(p.look(179).becomes == verdict::down);
  p.look(180);
  CHECK(p.last.becomes == verdict::error);
  CHECK(p.last.reason->which == checks::code::executor_lost);
  CHECK_FALSE(p.last.closed);
  CHECK(text_of(p.last.alerts) == "error 101/0 to 1");
  p.result('-', 240);
  CHECK(p.last.becomes == verdict::down);
  CHECK_FALSE(p.last.opened);
  CHECK(text_of(p.last.alerts) == "error 101/1 to 1");
  p.result('+', 300);
  CHECK(p.last.closed->id == id_of(100));
}

TEST_CASE("the reason of an error: that of the newest check, or that no location is online") {
  played p;
  for (std::int64_t second : {0, 60, 120, 180}) p.result('e', second);
  CHECK(p.last.becomes == verdict::error);
  CHECK(p.last.reason->which == checks::code::resolver_unreachable);
  p.results[0].online = false;
  CHECK(p.look(240).reason->which == checks::code::no_location);
}

TEST_CASE("with short intervals evidence lasts three minutes, with long ones two and a half intervals") {
  played p;
  p.monitor.interval = std::chrono::seconds(10);
  p.result('+', 0);
  CHECK(p.look(179).becomes == verdict::up);
  CHECK(p.look(180).becomes == verdict::error);
  played q;
  q.monitor.interval = std::chrono::hours(1);
  q.result('+', 0);
  CHECK(q.look(3 * 3600 - 1).becomes == verdict::up);
  CHECK(q.look(3 * 3600).becomes == verdict::error);
}

TEST_CASE("nothing is decided for a paused monitor, nor by a check that ran before an edit") {
  played p;
  p.result('+', 0);
  p.edit(end_reason::edited, 10);
  CHECK(p.last.becomes == verdict::pending);
  CHECK(p.look(20).becomes == verdict::pending);
  p.results[0].state = next_location_state({}, {.says = checks::conclusion::bad, .began = at_second(5)}, {}, false);
  p.results[0].check_version = p.monitor.check_version - 1;
  CHECK(p.look(30).becomes == verdict::pending);
  p.result('-', 60);
  CHECK(p.last.becomes == verdict::down);
  p.edit(end_reason::paused, 70);
  CHECK(p.last.closed->reason == end_reason::paused);
  CHECK(p.last.closed->ended_at == at_second(70));
  CHECK_FALSE(p.look(10'000).changed);
  CHECK_FALSE(p.last.look_again);
}

TEST_CASE("an outage does not start before the last one ended") {
  played p;
  p.monitor.last_ended_at = at_second(100);
  CHECK(p.result('-', 50).opened->started_at == at_second(100));
}

TEST_CASE("strategies over three locations") {
  struct {
    strategy strategy;
    unsigned threshold;
    std::string results;
    verdict says;
  } const cases[] = {
      {strategy::all, 50, "+++", verdict::up},        {strategy::all, 50, "++-", verdict::down},
      {strategy::any, 50, "--+", verdict::up},        {strategy::any, 50, "---", verdict::down},
      {strategy::majority, 50, "++-", verdict::up},   {strategy::majority, 50, "+--", verdict::down},
      {strategy::majority, 67, "++-", verdict::down}, {strategy::majority, 66, "++-", verdict::up},
      {strategy::majority, 50, "+-e", verdict::up},   {strategy::majority, 51, "+-e", verdict::down},
      {strategy::any, 50, "s--", verdict::degraded},  {strategy::all, 50, "ss+", verdict::degraded},
      {strategy::all, 50, "s++", verdict::up},
  };
  for (auto const& c : cases) {
    CAPTURE(c.results);
    played p;
    p.monitor.aggregation = c.strategy;
    p.monitor.threshold = c.threshold;
    p.results = {{.code = "a"}, {.code = "b"}, {.code = "c"}};
    // All have been asked before the last one decides.
    for (std::size_t i = 0; i < 3; ++i) p.results[i].state.seen_at = at_second(0);
    for (std::size_t i = 0; i < 3; ++i) p.result(c.results[i], 0, i);
    CHECK(p.last.becomes == c.says);
  }
}

TEST_CASE("down waits for the others' answers, and no longer than their attempts take") {
  played p;
  p.monitor.aggregation = strategy::all;
  p.monitor.attempts_take = std::chrono::seconds(20);
  p.results = {{.code = "a"}, {.code = "b"}, {.code = "c"}};
  for (std::size_t i = 0; i < 3; ++i) p.result('+', 0, i);
  CHECK(p.last.becomes == verdict::up);
  p.result('-', 60, 0);
  CHECK(p.last.becomes == verdict::up);
  CHECK(p.last.suspect_since == at_second(60));
  CHECK(p.last.look_again == at_second(90));
  SUBCASE("they answer") {
    p.result('+', 62, 1);
    CHECK(p.last.becomes == verdict::up);
    CHECK(p.result('e', 63, 2).becomes == verdict::down);
  }
  SUBCASE("they do not") {
    CHECK(p.look(89).becomes == verdict::up);
    CHECK(p.look(90).becomes == verdict::down);
    CHECK(p.last.opened->location == "a");
    CHECK(p.last.opened->started_at == at_second(60));
  }
  SUBCASE("one is not there") {
    p.results[2].online = false;
    CHECK(p.result('+', 62, 1).becomes == verdict::down);
  }
}

TEST_CASE("down needs the votes of half of the locations that are online") {
  played p;
  p.results = {{.code = "a"}, {.code = "b"}, {.code = "c"}};
  p.result('-', 0, 0);
  CHECK(p.look(3600).becomes == verdict::error);
  p.result('-', 3600, 0);
  CHECK(p.look(3700).becomes == verdict::error);
  CHECK(p.result('-', 3710, 1).becomes == verdict::down);
  CHECK(p.last.opened->started_at == at_second(0));  // no good check since then
}

TEST_CASE("a verdict that too few locations contradict does not stay for ever") {
  played p;
  p.results = {{.code = "a"}, {.code = "b"}, {.code = "c"}};
  for (std::size_t i = 0; i < 3; ++i) p.result('+', 0, i);
  for (std::size_t i = 1; i < 3; ++i) {
    for (std::int64_t second : {1, 2, 3}) p.result('e', second, i);
  }
  CHECK(p.result('-', 60, 0).becomes == verdict::up);
  CHECK(p.result('-', 120, 0).becomes == verdict::up);
  CHECK(p.result('-', 180, 0).becomes == verdict::up);
  CHECK(p.last.suspect_since == at_second(60));
  CHECK(p.last.look_again == at_second(240));
  CHECK(p.result('-', 240, 0).becomes == verdict::error);
  CHECK(p.last.reason->which == checks::code::resolver_unreachable);
  CHECK(p.result('-', 250, 1).becomes == verdict::down);
}

TEST_CASE("which results must be decided") {
  auto const result_for = [](location_status v, bool degraded = false) {
    return location_state{.says = v, .degraded = degraded};
  };
  auto const none = result_for(location_status::none), up = result_for(location_status::up),
             slow = result_for(location_status::up, true), down = result_for(location_status::down);
  struct {
    verdict status;
    location_state before, after;
    bool must;
  } const cases[] = {
      {verdict::up, up, up, false},        {verdict::up, up, down, true},
      {verdict::up, up, slow, true},       {verdict::up, down, down, true},
      {verdict::up, slow, slow, true},     {verdict::up, none, none, false},
      {verdict::up, up, none, true},       {verdict::degraded, slow, slow, false},
      {verdict::degraded, up, up, true},   {verdict::degraded, down, down, true},
      {verdict::down, down, down, false},  {verdict::down, up, up, true},
      {verdict::down, none, none, false},  {verdict::pending, none, none, false},
      {verdict::pending, none, up, true},  {verdict::pending, up, up, true},
      {verdict::error, down, down, true},  {verdict::error, up, up, true},
      {verdict::error, none, none, false},
  };
  for (auto const& c : cases) CHECK(must_decide(c.status, c.before, c.after) == c.must);
}

TEST_CASE("an outage over locations ends with the good check that the strategy needed") {
  for (auto const& [strategy_case, ended] :
       {std::pair(strategy::any, 60), {strategy::majority, 70}, {strategy::all, 80}}) {
    played p;
    p.monitor.aggregation = strategy_case;
    p.results = {{.code = "a"}, {.code = "b"}, {.code = "c"}};
    for (std::size_t i = 0; i < 3; ++i) p.result('-', 0, i);
    REQUIRE(p.monitor.outage);
    std::optional<outage_end> end;
    for (std::size_t i = 0; i < 3; ++i) {
      p.result('+', 60 + 10 * static_cast<std::int64_t>(i), i);
      if (p.last.closed) end = p.last.closed;
    }
    REQUIRE(end);
    CHECK(end->ended_at == at_second(ended));
  }
}

}  // namespace
}  // namespace svc::alerting
