#include "svc/domain/run_event.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("event ids: two numbers, nothing else") {
  struct {
    std::string text;
    std::optional<event_id> id;
  } const cases[] = {{"0-0", event_id{0, 0}},
                     {"1-0", event_id{1, 0}},
                     {"12-345", event_id{12, 345}},
                     {"", {}},
                     {"1", {}},
                     {"1-", {}},
                     {"-1", {}},
                     {"1-2-3", {}},
                     {"01-2", {}},
                     {"1-02", {}},
                     {" 1-2", {}},
                     {"1-2 ", {}},
                     {"+1-2", {}},
                     {"a-b", {}},
                     {"999999999999999-999999999999999", event_id{999999999999999, 999999999999999}},
                     {"1000000000000000-1", {}}};
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(event_id::parse(c.text) == c.id);
    if (c.id) CHECK(c.id->to_string() == c.text);
  }
}

TEST_CASE("events that may follow an event without a gap") {
  struct {
    event_id before, after;
    bool whole;
  } const cases[] = {{{0, 0}, {1, 0}, true},  {{1, 0}, {1, 1}, true}, {{1, 7}, {1, 8}, true},
                     {{1, 7}, {1, 9}, false}, {{1, 7}, {2, 0}, true}, {{1, 7}, {2, 1}, false},
                     {{1, 7}, {1, 7}, false}, {{0, 0}, {0, 1}, true}, {{1, 7}, {1, 6}, false},
                     {{2, 0}, {1, 0}, false}};
  for (auto const& c : cases) {
    CAPTURE(c.before.to_string());
    CAPTURE(c.after.to_string());
    CHECK(c.before.precedes(c.after) == c.whole);
  }
}

TEST_CASE("stored output reads back") {
  std::vector<run_event> const events{{{1, 0}, event_kind::status, "running"},
                                      {{1, 1}, event_kind::out, "hello o world"},
                                      {{1, 2}, event_kind::err, ""},
                                      {{1, 3}, event_kind::out, "\xff\tx\r"},
                                      {{1, 4}, event_kind::complete, "passed"}};
  std::string text;
  for (auto const& event : events) append_stored(text, event);
  std::string_view rest = text;
  for (auto const& event : events) CHECK(next_stored(rest) == event);
  CHECK(rest.empty());
  CHECK_FALSE(next_stored(rest));

  std::string broken;
  append_stored(broken, {{1, 1}, event_kind::out, "a\nb"});
  CHECK(broken == "1-1 oa b\n");
  for (std::string_view bad : {"1-1 o", "1-1\n", "1-1 \n", "x oa\n", "1-1 qa\n", "\n"}) {
    CAPTURE(bad);
    auto left = bad;
    CHECK_FALSE(next_stored(left));
    CHECK(left == bad);
  }
}
