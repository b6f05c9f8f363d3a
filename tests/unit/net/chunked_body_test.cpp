#include "net/request_body.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>

using svc::errc;
using svc::http::verdict;
using svc::net::chunked_body;

namespace {

constexpr std::size_t body_limit = 64;

struct verdict_of {
  verdict verdict;
  std::optional<errc> code{};
  std::string body{};
  std::size_t passed = 0;
};

/// Feeds `wire` in pieces that end at `first` and then every `step` bytes.
verdict_of decode(std::string_view wire, std::size_t first, std::size_t step) {
  chunked_body decoder(body_limit);
  std::size_t passed = 0;
  std::string body;
  for (auto end = first;; end = std::min(end + step, wire.size())) {
    auto const outcome = decoder.feed(wire.substr(passed, end - passed));
    passed += outcome.passed;
    if (outcome.verdict == verdict::refused) return {outcome.verdict, decoder.refusal().code, {}, passed};
    body += decoder.take();
    if (outcome.verdict == verdict::complete) return {outcome.verdict, {}, body, passed};
    if (end == wire.size()) return {outcome.verdict, {}, {}, passed};
  }
}

struct good_row {
  char const* name;
  std::string wire;
  std::string body;
  std::string behind{};
};

std::string const sixty_four(64, 'y');

good_row const good[] = {
    {"nothing", "0\r\n\r\n", ""},
    {"one chunk", "5\r\nhello\r\n0\r\n\r\n", "hello"},
    {"three chunks", "1\r\na\r\n2\r\nbc\r\nA\r\n0123456789\r\n0\r\n\r\n", "abc0123456789"},
    {"data that looks like chunks", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"},
    {"leading zeros", "0003\r\nabc\r\n000\r\n\r\n", "abc"},
    {"extension", "3;a=b\r\nabc\r\n0;last\r\n\r\n", "abc"},
    {"exactly the limit", "40\r\n" + sixty_four + "\r\n0\r\n\r\n", sixty_four},
    {"the next request follows", "1\r\na\r\n0\r\n\r\n", "a", "GET / HTTP/1.1\r\n"},
};

}  // namespace

TEST_CASE("chunked bodies decode the same however they are cut") {
  for (auto const& each : good) {
    CAPTURE(each.name);
    auto const wire = each.wire + each.behind;
    for (std::size_t first = 1; first <= wire.size(); ++first) {
      for (auto const step : {std::size_t{1}, std::size_t{2}, wire.size()}) {
        CAPTURE(first);
        CAPTURE(step);
        auto const got = decode(wire, first, step);
        CHECK(got.verdict == verdict::complete);
        CHECK(got.body == each.body);
        CHECK(got.passed == each.wire.size());
      }
    }
  }
}

TEST_CASE("an unfinished body asks for more") {
  for (auto const& each : good) {
    CAPTURE(each.name);
    for (std::size_t size = 1; size < each.wire.size(); ++size) {
      CHECK(decode(std::string_view(each.wire).substr(0, size), 1, 1).verdict == verdict::need_more);
    }
  }
}

TEST_CASE("an invalid or too large chunked body is refused however it is cut") {
  struct refused_row {
    char const* name;
    std::string wire;
    errc code;
  };
  for (auto const& each : {
           refused_row{"no size", "\r\n\r\n", errc::malformed_request},
           refused_row{"not hexadecimal", "g\r\n", errc::malformed_request},
           refused_row{"bare LF", "1\na\r\n0\r\n\r\n", errc::malformed_request},
           refused_row{"data too long", "1\r\nab\r\n0\r\n\r\n", errc::malformed_request},
           refused_row{"trailer", "0\r\nAuthorization: x\r\n\r\n", errc::malformed_request},
           refused_row{"over the limit", "41\r\n" + sixty_four + "y\r\n0\r\n\r\n", errc::body_too_large},
           refused_row{"over the limit in sum", "40\r\n" + sixty_four + "\r\n1\r\ny\r\n0\r\n\r\n",
                       errc::body_too_large},
       }) {
    CAPTURE(each.name);
    for (std::size_t first = 1; first <= each.wire.size(); ++first) {
      auto const got = decode(each.wire, first, 1);
      CHECK(got.verdict == verdict::refused);
      CHECK(got.code == each.code);
    }
  }
}
