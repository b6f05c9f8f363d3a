#include "svc/core/sealer.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

namespace svc {
namespace {

secret_bytes key_of(std::uint8_t fill) {
  return secret_bytes(32, fill);
}

TEST_CASE("sealed text opens again, and never looks the same twice") {
  for (std::string const& plain :
       {std::string(), std::string("a"), std::string(100'000, 'x'), std::string("\0\xff", 2)}) {
    auto const sealed = seal_bytes(key_of(1), plain, "place");
    CHECK(sealed.size() == plain.size() + 28);
    auto const opened = open_bytes(key_of(1), sealed, "place");
    REQUIRE(opened);
    CHECK(opened->reveal() == plain);
    CHECK(seal_bytes(key_of(1), plain, "place") != sealed);
  }
}

TEST_CASE("a derived key is that of RFC 5869, and each purpose has its own") {
  // Test case 3: no salt, no info; the first 32 bytes of its output.
  secret_bytes const key(22, 0x0b);
  CHECK(to_hex(derive_key(key, "")) == "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d");
  CHECK(derive_key(key, "a") != derive_key(key, "b"));
  CHECK(sealer(key_of(1)).derived_key("a") == derive_key(key_of(1), "a"));
  CHECK(sealer(key_of(1)).derived_key("a") != sealer(key_of(2)).derived_key("a"));
}

TEST_CASE("with another key, another place or any changed bit nothing opens") {
  auto const sealed = seal_bytes(key_of(1), "secret", "place");
  CHECK_FALSE(open_bytes(key_of(2), sealed, "place"));
  CHECK_FALSE(open_bytes(key_of(1), sealed, "other"));
  CHECK_FALSE(open_bytes(key_of(1), sealed, ""));
  for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
    auto changed = sealed;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ (1U << bit % 8));
    CHECK_FALSE(open_bytes(key_of(1), changed, "place"));
  }
  for (std::size_t length = 0; length < sealed.size(); ++length) {
    CHECK_FALSE(open_bytes(key_of(1), byte_view(sealed).first(length), "place"));
  }
}

// NIST GCM test case 14 of "The Galois/Counter Mode of Operation": key, nonce and plaintext all zero.
TEST_CASE("a published vector opens") {
  auto const sealed = from_hex(
      "000000000000000000000000"
      "cea7403d4d606b6e074ec5d3baf39d18"
      "d0d1c8a799996bf0265b98b5d48ab919");
  auto const opened = open_bytes(key_of(0), *sealed, "");
  REQUIRE(opened);
  CHECK(opened->reveal() == std::string(16, '\0'));
}

TEST_CASE("data keys are wrapped for one place by one master key") {
  sealer const master(key_of(7));
  auto const made = master.make_data_key("project");
  CHECK(made.plain.size() == 32);
  CHECK(master.unwrap(made.wrapped, "project") == made.plain);
  CHECK_FALSE(master.unwrap(made.wrapped, "other"));
  CHECK_FALSE(sealer(key_of(8)).unwrap(made.wrapped, "project"));
  CHECK(master.make_data_key("project").plain != made.plain);
  CHECK(master.id().size() == 16);
  CHECK(master.id() != sealer(key_of(8)).id());
}

TEST_CASE("a key of another size is refused") {
  for (std::size_t size : {0U, 16U, 31U, 33U}) {
    CHECK_THROWS_AS(sealer{secret_bytes(size)}, std::invalid_argument);
    CHECK_THROWS_AS(static_cast<void>(seal_bytes(byte_vector(size), "x", "")), std::invalid_argument);
  }
}

}  // namespace
}  // namespace svc
