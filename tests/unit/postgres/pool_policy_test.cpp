#include "postgres/pool_policy.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace svc;
using namespace svc::postgres;

TEST_CASE("a caller gets, waits or is refused") {
  struct {
    char const* name;
    pool_view now;
    admission expected;
  } const cases[] = {
      {"idle", {.size = 2, .idle = 1, .max_waiting = 5}, admission::hand_out},
      {"idle, nobody may wait", {.size = 2, .idle = 1}, admission::hand_out},
      {"idle, but others wait", {.size = 2, .idle = 1, .waiting = 1, .max_waiting = 5}, admission::wait},
      {"all busy", {.size = 2, .busy = 2, .max_waiting = 5}, admission::wait},
      {"last place in line", {.size = 2, .busy = 2, .waiting = 4, .max_waiting = 5}, admission::wait},
      {"line full", {.size = 2, .busy = 2, .waiting = 5, .max_waiting = 5}, admission::refuse},
      {"nothing open yet", {.size = 2, .max_waiting = 5, .healthy = false}, admission::wait},
      {"away, being tried", {.opening = 1, .max_waiting = 5, .healthy = false, .cooling = true}, admission::wait},
      {"away, between attempts", {.max_waiting = 5, .healthy = false, .cooling = true}, admission::refuse},
      {"no more to have, but some busy", {.size = 9, .busy = 1, .max_waiting = 5, .cooling = true}, admission::wait},
      {"stopped", {.size = 2, .idle = 1, .max_waiting = 5, .stopped = true}, admission::refuse},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(on_request(c.now) == c.expected);
  }
}

TEST_CASE("connections are opened for waiting callers, within the bound") {
  struct {
    char const* name;
    pool_view now;
    int expected;
  } const cases[] = {
      {"the first, at start", {.size = 8, .healthy = false}, 1},
      {"the first is on its way", {.size = 8, .opening = 1, .healthy = false}, 0},
      {"nobody waits", {.size = 8, .idle = 1}, 0},
      {"one for each waiter", {.size = 8, .busy = 1, .waiting = 3}, 3},
      {"attempts under way count", {.size = 8, .busy = 1, .opening = 2, .waiting = 3}, 1},
      {"more attempts than callers", {.size = 8, .busy = 1, .opening = 3, .waiting = 2}, 0},
      {"up to the bound", {.size = 8, .busy = 6, .waiting = 9}, 2},
      {"bound with attempts", {.size = 8, .busy = 6, .opening = 1, .waiting = 9}, 1},
      {"full", {.size = 8, .busy = 8, .waiting = 9}, 0},
      {"more callers than an int holds", {.size = 8, .waiting = SIZE_MAX}, 8},
      {"away: one attempt only", {.size = 8, .waiting = 9, .healthy = false}, 1},
      {"away: one is enough", {.size = 8, .opening = 1, .waiting = 9, .healthy = false}, 0},
      {"suspect: probe beside the open ones", {.size = 8, .idle = 2, .healthy = false}, 1},
      {"suspect, but full", {.size = 2, .idle = 2, .healthy = false}, 0},
      {"cooling", {.size = 8, .waiting = 9, .healthy = false, .cooling = true}, 0},
      {"stopped", {.size = 8, .waiting = 9, .stopped = true}, 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(connections_to_open(c.now) == c.expected);
  }
}

TEST_CASE("connections not used in a period are closed, half at a time") {
  struct {
    char const* name;
    pool_view now;
    int unused, expected;
  } const cases[] = {
      {"all needed", {.size = 8, .idle = 8}, 0, 0},
      {"half", {.size = 8, .idle = 8}, 6, 3},
      {"odd", {.size = 8, .idle = 8}, 5, 3},
      {"one stays", {.size = 8, .idle = 1}, 1, 0},
      {"two to one", {.size = 8, .idle = 2}, 2, 1},
      {"a busy one may be the one that stays", {.idle = 1, .busy = 1}, 1, 1},
      {"never more than idle", {.idle = 1, .busy = 5}, 6, 1},
      {"nothing open", {}, 0, 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(connections_to_shed(c.now, c.unused) == c.expected);
  }
}

TEST_CASE("waiting callers are refused when no connection can come") {
  CHECK(gives_up_waiters({.cooling = true}));
  CHECK(gives_up_waiters({.idle = 1, .stopped = true}));
  CHECK_FALSE(gives_up_waiters({.opening = 1, .cooling = true}));
  CHECK_FALSE(gives_up_waiters({.busy = 1, .cooling = true}));
  CHECK_FALSE(gives_up_waiters({.idle = 1, .cooling = true}));
  CHECK_FALSE(gives_up_waiters({}));
}
