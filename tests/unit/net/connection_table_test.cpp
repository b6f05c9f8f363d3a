#include "net/connection_table.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <string>

using namespace std::chrono_literals;
using svc::milliseconds;
using svc::shared_counts;
using svc::steady;
using svc::uuid;
using svc::net::closings;
using svc::net::connection_table;
using svc::net::holding;

namespace {

struct connection final : connection_table::entry {
  explicit connection(bool on_reserve) { on_reserve_ = on_reserve; }
  bool closed = false;

 private:
  void make_room() override { closed = true; }
};

struct worker {
  explicit worker(svc::net::session_settings limits,
                  std::shared_ptr<shared_counts> counts = std::make_shared<shared_counts>(256))
      : settings(limits), table(settings, std::move(counts)) {}
  ~worker() {
    for (auto& each : connections) table.leave(each);
  }
  worker(worker const&) = delete;
  worker& operator=(worker const&) = delete;

  connection* open(std::optional<std::string_view> source, steady::duration time = {}, bool on_reserve = false) {
    auto& made = connections.emplace_back(on_reserve);
    return table.enter(made, source, start + time) ? &made : nullptr;
  }
  bool serve(connection* which, std::uint8_t user) {
    table.serves(*which);
    return table.admitted(*which, uuid{{user}});
  }
  void wait(connection* which, steady::duration time = {}) { table.waits(*which, start + time); }

  svc::net::session_settings settings;
  connection_table table;
  std::deque<connection> connections{};
  steady::time_point start = steady::now();
};

svc::net::session_settings limits(std::size_t address, std::size_t user) {
  svc::net::session_settings made;
  made.connections_per_address = address;
  made.connections_per_user = user;
  return made;
}

}  // namespace

TEST_CASE("which connections are closed: each time one of the largest holder, among the waiting ones") {
  struct {
    char const* name;
    std::vector<holding> all;
    std::size_t wanted;
    std::vector<std::size_t> expected;
  } const table[] = {
      {"nobody is there", {}, 3, {}},
      {"nothing is wanted", {{5, 5}}, 0, {0}},
      {"nobody waits", {{5, 0}, {9, 0}}, 2, {0, 0}},
      {"one holder", {{5, 5}}, 2, {2}},
      {"fewer wait than are wanted", {{5, 2}, {3, 1}}, 9, {2, 1}},
      {"the one who holds most", {{3, 3}, {10, 10}, {4, 4}}, 6, {0, 6, 0}},
      {"until two hold the same, then in turn", {{3, 3}, {6, 6}}, 5, {1, 4}},
      {"busy ones count, but stay", {{100, 1}, {4, 4}}, 3, {1, 2}},
      {"the first of equals", {{1, 1}, {1, 1}, {1, 1}}, 1, {1, 0, 0}},
      {"of equals, the one that held more before", {{1, 1}, {3, 3}}, 3, {0, 3}},
  };
  for (auto const& each : table) {
    CAPTURE(each.name);
    CHECK(closings(each.all, each.wanted) == each.expected);
  }
}

TEST_CASE("a client is its IPv4 address or its IPv6 network") {
  struct {
    char const *text, *other;
    bool same;
  } const table[] = {
      {"192.0.2.1", "192.0.2.1", true},
      {"192.0.2.1", "192.0.2.2", false},
      {"2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true},
      {"2001:db8:1:2::1", "2001:db8:1:3::1", false},
      {"::1", "127.0.0.1", false},
      {"::c000:201", "192.0.2.1", false},
  };
  for (auto const& each : table) {
    CAPTURE(each.text);
    CAPTURE(each.other);
    CHECK((svc::net::client_network(each.text) == svc::net::client_network(each.other)) == each.same);
  }
  CHECK_FALSE(svc::net::client_network("unix"));
  CHECK_FALSE(svc::net::client_network(""));
}

TEST_CASE("an address has up to its limit of connections, over all workers, until a request is admitted") {
  auto const counts = std::make_shared<shared_counts>(256);
  worker worker(limits(2, 10), counts), other(limits(2, 10), counts);
  auto* const first = worker.open("192.0.2.1");
  REQUIRE(first);
  CHECK(other.open("192.0.2.1"));
  CHECK_FALSE(worker.open("192.0.2.1"));
  CHECK(worker.table.turned().address == 1);
  CHECK(worker.open("192.0.2.2"));
  // From now on it counts for its user.
  CHECK(worker.serve(first, 1));
  CHECK(worker.open("192.0.2.1"));
  CHECK_FALSE(other.open("192.0.2.1"));
}

TEST_CASE("a connection that has long been without a request is closed for a new one of its network") {
  worker worker(limits(2, 10));
  auto* const first = worker.open("192.0.2.1");
  auto* const second = worker.open("192.0.2.1", 500ms);
  CHECK_FALSE(worker.open("192.0.2.1", 999ms));
  CHECK(worker.open("192.0.2.1", 1000ms));
  CHECK(first->closed);
  CHECK_FALSE(second->closed);
  CHECK_FALSE(worker.open("192.0.2.1", 1100ms));
}

TEST_CASE("a new connection is refused if those of its network serve requests, or are on other workers") {
  auto const counts = std::make_shared<shared_counts>(256);
  worker worker(limits(1, 10), counts), other(limits(1, 10), counts);
  auto* const only = worker.open("192.0.2.1");
  REQUIRE(only);
  CHECK_FALSE(other.open("192.0.2.1", 2s));
  worker.table.serves(*only);
  CHECK_FALSE(worker.open("192.0.2.1", 2s));
  CHECK_FALSE(only->closed);
}

TEST_CASE("connections that are not counted are never refused") {
  worker worker(limits(1, 1));
  for (int i = 0; i < 5; ++i) {
    auto* const made = worker.open(std::nullopt);
    REQUIRE(made);
    CHECK(worker.serve(made, 1));
  }
}

TEST_CASE("a user has up to its limit of connections: its oldest waiting one is closed, otherwise the new one") {
  worker worker(limits(10, 2));
  auto* const a = worker.open("192.0.2.1");
  auto* const b = worker.open("192.0.2.1");
  auto* const c = worker.open("192.0.2.1");
  CHECK(worker.serve(a, 1));
  CHECK(worker.serve(b, 1));
  CHECK_FALSE(worker.serve(c, 1));
  CHECK(worker.table.turned().user == 1);
  worker.wait(b);
  CHECK(worker.serve(c, 1));
  CHECK(b->closed);
  CHECK_FALSE(a->closed);
  // Another user has its own limit, even on a connection that was the first one's before.
  worker.wait(c);
  CHECK(worker.serve(c, 2));
  auto* const d = worker.open("192.0.2.1");
  CHECK(worker.serve(d, 1));
}

TEST_CASE("room is made by closing the largest holder's oldest; connections that serve a request stay") {
  worker worker(limits(10, 10));
  auto* const lonely = worker.open("192.0.2.9");
  auto* const proxy = worker.open(std::nullopt);
  std::vector<connection*> many;
  for (int i = 0; i < 4; ++i) many.push_back(worker.open("192.0.2.1", milliseconds(i)));
  worker.table.serves(*many[0]);
  CHECK(worker.table.make_room(2) == 2);
  CHECK(many[1]->closed);
  CHECK(many[2]->closed);
  CHECK_FALSE(many[0]->closed);
  CHECK_FALSE(lonely->closed);
  worker.wait(many[0], 1s);
  CHECK(worker.table.make_room(1) == 1);
  CHECK(many[3]->closed);
  CHECK_FALSE(proxy->closed);
  CHECK(worker.table.make_room(9) == 3);
  CHECK(proxy->closed);
  CHECK(worker.table.turned().room == 6);
  // A closed connection that ends later is already forgotten.
  worker.table.waits(*many[3], worker.start);
  CHECK(worker.table.make_room(1) == 0);
}

TEST_CASE("the reserve is kept until it is required, and then the largest holder loses it") {
  worker worker(limits(10, 10));
  auto* const busy = worker.open("192.0.2.1");
  worker.table.serves(*busy);
  std::vector<connection*> crowd;
  for (int i = 0; i < 3; ++i) crowd.push_back(worker.open("192.0.2.2", milliseconds(i), true));
  auto* const monitor = worker.open("192.0.2.3", {}, true);
  CHECK(worker.table.make_room(9) == 0);
  CHECK(worker.table.make_room_on_reserve(2) == 2);
  CHECK(crowd[0]->closed);
  CHECK(crowd[1]->closed);
  CHECK_FALSE(monitor->closed);
  // A connection that is being answered does not count as waiting.
  worker.table.serves(*monitor);
  CHECK(worker.table.make_room_on_reserve(9) == 1);
  CHECK(crowd[2]->closed);
  CHECK_FALSE(monitor->closed);
}
