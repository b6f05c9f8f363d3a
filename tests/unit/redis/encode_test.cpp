#include "redis/resp.hpp"

#include <doctest/doctest.h>
#include <hiredis/hiredis.h>

#include <memory>
#include <vector>

using namespace svc::redis;
using namespace std::string_literals;
using texts = std::vector<std::string_view>;

TEST_CASE("a command is an array of bulk strings") {
  struct {
    char const* name;
    texts head, keys, arguments;
    std::string expected;
  } const cases[] = {
      {"one word", {"PING"}, {}, {}, "*1\r\n$4\r\nPING\r\n"},
      {"empty argument", {"SET"}, {"k"}, {""}, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n"},
      {"three runs in order",
       {"EVALSHA", "s", "1"},
       {"k"},
       {"a", "b"},
       "*6\r\n$7\r\nEVALSHA\r\n$1\r\ns\r\n$1\r\n1\r\n$1\r\nk\r\n$1\r\na\r\n$1\r\nb\r\n"},
      {"ten bytes have a length of two digits", {"0123456789"}, {}, {}, "*1\r\n$10\r\n0123456789\r\n"},
      {"line ends and NUL are data", {std::string_view("\r\n\0$1", 5)}, {}, {}, "*1\r\n$5\r\n\r\n\0$1\r\n"s},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    std::string out = "before";
    append_command(out, {c.head, c.keys, c.arguments});
    CHECK(out == "before" + c.expected);
  }
}

TEST_CASE("hiredis formats the same bytes") {
  for (std::size_t count = 1; count <= 12; ++count) {
    std::vector<std::string> owned;
    for (std::size_t i = 0; i < count; ++i) owned.emplace_back(i * i * i * 7 % 1999, static_cast<char>(i * 37));
    texts views(owned.begin(), owned.end());
    std::vector<char const*> pointers;
    std::vector<std::size_t> lengths;
    for (auto const& text : owned) {
      pointers.push_back(text.data());
      lengths.push_back(text.size());
    }
    char* theirs = nullptr;
    auto const size = redisFormatCommandArgv(&theirs, static_cast<int>(count), pointers.data(), lengths.data());
    REQUIRE(size > 0);
    std::string const expected(theirs, static_cast<std::size_t>(size));
    redisFreeCommand(theirs);
    std::string ours;
    append_command(ours, {.head = views});
    CHECK(ours == expected);
  }
}
