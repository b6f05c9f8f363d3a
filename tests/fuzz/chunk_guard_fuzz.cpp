// Two bytes choose a cut, the rest is a chunked body: the verdict and the bytes that pass do not depend on the cut,
// and a simple reader finds the same end and size in what passed.
#include "check.hpp"
#include "svc/http/chunk_guard.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace svc::http;

namespace {

constexpr std::uint64_t limit = 1000;

/// Reads checked bytes in the simplest way; returns the length of the body.
std::uint64_t read_plainly(std::string_view bytes) {
  std::uint64_t body = 0;
  for (;;) {
    auto const end = bytes.find("\r\n");
    check(end != std::string_view::npos && end <= chunk_guard::max_line, "a chunk line ends in time");
    auto const size = std::strtoull(std::string(bytes.substr(0, end)).c_str(), nullptr, 16);
    bytes.remove_prefix(end + 2);
    check(size + 2 <= bytes.size() && bytes.substr(size, 2) == "\r\n", "data and its CRLF are there");
    bytes.remove_prefix(size + 2);
    body += size;
    if (size != 0) continue;
    check(bytes.empty(), "nothing passed after the last chunk");
    return body;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  auto const bytes = text_of(data + 2, size - 2);
  auto const cut = (std::size_t{data[0]} * 256 + data[1]) % (bytes.size() + 1);

  chunk_guard whole(limit);
  auto const expected = whole.feed(bytes);
  chunk_guard split(limit);
  auto const first = split.feed(bytes.substr(0, cut));
  check(first.verdict != verdict::need_more || first.passed == cut, "what wants more takes all");
  auto const second = split.feed(bytes.substr(first.passed));
  check(second.verdict == expected.verdict, "split and whole agree");
  check(first.passed + second.passed == expected.passed, "split and whole pass the same");
  check(whole.refusal().code == split.refusal().code, "split and whole refuse alike");
  check(expected.passed <= bytes.size(), "no more passes than came");
  if (expected.verdict == verdict::complete) {
    check(read_plainly(bytes.substr(0, expected.passed)) <= limit, "the body keeps its limit");
  }
  return 0;
}
