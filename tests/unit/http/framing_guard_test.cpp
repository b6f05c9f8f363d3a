#include "svc/http/framing_guard.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc;
using namespace svc::http;

namespace {

/// Returns the visible state of a guard as one comparable value.
std::string describe(framing_guard const& guard, verdict verdict) {
  if (verdict == verdict::need_more) return "more";
  if (verdict == verdict::refused) {
    auto const failure = guard.refusal();
    return "refused " + std::to_string(static_cast<int>(failure.code)) + " " + failure.message;
  }
  auto const& h = guard.head();
  return "complete " + std::to_string(h.begin) + " " + std::to_string(h.size) + " 1." +
         std::to_string(h.version_minor) + " framing " + std::to_string(static_cast<int>(h.framing)) + " length " +
         std::to_string(h.content_length) + (h.keep_alive ? " keep" : "") + (h.expect_continue ? " expect" : "") +
         (h.upgrade ? " upgrade" : "");
}

std::string whole(std::string const& bytes) {
  framing_guard guard;
  auto const verdict = guard.feed(bytes);
  return describe(guard, verdict);
}

/// Feeds up to each cut, then to the end; the buffer moves in between, as in a session.
void check_every_cut(std::string const& bytes, std::string const& expected) {
  framing_guard guard;
  std::size_t const step = bytes.size() > 2000 ? bytes.size() / 97 : 1;
  for (std::size_t cut = 0; cut <= bytes.size(); cut += step) {
    guard.reset();
    std::string const first = bytes.substr(0, cut);
    guard.feed(first);
    REQUIRE(describe(guard, guard.feed(bytes)) == expected);
  }
  guard.reset();
  auto verdict = verdict::need_more;
  for (std::size_t size = 1; size <= bytes.size(); ++size)
    verdict = guard.feed(std::string_view(bytes).substr(0, size));
  REQUIRE(describe(guard, verdict) == expected);
}

std::string get(std::string const& fields) {
  return "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
}
std::string repeated(std::size_t count, std::string const& text) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}
std::string head_of(std::size_t size) {
  auto const frame = get("X: \r\n").size();
  return get("X: " + std::string(size - frame, 'v') + "\r\n");
}

}  // namespace

TEST_CASE("framing guard: heads that pass") {
  struct {
    std::string name;
    std::string bytes;
    std::string expected;
  } const cases[] = {
      {"plain", get(""), "complete 0 27 1.1 framing 0 length 0 keep"},
      {"one empty line in front", "\r\n" + get(""), "complete 2 29 1.1 framing 0 length 0 keep"},
      {"bytes after the head are not looked at", get("") + "\x01\n\r", "complete 0 27 1.1 framing 0 length 0 keep"},
      {"1.0 closes", "GET / HTTP/1.0\r\n\r\n", "complete 0 18 1.0 framing 0 length 0"},
      {"1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
       "complete 0 42 1.0 framing 0 length 0 keep"},
      {"close", get("Connection: close\r\n"), "complete 0 46 1.1 framing 0 length 0"},
      {"close in a list", get("Connection: x ,CLOSE\r\n"), "complete 0 49 1.1 framing 0 length 0"},
      {"close in a second field", get("Connection: keep-alive\r\nConnection: close\r\n"),
       "complete 0 70 1.1 framing 0 length 0"},
      {"length", get("Content-Length: 5\r\n"), "complete 0 46 1.1 framing 1 length 5 keep"},
      {"length 0", get("content-length:0\r\n"), "complete 0 45 1.1 framing 1 length 0 keep"},
      {"18 digits", get("Content-Length: 999999999999999999\r\n"),
       "complete 0 63 1.1 framing 1 length 999999999999999999 keep"},
      {"chunked", get("Transfer-Encoding:\tChunked \t\r\n"), "complete 0 57 1.1 framing 2 length 0 keep"},
      {"expect", get("Expect: 100-Continue\r\nContent-Length: 1\r\n"),
       "complete 0 68 1.1 framing 1 length 1 keep expect"},
      {"expect without a body", get("Expect: 100-continue\r\n"), "complete 0 49 1.1 framing 0 length 0 keep"},
      {"expect on 1.0 is ignored", "GET / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n",
       "complete 0 59 1.0 framing 1 length 1"},
      {"upgrade", get("Upgrade: websocket\r\nConnection: upgrade\r\n"),
       "complete 0 68 1.1 framing 0 length 0 keep upgrade"},
      {"upgrade without its option", get("Upgrade: websocket\r\n"), "complete 0 47 1.1 framing 0 length 0 keep"},
      {"options *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "complete 0 31 1.1 framing 0 length 0 keep"},
      {"absolute", "GET HTTP://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "complete 0 35 1.1 framing 0 length 0 keep"},
      {"unknown method", "a-b!c / HTTP/1.1\r\nHost: a\r\n\r\n", "complete 0 29 1.1 framing 0 length 0 keep"},
      {"host with a port", "GET / HTTP/1.1\r\nHost: a.b-c_d~e:65535\r\n\r\n",
       "complete 0 41 1.1 framing 0 length 0 keep"},
      {"host with an empty port", "GET / HTTP/1.1\r\nHost: a:\r\n\r\n", "complete 0 28 1.1 framing 0 length 0 keep"},
      {"IPv6 host", "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "complete 0 34 1.1 framing 0 length 0 keep"},
      {"empty value, obs-text", get("A:\r\nB: \t \r\nC: \x80\xFF\r\n"), "complete 0 45 1.1 framing 0 length 0 keep"},
  };
  for (auto const& c : cases) {
    INFO(c.name);
    CHECK(whole(c.bytes) == c.expected);
    check_every_cut(c.bytes, c.expected);
  }
}

TEST_CASE("framing guard: heads that are refused") {
  struct {
    std::string name;
    std::string bytes;
    errc expected = errc::malformed_request;
  } const cases[] = {
      {"two empty lines in front", "\r\n\r\n" + get("")},
      {"LF in front", "\n" + get("")},
      {"CR in front", "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"space in front", " " + get("")},
      {"TLS", "\x16\x03\x01"},
      {"method with a foreign character", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"tab after the method", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"two spaces after the target", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"no target", "GET HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"HTTP/0.9", "GET /\r\n"},
      {"byte above ASCII in the target", "GET /\xC3\xA4 HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"NUL in the target", std::string("GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", 28)},
      {"lower-case version", "GET / http/1.1\r\nHost: a\r\n\r\n"},
      {"no minor version", "GET / HTTP/1\r\nHost: a\r\n\r\n"},
      {"two digits", "GET / HTTP/1.10\r\nHost: a\r\n\r\n"},
      {"leading zeros", "GET / HTTP/01.1\r\nHost: a\r\n\r\n"},
      {"space after the version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n"},
      {"LF after the version", "GET / HTTP/1.1\nHost: a\r\n\r\n"},
      {"CR after the version", "GET / HTTP/1.1\rHost: a\r\n\r\n"},
      {"GET *", "GET * HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"OPTIONS **", "OPTIONS ** HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"authority form", "GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"foreign scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"white space before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n"},
      {"obs-fold", get("A: b\r\n c\r\n")},
      {"obs-fold with a tab", get("A: b\r\n\tc\r\n")},
      {"space before the colon", get("A : b\r\n")},
      {"no name", get(": b\r\n")},
      {"no colon", get("A\r\n")},
      {"foreign character in a name", get("A[: b\r\n")},
      {"byte above ASCII in a name", get("\xC3\xA4: b\r\n")},
      {"bare LF after a value", get("A: b\nC: d\r\n")},
      {"bare CR in a value", get("A: b\rC: d\r\n")},
      {"NUL in a value", get(std::string("A: \0\r\n", 6))},
      {"DEL in a value", get("A: \x7F\r\n")},
      {"bare LF at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n"},
      {"bare CR at the end", "GET / HTTP/1.1\r\nHost: a\r\n\rX"},
      {"no host", "GET / HTTP/1.1\r\n\r\n"},
      {"two hosts", get("Host: a\r\n")},
      {"two hosts on 1.0", "GET / HTTP/1.0\r\nHost: a\r\nhost: a\r\n\r\n"},
      {"empty host", "GET / HTTP/1.1\r\nHost: \r\n\r\n"},
      {"host with user", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"},
      {"host with path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"},
      {"host list", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"},
      {"port too large", "GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n"},
      {"port with a letter", "GET / HTTP/1.1\r\nHost: a:8o\r\n\r\n"},
      {"open bracket", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"},
      {"text after the bracket", "GET / HTTP/1.1\r\nHost: [::1]a\r\n\r\n"},
      {"two lengths", get("Content-Length: 5\r\nContent-Length: 5\r\n")},
      {"length list", get("Content-Length: 5, 5\r\n")},
      {"empty length", get("Content-Length: \r\n")},
      {"signed length", get("Content-Length: +5\r\n")},
      {"leading zero", get("Content-Length: 05\r\n")},
      {"two zeros", get("Content-Length: 00\r\n")},
      {"underscore for a dash", get("Content_Length: 5\r\n")},
      {"underscore for a dash in the coding", get("TRANSFER_ENCODING: chunked\r\n")},
      {"hex length", get("Content-Length: 0x5\r\n")},
      {"19 digits", get("Content-Length: 1000000000000000000\r\n")},
      {"length and chunked", get("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")},
      {"chunked and length", get("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")},
      {"unknown coding and length", get("Transfer-Encoding: gzip\r\nContent-Length: 5\r\n")},
      {"chunked on 1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
      {"chunked twice", get("Transfer-Encoding: chunked, chunked\r\n")},
      {"two codings fields", get("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
      {"chunked not last", get("Transfer-Encoding: chunked, gzip\r\n")},
      {"empty coding", get("Transfer-Encoding:\r\n")},
      {"empty element", get("Transfer-Encoding: ,chunked\r\n")},
      {"quoted chunked", get("Transfer-Encoding: \"chunked\"\r\n")},
      {"other expectation", get("Expect: 200-ok\r\n")},
      {"unknown coding", get("Transfer-Encoding: xchunked\r\n"), errc::not_implemented},
      {"coding before chunked", get("Transfer-Encoding: gzip, chunked\r\n"), errc::not_implemented},
      {"CONNECT", "CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", errc::not_implemented},
      {"HTTP/1.2", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", errc::version_not_supported},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", errc::version_not_supported},
      {"HTTP/0.9 spelt out", "GET / HTTP/0.9\r\n\r\n", errc::version_not_supported},
  };
  for (auto const& c : cases) {
    INFO(c.name);
    framing_guard guard;
    REQUIRE(guard.feed(c.bytes) == verdict::refused);
    CHECK(guard.refusal().code == c.expected);
    CHECK_FALSE(guard.refusal().message.empty());
    check_every_cut(c.bytes, describe(guard, verdict::refused));
  }
}

TEST_CASE("framing guard: boundaries") {
  auto const target_of = [](std::size_t size) {
    return "GET /" + std::string(size - 1, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n";
  };
  auto const method_of = [](std::size_t size) { return std::string(size, 'M') + " / HTTP/1.1\r\nHost: a\r\n\r\n"; };
  auto const fields_of = [](std::size_t count) { return get(repeated(count - 1, "A: b\r\n")); };
  struct {
    std::string name;
    std::string bytes;
    errc expected{};
    bool passes = true;
  } const cases[] = {
      {"method of 32", method_of(32)},
      {"method of 33", method_of(33), errc::malformed_request, false},
      {"target of 8191", target_of(8191)},
      {"target of 8192", target_of(8192)},
      {"target of 8193", target_of(8193), errc::target_too_long, false},
      {"99 fields", fields_of(99)},
      {"100 fields", fields_of(100)},
      {"101 fields", fields_of(101), errc::head_too_large, false},
      {"head of 16383", head_of(16383)},
      {"head of 16384", head_of(16384)},
      {"head of 16385", head_of(16385), errc::head_too_large, false},
      {"endless name", get(std::string(20000, 'n')), errc::head_too_large, false},
  };
  for (auto const& c : cases) {
    INFO(c.name);
    framing_guard guard;
    auto const verdict = guard.feed(c.bytes);
    CHECK(verdict == (c.passes ? verdict::complete : verdict::refused));
    if (c.passes) {
      CHECK(guard.head().size == c.bytes.size());
    } else {
      CHECK(guard.refusal().code == c.expected);
    }
    check_every_cut(c.bytes, describe(guard, verdict));
  }
  CHECK(head_of(16384).size() == 16384);
}

TEST_CASE("framing guard: every prefix of a good head needs more") {
  std::string const bytes = "\r\nPOST /a?b HTTP/1.1\r\nHost: a\r\nA: \tb c \r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK(whole(bytes.substr(0, size)) == "more");
}

TEST_CASE("framing guard: fills the request, and again after reset") {
  framing_guard guard;
  request head;
  for (int round = 0; round < 2; ++round) {
    std::string const bytes =
        "\r\nPOST /a?b HTTP/1.1\r\nHost: a\r\nA: \tb c \t\r\nB:\r\nContent-Length: 3\r\n\r\nabc";
    REQUIRE(guard.feed(bytes) == verdict::complete);
    guard.fill(head, bytes);
    CHECK(head.method == "POST");
    CHECK(head.target == "/a?b");
    CHECK(head.version_minor == 1);
    CHECK(head.has_body);
    REQUIRE(head.fields.size() == 4);
    CHECK(head.find("a") == "b c");
    CHECK(head.find("b") == "");
    CHECK(head.find("HOST") == "a");
    CHECK_FALSE(head.find("hos"));
    guard.reset();
    std::string const next = "GET / HTTP/1.0\r\n\r\n";
    REQUIRE(guard.feed(next) == verdict::complete);
    guard.fill(head, next);
    CHECK(head.fields.empty());
    CHECK_FALSE(head.has_body);
    CHECK(head.version_minor == 0);
    CHECK_FALSE(guard.head().keep_alive);
    guard.reset();
  }
}

TEST_CASE("framing guard: a verdict is final whatever follows") {
  framing_guard guard;
  REQUIRE(guard.feed("GET /\t") == verdict::refused);
  CHECK(guard.feed(get("")) == verdict::refused);
}
