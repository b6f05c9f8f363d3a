#include "postgres/waiting_line.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <string>

using namespace svc;
using namespace svc::postgres;

namespace {

/// `-` is common work; other letters are projects.
account_owner owner_named(char name) {
  account_owner out;
  if (name != '-') out.project.bytes[0] = out.organisation.bytes[0] = static_cast<std::uint8_t>(name);
  return out;
}

char name_of(account_owner const& owner) {
  return owner.project == uuid() ? '-' : static_cast<char>(owner.project.bytes[0]);
}

struct filled_line {
  explicit filled_line(std::string const& arrivals) {
    for (char const name : arrivals) all.line.add(all.callers.emplace_back(owner_named(name)));
  }
  /// Serves `n` callers while each owner has room for `room`, or for what `rooms` says.
  std::string serve(int n, std::map<char, int> rooms = {}) {
    std::string out;
    for (; n > 0; --n) {
      auto* const next = all.line.take([&](account_owner const& owner) {
        auto const known = rooms.find(name_of(owner));
        return known == rooms.end() ? 1 : known->second;
      });
      if (next == nullptr) break;
      out += name_of(next->owner);
    }
    return out;
  }
  struct {
    std::deque<waiting_caller> callers;
    waiting_line line;
  } all{};
};

}  // namespace

TEST_CASE("owners take turns for the connections of a pool") {
  struct {
    char const* name;
    std::string arrivals;
    std::map<char, int> rooms;
    std::string expected;
  } const cases[] = {
      {"nobody", "", {}, ""},
      {"one owner: in order of arrival", "aaa", {}, "aaa"},
      {"a newcomer is next", "aaaab", {}, "abaaa"},
      {"three take turns", "aaabbcc", {}, "abcabca"},
      {"every second turn is for common work", "aabb--", {}, "-a-bab"},
      {"many tenants do not delay common work", "abcdefg--", {}, "-a-bcdefg"},
      {"an owner without room does not hold up others", "aaabb", {{'a', 0}}, "bb"},
      {"common work without room does not either", "--ab", {{'-', 0}}, "ab"},
      {"nobody has room", "ab-", {{'a', 0}, {'b', 0}, {'-', 0}}, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    filled_line line(c.arrivals);
    CHECK(line.serve(100, c.rooms) == c.expected);
    CHECK(line.all.line.size() == c.arrivals.size() - c.expected.size());
  }
}

TEST_CASE("a caller that leaves a line takes nobody's turn") {
  filled_line line("abab-");
  auto& all = line.all;
  all.line.remove(all.callers[0]);
  all.line.remove(all.callers[4]);
  CHECK(all.line.waiting(owner_named('a')) == 1);
  CHECK(all.line.waiting(owner_named('b')) == 2);
  CHECK(all.line.waiting(owner_named('-')) == 0);
  CHECK(line.serve(100) == "abb");
  CHECK(all.line.size() == 0);
  CHECK(all.line.take_any() == nullptr);
}

TEST_CASE("a caller may be placed first among those of its owner") {
  filled_line line("--");
  waiting_caller urgent(owner_named('-'));
  line.all.line.add(urgent, line_end::first);
  CHECK(line.all.line.take([](account_owner const&) { return 1; }) == &urgent);
  CHECK(line.serve(100) == "--");
}

TEST_CASE("a line counts the callers whose shares have room, and finds the longest wait among them") {
  filled_line line("aaab--");
  auto& all = line.all;
  auto const now = steady::now();
  for (int i = 0; auto& caller : all.callers) caller.since = now - std::chrono::seconds(10 - i++);
  auto const rooms = [](int a, int b, int common) {
    return [=](account_owner const& owner) {
      char const name = name_of(owner);
      return name == 'a' ? a : name == 'b' ? b : common;
    };
  };
  CHECK(all.line.eligible(rooms(2, 1, 1), 100) == 4);
  CHECK(all.line.eligible(rooms(9, 9, 9), 100) == 6);
  CHECK(all.line.eligible(rooms(9, 9, 9), 5) == 5);
  CHECK(all.line.eligible(rooms(0, 0, 0), 100) == 0);
  CHECK(all.line.longest(rooms(1, 1, 1), now) == now - std::chrono::seconds(10));
  CHECK(all.line.longest(rooms(0, 1, 1), now) == now - std::chrono::seconds(7));
  CHECK(all.line.longest(rooms(0, 0, 1), now) == now - std::chrono::seconds(6));
  CHECK(all.line.longest(rooms(0, 0, 0), now) == now);
  CHECK(all.line.first_of(owner_named('a'), now) == now - std::chrono::seconds(10));
  CHECK(all.line.first_of(owner_named('-'), now) == now - std::chrono::seconds(6));
  CHECK(all.line.first_of(owner_named('c'), now) == now);
  CHECK(all.line.tenant_waits(rooms(0, 1, 0)));
  CHECK_FALSE(all.line.tenant_waits(rooms(0, 0, 1)));
}
