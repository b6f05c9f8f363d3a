#include "svc/http/chunk_guard.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace svc;
using namespace svc::http;

namespace {

constexpr std::uint64_t limit = 100;

struct seen {
  verdict verdict;
  std::size_t passed;
  error failure;
};

seen feed_in_two(std::string const& bytes, std::size_t cut, std::uint64_t max_body) {
  chunk_guard guard(max_body);
  auto const first = guard.feed(std::string_view(bytes).substr(0, cut));
  if (first.verdict != verdict::need_more) return {first.verdict, first.passed, guard.refusal()};
  auto const second = guard.feed(std::string_view(bytes).substr(first.passed));
  return {second.verdict, first.passed + second.passed, guard.refusal()};
}

void check(std::string const& bytes, verdict verdict, std::size_t passed, errc code = {},
           std::uint64_t max_body = limit) {
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    auto const got = feed_in_two(bytes, cut, max_body);
    REQUIRE(got.verdict == verdict);
    REQUIRE(got.passed == passed);
    if (verdict == verdict::refused) REQUIRE(got.failure.code == code);
  }
}

}  // namespace

TEST_CASE("chunk guard: bodies that pass") {
  struct {
    std::string name;
    std::string bytes;
    std::size_t behind = 0;  ///< bytes of the next message
  } const cases[] = {
      {"empty", "0\r\n\r\n"},
      {"empty with several zeros", "000\r\n\r\n"},
      {"one chunk", "5\r\nhello\r\n0\r\n\r\n"},
      {"two chunks", "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"},
      {"upper and lower case", "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n"},
      {"16 digits", "0000000000000001\r\nx\r\n0\r\n\r\n"},
      {"data that looks like framing", "5\r\n\r\n0\r\n\r\n0\r\n\r\n"},
      {"next request after it", "0\r\n\r\nGET / HTTP/1.1\r\n", 16},
      {"extension", "1;a\r\nx\r\n0\r\n\r\n"},
      {"extensions", "1;a=b;c=\"d \\\" e;\";f\r\nx\r\n0;g=h\r\n\r\n"},
      {"empty quoted value", "1;a=\"\"\r\nx\r\n0\r\n\r\n"},
      {"line of 256", "1;" + std::string(254, 'a') + "\r\nx\r\n0\r\n\r\n"},
      {"as large as allowed", "64\r\n" + std::string(100, 'x') + "\r\n0\r\n\r\n"},
  };
  for (auto const& c : cases) {
    INFO(c.name);
    check(c.bytes, verdict::complete, c.bytes.size() - c.behind);
  }
}

TEST_CASE("chunk guard: bodies that are refused at one byte") {
  struct {
    std::string name;
    std::string passed;  ///< what may pass on
    std::string refused;
    errc code = errc::malformed_request;
  } const cases[] = {
      {"no size", "", "\r\n"},
      {"leading space", "", " 5\r\n"},
      {"plus", "", "+5\r\n"},
      {"minus", "", "-5\r\n"},
      {"0x", "0", "x5\r\n"},
      {"underscore", "1", "_0\r\n"},
      {"trailing space", "5", " \r\nhello"},
      {"trailing tab", "5", "\t\r\nhello"},
      {"17 digits", "FFFFFFFFFFFFFFFF", "0\r\n"},
      {"beyond 64 bits is too large, not wrapped", "FFFFFFFFFFFFFFFF\r", "\n", errc::body_too_large},
      {"bare LF after the size", "5", "\nhello"},
      {"bare CR after the size", "5\r", "hello"},
      {"bare semicolon", "5;", "\r\nhello"},
      {"foreign character in a name", "5;bad", "[=x\r\n"},
      {"value without a name", "5;", "=x\r\n"},
      {"no value", "5;a=", "\r\n"},
      {"space in an extension", "5;", " a=b\r\n"},
      {"LF in an extension", "5;a", "\nhello"},
      {"CR in a quoted value", "5;a=\"", "\r\n"},
      {"NUL in a quoted value", "5;a=\"", std::string("\0\"", 2)},
      {"control after a backslash", "5;a=\"\\", "\n\"\r\n"},
      {"text after a quoted value", "5;a=\"b\"", "c\r\n"},
      {"line of 257", "1;" + std::string(254, 'a'), "a\r\n"},
      {"data too long", "5\r\nhello", "!\r\n"},
      {"data ended by LF", "5\r\nhello", "\n0\r\n\r\n"},
      {"data ended by CR", "5\r\nhello\r", "0\r\n\r\n"},
      {"no CRLF after the data", "5\r\nhello", "0\r\n\r\n"},
      {"trailer", "0\r\n", "Authorization: x\r\n\r\n"},
      {"LF at the end", "0\r\n", "\n"},
      {"CR at the end", "0\r\n\r", "x"},
      {"one byte too many, announced", "65\r", "\n", errc::body_too_large},
      {"one byte too many in the second chunk", "64\r\n" + std::string(100, 'x') + "\r\n1\r", "\n",
       errc::body_too_large},
  };
  for (auto const& c : cases) {
    INFO(c.name);
    check(c.passed + c.refused, verdict::refused, c.passed.size(), c.code);
  }
}

TEST_CASE("chunk guard: extensions are bounded over the whole body") {
  // Each chunk line has 252 bytes of extension after the semicolon: 16 lines are 4032 of 4096, including the CR.
  std::string body;
  for (int i = 0; i < 16; ++i) body += "1;" + std::string(251, 'e') + "\r\nx\r\n";
  CHECK(feed_in_two(body, 0, limit).verdict == verdict::need_more);
  auto const exact = body + "1;" + std::string(63, 'e') + "\r\nx\r\n0\r\n\r\n";
  CHECK(feed_in_two(exact, 0, limit).verdict == verdict::complete);
  auto const more = body + "1;" + std::string(64, 'e') + "\r\nx\r\n0\r\n\r\n";
  CHECK(feed_in_two(more, 0, limit).verdict == verdict::refused);
  CHECK(feed_in_two(more, 0, limit).failure.code == errc::malformed_request);
}

TEST_CASE("chunk guard: a limit of zero accepts only an empty body") {
  check("0\r\n\r\n", verdict::complete, 5, {}, 0);
  check("1\r\nx\r\n0\r\n\r\n", verdict::refused, 2, errc::body_too_large, 0);
}

TEST_CASE("chunk guard: every prefix needs more and passes completely") {
  std::string const bytes = "5;a=\"b\"\r\nhello\r\n0\r\n\r\n";
  for (std::size_t size = 0; size < bytes.size(); ++size) check(bytes.substr(0, size), verdict::need_more, size);
}

TEST_CASE("chunk guard: a verdict is final, nothing more passes") {
  chunk_guard done(limit);
  REQUIRE(done.feed("0\r\n\r\n").verdict == verdict::complete);
  CHECK(done.feed("0\r\n\r\n").passed == 0);
  chunk_guard refused(limit);
  REQUIRE(refused.feed("x").verdict == verdict::refused);
  CHECK(refused.feed("0\r\n\r\n").verdict == verdict::refused);
  CHECK(refused.feed("0\r\n\r\n").passed == 0);
}
