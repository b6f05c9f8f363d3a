#include "monitoring/scheduler/check_schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace svc;
using namespace svc::scheduler;

namespace {

constexpr std::int64_t minute = 60'000;
constexpr std::int64_t today = 1'793'491'200'000;

store::watched_monitor one(std::uint8_t number, std::int64_t last_slot = 0) {
  store::watched_monitor out{.interval = std::chrono::seconds(60), .changed_at = {(today - minute * 1000) * 1000}};
  out.id.bytes[0] = number;
  out.id.bytes[15] = number;
  out.knows.last_slot = last_slot;
  if (last_slot > 0) out.knows.state.seen_at = timestamp{last_slot * 1000};
  return out;
}

std::int64_t phase(std::uint8_t number) {
  return phase_of(one(number).id, {}, milliseconds(minute)).count();
}

/// The slots that are begun until then, each of which ends at once.
std::vector<std::int64_t> played(check_schedule& check_schedule, std::int64_t first, std::int64_t until,
                                 std::int64_t step = 10) {
  std::vector<std::int64_t> out;
  for (auto now = first; now <= until; now += step) {
    for (auto const& each : check_schedule.take_due(now, 1000)) {
      out.push_back(each.slot);
      check_schedule.ends(each.monitor);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("slots lie at a phase in each interval, the same for whoever computes them") {
  CHECK(slot_at(milliseconds(7), milliseconds(100), 1007) == 1007);
  CHECK(slot_at(milliseconds(7), milliseconds(100), 1006) == 907);
  CHECK(slot_at(milliseconds(7), milliseconds(100), 1106) == 1007);
  std::set<std::int64_t> tenths;
  for (int i = 0; i < 1000; ++i) {
    uuid const id = uuid::generate_v7();
    auto const entry = phase_of(id, {}, milliseconds(minute));
    CHECK(entry.count() >= 0);
    CHECK(entry.count() < minute);
    CHECK(entry == phase_of(id, {}, milliseconds(minute)));
    tenths.insert(entry.count() / 6'000);
  }
  CHECK(tenths.size() == 10);
}

TEST_CASE("a monitor that nothing is known of is due at once, then by its phase") {
  check_schedule check_schedule({});
  auto fresh = one(1);
  fresh.changed_at = {(today - 700) * 1000};
  check_schedule.watch(fresh, today);
  auto const slots = played(check_schedule, today, today + 3 * minute);
  REQUIRE(slots.size() == 4);
  CHECK(slots[0] == today - 700);
  for (std::size_t i = 1; i < slots.size(); ++i) {
    CHECK(slots[i] % minute == phase(1));
    if (i > 1) CHECK(slots[i] - slots[i - 1] == minute);
  }
}

TEST_CASE("each due check knows the slot of the next one") {
  check_schedule check_schedule({});
  auto fresh = one(1);
  fresh.changed_at = {(today - 700) * 1000};
  check_schedule.watch(fresh, today);
  std::int64_t next = 0;
  for (auto now = today; now <= today + 3 * minute; now += 10) {
    for (auto const& each : check_schedule.take_due(now, 1000)) {
      if (next != 0) CHECK(each.slot == next);
      CHECK(each.next > now);
      CHECK(each.next % minute == phase(1));
      next = each.next;
      check_schedule.ends(each.monitor);
    }
  }
  CHECK(next > today + 3 * minute);
}

TEST_CASE("after a takeover the newest slot is made up for within five seconds, and older ones are missed") {
  for (std::int64_t behind : {0, 1, 2, 5}) {
    CAPTURE(behind);
    check_schedule check_schedule({});
    auto const newest = slot_at(milliseconds(phase(2)), milliseconds(minute), today);
    check_schedule.watch(one(2, newest - behind * minute), today);
    auto const soon = played(check_schedule, today, std::min(today + 5'000, newest + minute - 1));
    CHECK(soon.size() == (behind > 0 ? 1 : 0));
    if (!soon.empty()) CHECK(soon[0] == newest);
    CHECK(check_schedule.missed_slots(skip_reason::nobody_watched) ==
          static_cast<std::uint64_t>(std::max<std::int64_t>(0, behind - 1)));
    CHECK(played(check_schedule, today, newest + minute + 20).back() == newest + minute);
  }
}

TEST_CASE("a monitor is checked once at a time, and a slot during a check is missed") {
  check_schedule check_schedule({});
  check_schedule.watch(one(3, today), today);
  auto const first = today - today % minute + phase(3) + (today % minute >= phase(3) ? minute : 0);
  REQUIRE(check_schedule.take_due(first, 10).size() == 1);
  CHECK(check_schedule.running() == 1);
  CHECK(check_schedule.take_due(first + minute, 10).empty());
  CHECK(check_schedule.missed_slots(skip_reason::still_running) == 1);
  check_schedule.ends(one(3).id);
  CHECK(check_schedule.running() == 0);
  CHECK(check_schedule.take_due(first + 2 * minute, 10).size() == 1);
}

TEST_CASE("a check that cannot start within half its interval is missed") {
  check_schedule check_schedule({});
  check_schedule.watch(one(4, today), today);
  auto const first = slot_at(milliseconds(phase(4)), milliseconds(minute), today) + minute;
  CHECK(check_schedule.overdue(first + 700) == milliseconds(700));
  CHECK(check_schedule.take_due(first + minute / 2 + 1, 10).empty());
  CHECK(check_schedule.missed_slots(skip_reason::overloaded) == 1);
  CHECK(check_schedule.take_due(first + minute + minute / 2, 10).size() == 1);
}

TEST_CASE("no more checks start than allowed, and the others keep their position") {
  check_schedule check_schedule({});
  for (std::uint8_t i = 0; i < 20; ++i) check_schedule.watch(one(i, today - 10 * minute), today);
  CHECK(check_schedule.take_due(today + 5'000, 5).size() == 5);
  CHECK(check_schedule.take_due(today + 5'000, 100).size() == 15);
  CHECK(check_schedule.running() == 20);
}

TEST_CASE("a project has a limit of concurrent checks, and its waiting checks delay no other project") {
  check_schedule check_schedule({}, {.most_of_project = 3});
  for (std::uint8_t i = 0; i < 20; ++i) check_schedule.watch(one(i, today - 10 * minute), today);
  for (std::uint8_t i = 20; i < 23; ++i) {
    auto others = one(i, today - 10 * minute);
    others.project.bytes[0] = 1;
    check_schedule.watch(others, today);
  }
  auto const now = today + 5'000;
  auto const first = check_schedule.take_due(now, 100);
  CHECK(first.size() == 6);
  CHECK(std::ranges::count_if(first, [](auto const& each) { return each.monitor.bytes[0] >= 20; }) == 3);
  CHECK_FALSE(check_schedule.has_room(one(0).id));
  CHECK(check_schedule.overdue(now) == milliseconds(0));
  CHECK(check_schedule.take_due(now + 1'000, 100).empty());

  // One place becomes free: one goes on, at the slot that it waited for.
  auto const own = std::ranges::find_if(first, [](auto const& each) { return each.monitor.bytes[0] < 20; });
  check_schedule.ends(own->monitor);
  CHECK(check_schedule.has_room(one(0).id));
  auto const next = check_schedule.take_due(now + 1'000, 100);
  REQUIRE(next.size() == 1);
  CHECK(next.front().monitor.bytes[0] < 20);
  CHECK(next.front().slot <= today);
  CHECK(check_schedule.missed_slots(skip_reason::overloaded) == 0);

  // The other 16 are missed once they are too late, and come again.
  for (auto position = now + 1'000; position <= now + minute / 2 + 10; position += 10)
    CHECK(check_schedule.take_due(position, 100).empty());
  CHECK(check_schedule.missed_slots(skip_reason::overloaded) == 16);
  for (auto const& each : first) check_schedule.ends(each.monitor);
  check_schedule.ends(next.front().monitor);
  CHECK(check_schedule.running() == 0);
  std::set<uuid> again;
  for (auto position = now + minute / 2 + 20; position <= today + 3 * minute; position += 10) {
    for (auto const& each : check_schedule.take_due(position, 100)) {
      again.insert(each.monitor);
      check_schedule.ends(each.monitor);
    }
  }
  CHECK(again.size() == 23);
}

TEST_CASE("an organization holds no more places than are free, whatever number of projects it has") {
  struct {
    std::size_t most, least;
    std::vector<int> started;  ///< of each organization, one after the other
  } const cases[] = {
      {12, 1, {6, 3, 2, 1, 0, 0}},  // the first has half, and the next ones find places until all are taken
      {12, 4, {6, 4, 2, 0, 0, 0}},  // no organization waits below the least number
      {2, 16, {2, 0, 0, 0, 0, 0}}, {1, 1, {1, 0, 0, 0, 0, 0}}, {64, 1, {14, 14, 14, 11, 6, 3}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.most);
    CAPTURE(c.least);
    check_schedule check_schedule({}, {.most = c.most, .most_of_project = 2, .least_of_organization = c.least});
    std::vector<int> started;
    for (std::uint8_t organization = 0; organization < 6; ++organization) {
      // Seven projects with three monitors each.
      for (std::uint8_t i = 0; i < 21; ++i) {
        auto each = one(static_cast<std::uint8_t>(organization * 21 + i), today - 10 * minute);
        each.organization.bytes[0] = organization;
        each.project.bytes[0] = organization;
        each.project.bytes[1] = i / 3;
        check_schedule.watch(each, today);
      }
      started.push_back(
          static_cast<int>(check_schedule.take_due(today + 5'000, c.most - check_schedule.running()).size()));
    }
    CHECK(started == c.started);
  }
}

TEST_CASE("a check that waits for its organization begins when a check of another project there ends") {
  check_schedule check_schedule({}, {.most = 4, .least_of_organization = 2});
  for (std::uint8_t i = 0; i < 4; ++i) {
    auto each = one(i, today - 10 * minute);
    each.project.bytes[0] = i;
    each.organization.bytes[0] = 1;
    check_schedule.watch(each, today);
  }
  auto const now = today + 5'000;
  auto const first = check_schedule.take_due(now, 4);
  REQUIRE(first.size() == 2);
  CHECK(check_schedule.take_due(now + 1'000, 2).empty());
  CHECK_FALSE(check_schedule.has_room(one(0).id));
  check_schedule.ends(first.front().monitor);
  CHECK(check_schedule.has_room(one(0).id));
  CHECK(check_schedule.take_due(now + 1'000, 3).size() == 1);
  CHECK(check_schedule.take_due(now + 1'000, 3).empty());
  CHECK(check_schedule.missed_slots(skip_reason::overloaded) == 0);
  // A monitor that is forgotten gives its organization's place back as well.
  check_schedule.remove(first.back().monitor);
  CHECK(check_schedule.take_due(now + 1'000, 3).size() == 1);
}

TEST_CASE("a change of a monitor plans it again, and a removed one is not due any more") {
  check_schedule check_schedule({});
  check_schedule.watch(one(5, today), today);
  auto other = one(5, today);
  other.interval = std::chrono::seconds(10);
  check_schedule.watch(other, today);
  CHECK(check_schedule.size() == 1);
  auto const slots = played(check_schedule, today, today + minute);
  CHECK(slots.size() == 6);
  check_schedule.watch(one(6, today), today);
  check_schedule.remove_shard(shard_of(one(5).id));
  CHECK(check_schedule.size() == 1);
  CHECK(check_schedule.find(one(5).id) == nullptr);
  check_schedule.remove(one(6).id);
  CHECK(played(check_schedule, today, today + 3 * minute).empty());
  check_schedule.ends(one(6).id);
  CHECK(check_schedule.running() == 0);
}

TEST_CASE(
    "a project that has spent its share of the thread starts nothing until it may again; the account shows it") {
  account book({.name = "checks_in_flight", .total = 4, .project_share = 4});
  bool over = true;
  {
    check_schedule check_schedule(
        {}, {.may_start = [&over](uuid const& project) { return !over || project.bytes[0] != 1; }, .book = &book});
    for (std::uint8_t i = 1; i < 3; ++i) {
      auto each = one(i, today - 10 * minute);
      each.project.bytes[0] = i;
      check_schedule.watch(each, today);
    }
    auto const now = today + 5'000;
    auto const first = check_schedule.take_due(now, 4);
    REQUIRE(first.size() == 1);
    CHECK(first.front().monitor == one(2).id);
    CHECK(book.held() == 1);
    CHECK(book.refused() == 1);
    CHECK(check_schedule.take_due(now + 1'000, 4).empty());
    over = false;
    CHECK(check_schedule.take_due(now + 2'000, 4).size() == 1);
    CHECK(book.held() == 2);
    CHECK(book.sums_of({.project = {{1}}}).project == 1);
    check_schedule.ends(one(2).id);
    CHECK(book.held() == 1);
  }
  CHECK(book.held() == 0);
}
