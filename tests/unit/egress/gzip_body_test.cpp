#include "egress/http/gzip_body.hpp"
#include "support/gzip.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::egress {
namespace {

using state = gzip_body::state;

/// Returns the final state of a body in pieces of that size, and the decoded text.
std::pair<state, std::string> decoded(std::string_view encoded, std::size_t most, std::size_t piece) {
  gzip_body body(most);
  std::string out;
  auto last = state::reading;
  while (!encoded.empty() && last == state::reading) {
    last = body.take(encoded.substr(0, piece), out);
    encoded.remove_prefix(std::min(piece, encoded.size()));
  }
  return {last, out};
}

TEST_CASE("one gzip stream is decoded up to the bound, however it is split") {
  std::string text;
  while (text.size() < 100'000) text += std::to_string(text.size());
  auto const whole = test::gzip(text);
  struct {
    std::string name, encoded;
    std::size_t most;
    state wanted;
    std::string plain;
  } const cases[] = {
      {"whole", whole, text.size(), state::reading, text},
      {"one byte more than wanted", whole, text.size() - 1, state::full, text.substr(0, text.size() - 1)},
      {"empty", test::gzip(""), 10, state::reading, ""},
      {"nothing wanted", test::gzip("a"), 0, state::full, ""},
      {"cut", whole.substr(0, 10), 10, state::reading, ""},
      {"no gzip", "not gzip at all", 100, state::broken, ""},
      {"of zlib", std::string("\x78\x9c\x03\x00\x00\x00\x00\x01", 8), 10, state::broken, ""},
      {"two streams", test::gzip("a") + test::gzip("b"), 10, state::broken, ""},
      {"bytes after the end", test::gzip("a") + "b", 10, state::broken, ""},
      {"another checksum", test::gzip("a").replace(13, 1, "x"), 10, state::broken, ""},
  };
  for (auto const& c : cases) {
    for (std::size_t const piece : {1UL, 7UL, 16384UL, 1'000'000UL}) {
      CAPTURE(c.name);
      CAPTURE(piece);
      auto const [last, plain] = decoded(c.encoded, c.most, piece);
      CHECK(last == c.wanted);
      if (last != state::broken) CHECK(plain == c.plain);
    }
  }
}

TEST_CASE("a stream that continues without output is given up") {
  auto const most = gzip_body::most_overhead;
  CHECK(decoded(test::empty_blocks(most / 5 - 10), 1000, 1000).first == state::reading);
  CHECK(decoded(test::empty_blocks(most / 5 + 10), 1000, 1000).first == state::broken);
  // Data that cannot be compressed is stored, and is hardly longer than before.
  std::string noise;
  for (std::uint32_t i = 1; noise.size() < 1'000'000; i = i * 1664525U + 1013904223U)
    noise += static_cast<char>(i >> 24);
  CHECK(decoded(test::gzip(noise), noise.size(), 16384).first == state::reading);
}

}  // namespace
}  // namespace svc::egress
