// Our own raw requests against the running service over TLS: whole, cut in two at every byte, after a good request,
// and before one. After each accepted case the connection must serve another request, which shows that both sides see
// the same end.
#include "border/parsers.hpp"
#include "integration/border/border_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace svc::test {
namespace {

/// The cases with a valid token.
raw_cases const& cases() {
  static auto const all = [] {
    auto out = all_raw_cases();
    for (auto& c : out) c.bytes = with_token(std::move(c.bytes), border().token());
    return out;
  }();
  return all;
}

bool unfinished(raw_case const& c) {
  return c.bytes.empty() || play_parsers(c.bytes, 0).ends_with("more");
}

struct cut {
  std::size_t which, position;
};

/// Cases are cut only within this many bytes.
constexpr std::size_t looked_at = 17 * 1024;
/// In the short form a large case is cut at a prime distance.
constexpr std::size_t large = 2048, distance = 509;

/// Cases that wait for a deadline come last, so that they wait together.
std::vector<cut> cuts(std::size_t step, std::size_t first) {
  std::vector<cut> out, waiting;
  std::size_t counted = first;
  for (std::size_t i = 0; i < cases().size(); ++i) {
    auto const size = std::min(cases()[i].bytes.size(), looked_at);
    auto& into = cases()[i].expected.starts_with("408") ? waiting : out;
    for (std::size_t position = 1; position < size; position += step > 1 && size > large ? distance : 1)
      if (counted++ % step == 0) into.push_back({i, position});
  }
  out.insert(out.end(), waiting.begin(), waiting.end());
  return out;
}

}  // namespace

TEST_CASE("raw cases over TLS, whole") {
  play_all("raw cases, whole", cases().size(), 32, [](std::size_t i) {
    auto const& c = cases()[i];
    return expect(c.name, {c.bytes}, c.expected);
  });
}

TEST_CASE("raw cases over TLS, after a good request: exactly one more answer") {
  play_all("raw cases, after a good request", cases().size(), 32, [](std::size_t i) {
    auto const& c = cases()[i];
    return expect(c.name, {get("") + c.bytes}, "200 " + c.expected);
  });
}

TEST_CASE("raw cases over TLS, before a good request: it is answered only when the connection stays open") {
  raw_cases chosen;
  for (auto const& c : cases())
    if (!unfinished(c)) chosen.push_back(c);
  play_all("raw cases, in front of a good request", chosen.size(), 32, [&](std::size_t i) {
    auto const& c = chosen[i];
    return expect(c.name, {c.bytes + get("")}, c.expected + (c.expected.ends_with("close") ? "" : " 200"));
  });
}

TEST_CASE("raw cases over TLS, in two writes") {
  auto const step = static_cast<std::size_t>(long_form("TEST_BORDER_STEP", 7));
  auto const first = static_cast<std::size_t>(std::time(nullptr)) % step;
  auto const chosen = cuts(step, first);
  std::printf("cut at one byte in %zu, another one each second (TEST_BORDER_STEP=1: at every byte)\n", step);
  play_all("raw cases, in two writes", chosen.size(), 128, [&](std::size_t i) {
    auto const& c = cases()[chosen[i].which];
    auto const position = chosen[i].position;
    return expect(c.name + ", cut at " + std::to_string(position),
                  {c.bytes.substr(0, position), c.bytes.substr(position)}, c.expected);
  });
}

}  // namespace svc::test
