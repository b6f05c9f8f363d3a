#pragma once

#include <string>
#include <vector>

namespace svc::redis {

/// A stream of a Redis server, and its meaning; `faulty` marks a stream that ends in an error.
struct reply_stream {
  std::string name;
  std::string bytes;
  std::vector<std::string> replies;
  bool faulty = false;
};

inline std::vector<reply_stream> const& reply_streams() {
  using namespace std::string_literals;
  static std::vector<reply_stream> const all{
      {"status", "+OK\r\n", {"+OK"}},
      {"empty status", "+\r\n", {"+"}},
      {"error", "-ERR unknown command 'x'\r\n", {"-ERR unknown command 'x'"}},
      {"no script",
       "-NOSCRIPT No matching script. Please use EVAL.\r\n",
       {"-NOSCRIPT No matching script. Please use EVAL."}},
      {"nil bulk", "$-1\r\n", {"nil"}},
      {"nil array", "*-1\r\n", {"nil"}},
      {"empty bulk", "$0\r\n\r\n", {"''"}},
      {"bulk with line ends and NUL", "$6\r\n\r\n\0+a\n\r\n"s, {"'\r\n\0+a\n'"s}},
      {"bulk beyond the small string",
       "$40\r\n0123456789012345678901234567890123456789\r\n",
       {"'0123456789012345678901234567890123456789'"}},
      {"integers",
       ":0\r\n:-1\r\n:9223372036854775807\r\n:-9223372036854775808\r\n",
       {"0", "-1", "9223372036854775807", "-9223372036854775808"}},
      {"empty array", "*0\r\n", {"[]"}},
      {"array of each kind", "*6\r\n:1\r\n$1\r\na\r\n$-1\r\n+OK\r\n-ERR x\r\n*0\r\n", {"[1 'a' nil +OK -ERR x []]"}},
      {"nested arrays", "*2\r\n*2\r\n:1\r\n*1\r\n$1\r\nx\r\n*1\r\n:2\r\n", {"[[1 ['x']] [2]]"}},
      {"what a handshake gets", "+OK\r\n+OK\r\n+OK\r\n$4\r\nsha1\r\n", {"+OK", "+OK", "+OK", "'sha1'"}},
      {"several in one piece", "+a\r\n:1\r\n*1\r\n$-1\r\n-E\r\n$1\r\nb\r\n", {"+a", "1", "[nil]", "-E", "'b'"}},
      {"unknown type", "+a\r\n?x\r\n", {"+a"}, true},
      {"RESP3 map", "%1\r\n+a\r\n:1\r\n", {}, true},
      {"integer that is none", ":1x\r\n", {}, true},
      {"integer out of range", ":9223372036854775808\r\n", {}, true},
      {"bulk length out of range", "$-2\r\n", {}, true},
      {"array length out of range", "*-2\r\n", {}, true},
      {"array too long", "*1048577\r\n", {}, true},
      {"arrays too deep", "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", {}, true},
      {"http server", "HTTP/1.1 400 Bad Request\r\n\r\n", {}, true},
  };
  return all;
}

}  // namespace svc::redis
