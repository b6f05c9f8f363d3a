#include "cli/events/followed_run.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace svc::cli;
using ms = std::chrono::milliseconds;
using kind = run_news::kind;
using end = followed_run::end;
using action = followed_run::step::action;

namespace {

event line_event(std::string id, std::string const& text) {
  return {std::move(id), "console", R"({"line":")" + text + R"(","stream":"stdout"})"};
}
event status_event(std::string id, std::string type, std::string const& status) {
  return {std::move(id), std::move(type), R"({"status":")" + status + R"("})"};
}

}  // namespace

TEST_CASE("places in a stream: two numbers, in the order of attempts") {
  for (auto const* const bad : {"", "1", "1-", "-1", "1-2-3", "a-1", "1-b", " 1-2", "1--2"}) {
    CAPTURE(bad);
    CHECK_FALSE(event_position::parse(bad));
  }
  auto const position = event_position::parse("12-345");
  REQUIRE(position);
  CHECK(position->to_string() == "12-345");
  CHECK(*event_position::parse("1-9") < *event_position::parse("1-10"));
  CHECK(*event_position::parse("9-9") < *event_position::parse("10-0"));
}

TEST_CASE("the facts that events of a run carry") {
  struct {
    char const* name;
    event given;
    std::optional<kind> kind;
    std::string text;
  } const cases[] = {
      {"a line", line_event("1-1", "a"), kind::line, "a"},
      {"a status", status_event("1-0", "status", "running"), kind::status, "running"},
      {"the end", status_event("1-9", "complete", "passed"), kind::complete, "passed"},
      {"a gap", {"1-7", "gap", R"({"after":"1-2","before":"1-8"})"}, kind::gap, ""},
      {"dropped", {"1-7", "dropped", R"({"reason":"slow_reader"})"}, kind::dropped, ""},
      {"a kind of later services", {"1-7", "weather", "sun"}, {}, ""},
      {"a message", {"", "message", "{}"}, {}, ""},
      {"an id of something else", line_event("42", "a"), kind::unreadable, ""},
      {"no id", line_event("", "a"), kind::unreadable, ""},
      {"data that is not JSON", {"1-1", "console", "<html>"}, kind::unreadable, ""},
      {"data that is no object", {"1-1", "console", "[]"}, kind::unreadable, ""},
      {"members of other types", {"1-1", "console", R"({"line":1})"}, kind::line, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    followed_run run;
    auto const news = run.take(c.given);
    CHECK(news.has_value() == c.kind.has_value());
    if (!news || !c.kind) continue;
    CHECK(news->content == *c.kind);
    CHECK(news->text == c.text);
    CHECK(run.complete() == (*c.kind == kind::complete));
  }
}

TEST_CASE("each line once and in order, over connections that repeat lines") {
  followed_run run;
  std::string printed;
  auto const take = [&](std::vector<event> const& events) {
    for (auto const& e : events)
      if (auto const news = run.take(e)) printed += news->content == kind::line ? news->text : "#";
  };
  CHECK_FALSE(run.last());
  take({status_event("0-0", "status", "queued"), status_event("1-0", "status", "running"), line_event("1-1", "a"),
        line_event("1-2", "b")});
  CHECK(run.last()->to_string() == "1-2");
  // A service that knows no Last-Event-ID begins again.
  take({status_event("0-0", "status", "queued"), line_event("1-1", "a"), line_event("1-2", "b"),
        line_event("1-3", "c")});
  // Dropped has the id of the last event before it.
  take({{"1-3", "dropped", "{}"}});
  CHECK(run.last()->to_string() == "1-3");
  // The id of a gap is that of the last missing event; a second attempt begins at its start.
  take({{"1-6", "gap", "{}"},
        line_event("1-5", "lost?"),
        line_event("1-7", "d"),
        status_event("2-0", "status", "running"),
        line_event("1-8", "late"),
        line_event("2-1", "e"),
        status_event("2-2", "complete", "passed")});
  CHECK(printed == "##abc##d#e#");
  CHECK(run.complete());
  followed_run later(event_position{1, 2});
  CHECK_FALSE(later.take(line_event("1-2", "b")));
  CHECK(later.take(line_event("1-3", "c")));
}

TEST_CASE("the end of a connection decides the next step") {
  struct {
    char const* name;
    bool complete;
    std::vector<end> ends;
    action expected;
  } const cases[] = {
      {"the service ended it behind the end", true, {end::by_service}, action::finish},
      {"it broke behind the end", true, {end::broken}, action::finish},
      {"an instance stopped", false, {end::by_service}, action::connect},
      {"the network broke", false, {end::broken}, action::connect},
      {"204", false, {end::empty}, action::ask_run},
      {"no place", false, {end::refused}, action::connect},
      {"no place twice", false, {end::refused, end::refused}, action::connect},
      {"no place three times", false, {end::refused, end::refused, end::refused}, action::ask_run},
      {"no place four times", false, {end::refused, end::refused, end::refused, end::refused}, action::ask_run},
      {"no place, and the network", false, {end::refused, end::refused, end::broken}, action::connect},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    followed_run run;
    run.take(line_event("1-1", "a"));
    if (c.complete) run.take(status_event("1-2", "complete", "failed"));
    followed_run::step last{action::give_up};
    for (auto const end : c.ends) last = run.after(end, {}, 0.5);
    CHECK(last.content == c.expected);
    // An event is a new beginning for refusals.
    run.take(line_event("1-3", "b"));
    if (!c.complete) CHECK(run.after(end::refused, {}, 0).content == action::connect);
  }
}

TEST_CASE("the run shows the result if the stream could not") {
  followed_run seen;
  CHECK(seen.after(end::empty, {}, 0).content == action::ask_run);
  CHECK(seen.learnt(true, 0).content == action::finish);
  CHECK(seen.learnt(false, 0).content == action::connect);
  followed_run refused;
  for (int i = 0; i < 3; ++i) refused.after(end::refused, {}, 0);
  CHECK(refused.learnt(false, 0).content == action::connect);
  CHECK(refused.after(end::refused, {}, 0).content == action::ask_run);
  CHECK(refused.learnt(true, 0).content == action::read_output);
}

TEST_CASE("pauses: the one that the service asks for, then longer ones, then none") {
  struct {
    char const* name;
    std::optional<ms> retry, reported;
    int before;
    double fraction;
    ms expected;
  } const cases[] = {
      {"without the service's word", {}, {}, 0, 0, ms(2000)},
      {"with jitter", {}, {}, 0, 0.5, ms(2200)},
      {"never less than retry", ms(1000), {}, 5, 0, ms(1000)},
      {"a fifth more at first", ms(1000), {}, 0, 0.999, ms(1199)},
      {"longer each time", ms(1000), {}, 1, 0.5, ms(1500)},
      {"and longer", ms(1000), {}, 3, 0.5, ms(4500)},
      {"up to a limit", ms(1000), {}, 6, 0.5, ms(15500)},
      {"Retry-After", ms(1000), ms(7000), 3, 0, ms(7000)},
      {"Retry-After and up to a fifth", ms(1000), ms(7000), 3, 0.5, ms(7700)},
      {"retry of no time", ms(0), {}, 0, 0.5, ms(0)},
      {"retry of no time, and nothing comes", ms(0), {}, 3, 0.5, ms(1000)},
      {"retry beyond reason", ms(9'000'000), {}, 0, 0, ms(30'000)},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    reconnection lost;
    if (c.retry) lost.ask_for(*c.retry);
    for (int i = 0; i < c.before; ++i) REQUIRE(lost.pause({}, 0));
    CHECK(lost.pause(c.reported, c.fraction) == c.expected);
    lost.progress();
    CHECK(lost.pause({}, 0) == std::min(c.retry.value_or(ms(2000)), ms(30'000)));
  }
}

TEST_CASE("a service that is gone is given up after five minutes of waiting") {
  followed_run run;
  ms waited{};
  int tries = 0;
  auto next = run.after(end::broken, {}, 0.5);
  for (; next.content == action::connect; next = run.after(end::broken, {}, 0.5)) {
    waited += next.wait;
    REQUIRE(++tries < 1000);
  }
  CHECK(next.content == action::give_up);
  CHECK(waited >= reconnection::patience);
  CHECK(waited < reconnection::patience + reconnection::longest);
  run.take(line_event("1-1", "a"));
  CHECK(run.after(end::broken, {}, 0.5).content == action::connect);
}
