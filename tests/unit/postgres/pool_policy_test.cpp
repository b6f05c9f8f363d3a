#include "postgres/pool_policy.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace svc;
using namespace svc::postgres;

TEST_CASE("a caller gets, waits or is refused") {
  struct {
    char const* name;
    pool_view now;
    bool has_room;
    admission expected;
  } const cases[] = {
      {"idle", {.size = 2, .idle = 1, .max_waiting = 5}, true, admission::hand_out},
      {"idle, nobody may wait", {.size = 2, .idle = 1}, true, admission::hand_out},
      {"idle, but the share is exhausted", {.size = 2, .idle = 1, .max_waiting = 5}, false, admission::wait},
      {"idle, but others wait for it",
       {.size = 2, .idle = 1, .waiting = 1, .eligible = 1, .max_waiting = 5},
       true,
       admission::wait},
      {"idle, and others wait for their share",
       {.size = 2, .idle = 1, .waiting = 1, .max_waiting = 5},
       true,
       admission::hand_out},
      {"all busy", {.size = 2, .busy = 2, .max_waiting = 5}, true, admission::wait},
      {"last place in line", {.size = 2, .busy = 2, .waiting = 4, .max_waiting = 5}, true, admission::wait},
      {"line full", {.size = 2, .busy = 2, .waiting = 5, .max_waiting = 5}, true, admission::refuse},
      {"nothing open yet", {.size = 2, .max_waiting = 5, .healthy = false}, true, admission::wait},
      {"away, being tried",
       {.opening = 1, .max_waiting = 5, .healthy = false, .cooling = true},
       true,
       admission::wait},
      {"away, between attempts", {.max_waiting = 5, .healthy = false, .cooling = true}, true, admission::refuse},
      {"no more to have, but some busy",
       {.size = 9, .busy = 1, .max_waiting = 5, .cooling = true},
       true,
       admission::wait},
      {"stopped", {.size = 2, .idle = 1, .max_waiting = 5, .stopped = true}, true, admission::refuse},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(on_request(c.now, c.has_room) == c.expected);
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
      {"one for each waiter", {.size = 8, .busy = 1, .eligible = 3}, 3},
      {"attempts under way count", {.size = 8, .busy = 1, .opening = 2, .eligible = 3}, 1},
      {"more attempts than callers", {.size = 8, .busy = 1, .opening = 3, .eligible = 2}, 0},
      {"up to the bound", {.size = 8, .busy = 6, .eligible = 9}, 2},
      {"bound with attempts", {.size = 8, .busy = 6, .opening = 1, .eligible = 9}, 1},
      {"full", {.size = 8, .busy = 8, .eligible = 9}, 0},
      {"more callers than an int holds", {.size = 8, .eligible = SIZE_MAX}, 8},
      {"away: one attempt only", {.size = 8, .eligible = 9, .healthy = false}, 1},
      {"away: one is enough", {.size = 8, .opening = 1, .eligible = 9, .healthy = false}, 0},
      {"suspect: probe beside the open ones", {.size = 8, .idle = 2, .healthy = false}, 1},
      {"suspect, but full", {.size = 2, .idle = 2, .healthy = false}, 0},
      {"callers without room in their share", {.size = 8, .busy = 4, .waiting = 9, .eligible = 2}, 2},
      {"abandoned sessions count", {.size = 8, .busy = 3, .abandoned = 2, .eligible = 9}, 3},
      {"abandoned sessions count up to half", {.size = 8, .abandoned = 6, .eligible = 9}, 4},
      {"cooling", {.size = 8, .eligible = 9, .healthy = false, .cooling = true}, 0},
      {"stopped", {.size = 8, .eligible = 9, .stopped = true}, 0},
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

TEST_CASE("waiting callers are refused if no connection is possible") {
  CHECK(gives_up_waiters({.cooling = true}));
  CHECK(gives_up_waiters({.idle = 1, .stopped = true}));
  CHECK_FALSE(gives_up_waiters({.opening = 1, .cooling = true}));
  CHECK_FALSE(gives_up_waiters({.busy = 1, .cooling = true}));
  CHECK_FALSE(gives_up_waiters({.idle = 1, .cooling = true}));
  CHECK_FALSE(gives_up_waiters({}));
}

TEST_CASE("a project holds half of a pool at most, and no more than it leaves to others") {
  struct {
    char const* name;
    int size;
    holdings held;
    int expected;
  } const cases[] = {
      {"alone", 8, {}, 4},
      {"half of it held", 8, {.all = 2, .project = 2, .organisation = 2}, 2},
      {"at its share", 8, {.all = 4, .project = 4, .organisation = 4}, 0},
      {"beside one at its share", 8, {.all = 4}, 2},
      {"as much as is left", 8, {.all = 6, .project = 2, .organisation = 2}, 0},
      {"the third", 8, {.all = 6}, 1},
      {"the fourth", 8, {.all = 7}, 1},
      {"a newcomer has room even in a full pool", 8, {.all = 8}, 1},
      {"its second would leave too little", 8, {.all = 7, .project = 1, .organisation = 1}, 0},
      {"three quarters for an organisation", 8, {.all = 5, .organisation = 5}, 1},
      {"an organisation at its share", 8, {.all = 6, .organisation = 6}, 0},
      {"one connection", 1, {}, 1},
      {"one connection, held", 1, {.all = 1, .project = 1, .organisation = 1}, 0},
      {"two connections", 2, {}, 1},
      {"three connections", 3, {}, 1},
      {"four connections", 4, {}, 2},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(room_of_project(c.size, c.held) == c.expected);
  }
}

TEST_CASE("common work has a whole pool, and half of it while tenants wait") {
  struct {
    int size, held;
    bool tenants_wait;
    int expected;
  } const cases[] = {
      {8, 0, false, 8}, {8, 7, false, 1}, {8, 8, false, 0}, {8, 3, true, 1},
      {8, 4, true, 0},  {8, 7, true, 0},  {1, 0, true, 1},  {1, 1, true, 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.size);
    CAPTURE(c.held);
    CAPTURE(c.tenants_wait);
    CHECK(room_of_common(c.size, c.held, c.tenants_wait) == c.expected);
  }
}

TEST_CASE("abandoned sessions take half of a pool, and all sessions are bounded") {
  struct {
    char const* name;
    int size, open, abandoned;
    bool read_only;
    int expected;
  } const cases[] = {
      {"none abandoned", 8, 3, 0, false, 5},
      {"each counts up to half", 8, 2, 4, false, 2},
      {"more than half", 8, 2, 6, false, 2},
      {"one and a half times the size", 8, 3, 8, false, 1},
      {"at that bound", 8, 4, 8, false, 0},
      {"at that bound, and none open", 8, 0, 12, false, 1},
      {"read-only sessions are never abandoned", 8, 2, 12, true, 2},
      {"read-only: half of the pool", 8, 4, 12, true, 0},
      {"a pool of one", 1, 0, 1, false, 1},
      {"a pool of one, and its one is open", 1, 1, 1, false, 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(sessions_to_spare(c.size, c.open, c.abandoned, c.read_only) == c.expected);
  }
  CHECK_FALSE(many_abandoned(8, 3));
  CHECK(many_abandoned(8, 4));
  CHECK_FALSE(many_abandoned(1, 0));
  CHECK(many_abandoned(1, 1));
}
