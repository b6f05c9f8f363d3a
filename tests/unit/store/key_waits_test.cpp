#include "store/runs/key_waits.hpp"

#include <doctest/doctest.h>

#include <string>

using svc::uuid;
using svc::store::key_waits;

namespace {

uuid number(std::uint8_t n) {
  uuid out;
  out.bytes[15] = n;
  return out;
}

}  // namespace

TEST_CASE(
    "the number of triggers that wait with one key is limited by its kind, and leaving makes room for the next") {
  struct {
    key_waits::kind which;
    std::size_t most;
  } const cases[] = {{key_waits::kind::idempotency, 8}, {key_waits::kind::dedup, 64}};
  for (auto const& c : cases) {
    CAPTURE(c.most);
    key_waits waits;
    key_waits::owner const owner{number(1), number(2)};
    for (std::size_t i = 0; i < c.most; ++i) CHECK(waits.enter(owner, c.which, "k"));
    CHECK_FALSE(waits.enter(owner, c.which, "k"));
    CHECK_FALSE(waits.enter(owner, c.which, "k"));
    waits.leave(owner, c.which, "k");
    CHECK(waits.enter(owner, c.which, "k"));
    CHECK_FALSE(waits.enter(owner, c.which, "k"));
    for (std::size_t i = 0; i < c.most; ++i) waits.leave(owner, c.which, "k");
    CHECK(waits.keys() == 0);
  }
}

TEST_CASE("only triggers of the same project, job, kind and key count together, and no key is never full") {
  key_waits waits;
  key_waits::owner const owner{number(1), number(2)};
  for (std::size_t i = 0; i < key_waits::most_idempotency; ++i)
    REQUIRE(waits.enter(owner, key_waits::kind::idempotency, "k"));
  struct {
    char const* name;
    key_waits::owner owner;
    key_waits::kind which;
    std::string key;
    bool enters;
  } const cases[] = {
      {"the same", owner, key_waits::kind::idempotency, "k", false},
      {"another key", owner, key_waits::kind::idempotency, "l", true},
      {"another kind", owner, key_waits::kind::dedup, "k", true},
      {"another job", {number(1), number(3)}, key_waits::kind::idempotency, "k", true},
      {"another project", {number(4), number(2)}, key_waits::kind::idempotency, "k", true},
      {"no key", owner, key_waits::kind::idempotency, "", true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(waits.enter(c.owner, c.which, c.key) == c.enters);
  }
  for (int i = 0; i < 100; ++i) CHECK(waits.enter(owner, key_waits::kind::dedup, ""));
  CHECK(waits.keys() == 5);
}
