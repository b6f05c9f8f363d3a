#include "redis/slots.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::redis;

namespace {

reply number(std::int64_t value) {
  return {.kind = reply::type::integer, .number = value};
}
reply word(std::string text) {
  return {.kind = reply::type::bulk, .text = std::move(text)};
}
reply list(std::vector<reply> elements) {
  return {.kind = reply::type::array, .elements = std::move(elements)};
}
reply range(std::int64_t first, std::int64_t last, std::string host, std::int64_t port) {
  return list({number(first), number(last), list({word(std::move(host)), number(port), word("id"), list({})}),
               list({word("replica"), number(1), word("id2"), list({})})});
}

address const asked{"10.0.0.9", "7000"};

std::string shown(std::optional<redirect> const& redirect) {
  if (!redirect) return "nothing";
  return (redirect->asking ? "ASK " : "MOVED ") + redirect->address.to_string();
}

}  // namespace

TEST_CASE("the slot of a key is that of its hash tag") {
  struct {
    std::string_view key;
    int expected;  // as CLUSTER KEYSLOT of Redis 7.0.15 says
  } const cases[] = {
      {"", 0},
      {"123456789", 12739},
      {"foo", 12182},
      {"{foo}", 12182},
      {"svc:{foo}:epoch", 12182},
      {"svc:{foo}:w:cli:60", 12182},
      {"{foo}{bar}", 12182},
      {"{{foo}}", 13308},
      {"foo{}{bar}", 8363},
      {"foo{bar", 15278},
      {"}foo{", 8453},
      {"svc:instances", 2227},
  };
  for (auto const& c : cases) {
    CAPTURE(c.key);
    CHECK(slot_of(c.key) == c.expected);
  }
  CHECK(slot_of("svc:tok:{0a}") == slot_of("svc:seen:{0a}"));
}

TEST_CASE("the server of each slot") {
  auto const map = read_slots(
      list({range(0, 5460, "10.0.0.1", 6379), range(5461, 10922, "", 6380), range(10923, 16383, "10.0.0.1", 6379)}),
      asked);
  REQUIRE(map);
  REQUIRE(map->masters.size() == 2);
  CHECK(map->masters[0].to_string() == "10.0.0.1:6379");
  CHECK(map->masters[1].to_string() == "10.0.0.9:6380");
  CHECK(map->owners[0] == 0);
  CHECK(map->owners[5460] == 0);
  CHECK(map->owners[5461] == 1);
  CHECK(map->owners[10922] == 1);
  CHECK(map->owners[16383] == 0);
  CHECK(map->complete());
  CHECK(map->names({"10.0.0.1", "6379"}));
  CHECK_FALSE(map->names({"10.0.0.1", "6380"}));

  auto const some = read_slots(list({range(1, 16383, "fd00::1", 1)}), asked);
  REQUIRE(some);
  CHECK(some->masters[0].to_string() == "[fd00::1]:1");
  CHECK(some->owners[0] == slot_map::nobody);
  CHECK_FALSE(some->complete());
  CHECK_FALSE(slot_map{}.complete());

  auto const none = read_slots(list({}), asked);
  REQUIRE(none);
  CHECK_FALSE(none->complete());
}

TEST_CASE("invalid maps of slots") {
  for (auto const& wrong :
       {reply{}, word("x"), list({word("x")}), list({list({number(0), number(1)})}),
        list({list({number(0), number(1), list({word("a")})})}), list({range(0, 16384, "a", 1)}),
        list({range(-1, 1, "a", 1)}), list({range(2, 1, "a", 1)}), list({range(0, 1, "?", 1)}),
        list({range(0, 1, "a b", 1)}), list({range(0, 1, "a", 0)}), list({range(0, 1, "a", 65536)}),
        list({range(0, 5, "a", 1), range(5, 9, "b", 1)}), list({range(0, 5, "a", 1), range(5, 9, "a", 1)})})
    CHECK_FALSE(read_slots(wrong, asked));
}

TEST_CASE("a replica that takes over is distinguished from slots that move between masters") {
  auto const map = [](std::vector<reply> ranges) { return read_slots(list(std::move(ranges)), asked).value(); };
  auto const before = map({range(0, 100, "a", 1), range(101, 200, "b", 1), range(201, 16383, "c", 1)});
  struct {
    char const* subject;
    slot_map now;
    std::vector<address> expected;
  } const cases[] = {
      {"the same", before, {}},
      {"nobody knows", slot_map{}, {}},
      {"one failed over",
       map({range(0, 100, "d", 1), range(101, 200, "b", 1), range(201, 16383, "c", 1)}),
       {{"d", "1"}}},
      {"two failed over",
       map({range(0, 100, "a", 1), range(101, 200, "d", 2), range(201, 16383, "d", 1)}),
       {{"d", "2"}, {"d", "1"}}},
      {"a master more", map({range(0, 50, "d", 1), range(51, 100, "a", 1), range(101, 16383, "b", 1)}), {}},
      {"a master less", map({range(0, 200, "b", 1), range(201, 16383, "c", 1)}), {}},
      {"its slots have gone with it", map({range(101, 200, "b", 1), range(201, 16383, "c", 1)}), {}},
      {"others took them, and a new master some",
       map({range(0, 99, "b", 1), range(100, 100, "d", 1), range(101, 16383, "c", 1)}),
       {{"d", "1"}}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.subject);
    CHECK(taken_over(before, c.now) == c.expected);
    CHECK(taken_over(slot_map{}, c.now).empty());
  }
}

TEST_CASE("each master has a hash tag of one of its slots, even if it has only one slot") {
  auto const map = read_slots(
      list({range(0, 0, "a", 1), range(1, 8000, "b", 1), range(8001, 16382, "c", 1), range(16383, 16383, "d", 1)}),
      asked);
  REQUIRE(map);
  auto const tags = tags_of(*map);
  REQUIRE(tags.size() == 4);
  for (std::size_t i = 0; i < tags.size(); ++i) {
    CAPTURE(tags[i]);
    CHECK(tags[i].front() == '{');
    CHECK(map->owners[slot_of("svc:probe" + tags[i])] == i);
  }
}

TEST_CASE("whether a node's view counts, and how old it is") {
  struct {
    std::string_view info;
    char const* expected;
  } const cases[] = {
      {"cluster_state:ok\r\ncluster_slots_assigned:16384\r\ncluster_current_epoch:7\r\n", "ok 7"},
      {"cluster_state:fail\r\ncluster_current_epoch:0\r\n", "not 0"},
      {"cluster_current_epoch:18446744073709551615\ncluster_state:ok", "ok 18446744073709551615"},
      {"cluster_state:okay\r\ncluster_current_epoch:1", "not 1"},
      {"cluster_state:ok\r\n", "nothing"},
      {"cluster_current_epoch:1\r\n", "nothing"},
      {"cluster_state:ok\r\ncluster_current_epoch:-1", "nothing"},
      {"cluster_state:ok\r\ncluster_current_epoch:", "nothing"},
      {"# x cluster_state:ok\r\ncluster_current_epoch:1", "nothing"},
      {"", "nothing"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.info);
    auto const read = read_cluster_state(c.info);
    CHECK((read ? (read->ok ? "ok " : "not ") + std::to_string(read->epoch) : "nothing") == c.expected);
  }
}

TEST_CASE("redirections name another node") {
  struct {
    std::string_view text;
    char const* expected;
  } const cases[] = {
      {"MOVED 3999 127.0.0.1:6381", "MOVED 127.0.0.1:6381"},
      {"ASK 16383 redis-2.svc:1", "ASK redis-2.svc:1"},
      {"MOVED 0 fd00::1:6379", "MOVED [fd00::1]:6379"},
      {"MOVED 0 :6379", "MOVED 10.0.0.9:6379"},
      {"MOVED 16384 a:1", "nothing"},
      {"MOVED -1 a:1", "nothing"},
      {"MOVED x a:1", "nothing"},
      {"MOVED 1 a", "nothing"},
      {"MOVED 1 a:0", "nothing"},
      {"MOVED 1 ?:1", "nothing"},
      {"MOVED 1", "nothing"},
      {"MOVED", "nothing"},
      {"MOVED 1 a:1 ", "nothing"},
      {"MOVED  1 a:1", "nothing"},
      {"ASKED 1 a:1", "nothing"},
      {"TRYAGAIN Multiple keys request during rehashing of slot", "nothing"},
      {"", "nothing"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(shown(read_redirect(c.text, asked)) == c.expected);
  }
}
