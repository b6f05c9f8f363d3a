#include "redis/sentinel.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::redis;

namespace {

std::string shown(std::optional<address> const& address) {
  return address ? address->to_string() : "nothing";
}

reply words(std::vector<std::string> const& texts) {
  reply out{.kind = reply::type::array};
  for (auto const& text : texts) out.elements.push_back({.kind = reply::type::bulk, .text = text});
  return out;
}

}  // namespace

TEST_CASE("an address is a host name or an address, and a port") {
  struct {
    char const* text;
    char const* expected;
  } const cases[] = {
      {"10.0.0.1:26379", "10.0.0.1:26379"},
      {"[::1]:1", "[::1]:1"},
      {"redis-0.redis.svc:65535", "redis-0.redis.svc:65535"},
      {"a", "nothing"},
      {"a:", "nothing"},
      {":1", "nothing"},
      {"a:0", "nothing"},
      {"a:65536", "nothing"},
      {"a:01", "nothing"},
      {"a:-1", "nothing"},
      {"a b:1", "nothing"},
      {"::1:1", "nothing"},
      {"[::1:1", "nothing"},
      {"[x]:1", "nothing"},
      {"user@a:1", "nothing"},
      {"redis://a:1", "nothing"},
      {"", "nothing"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(shown(parse_address(c.text)) == c.expected);
  }
  CHECK(shown(parse_address(std::string(254, 'a') + ":1")) == "nothing");
  CHECK(shown(parse_address("[fe80::1%" + std::string(254, 'a') + "]:1")) == "nothing");
  CHECK(shown(parse_address(std::string_view("[::\0x]:1", 8))) == "nothing");
}

TEST_CASE("the server that a sentinel names") {
  CHECK(shown(read_named(words({"10.0.0.1", "6379"}))) == "10.0.0.1:6379");
  CHECK(shown(read_named(words({"fd00::1", "6379"}))) == "[fd00::1]:6379");
  CHECK(shown(read_named(words({"redis-0", "6379"}))) == "redis-0:6379");
  for (auto const& wrong :
       {reply{}, reply{.kind = reply::type::status, .text = "OK"}, reply{.kind = reply::type::error, .text = "ERR"},
        words({}), words({"10.0.0.1"}), words({"10.0.0.1", "6379", "x"}), words({"10.0.0.1", "x"}), words({"", "1"}),
        words({"a\r\nb", "1"}), words({"a", "0"}), words({"]:1[", "1"})})
    CHECK(shown(read_named(wrong)) == "nothing");
}

TEST_CASE("an announced switch") {
  struct {
    char const* payload;
    char const* expected;
  } const cases[] = {
      {"main 10.0.0.1 6379 10.0.0.2 6380", "10.0.0.2:6380"},
      {"main fd00::1 1 fd00::2 2", "[fd00::2]:2"},
      {"other 10.0.0.1 6379 10.0.0.2 6380", "nothing"},
      {"mainx 10.0.0.1 6379 10.0.0.2 6380", "nothing"},
      {"main 10.0.0.1 6379 10.0.0.2", "nothing"},
      {"main 10.0.0.1 6379 10.0.0.2 6380 x", "nothing"},
      {"main  10.0.0.1 6379 10.0.0.2 6380", "nothing"},
      {"main", "nothing"},
      {"", "nothing"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.payload);
    CHECK(shown(read_switch(c.payload, "main")) == c.expected);
  }
}
