#include "svc/core/secret.hpp"

#include "svc/core/sealer.hpp"

#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>

// Records what is returned to the heap while a test looks, in order. It takes this binary's own operators, because
// nothing else sees every block.
namespace {

std::array<char, 1UL << 20U> given_back;
std::size_t given_back_size = 0;
bool looking = false;

void give_back(void* block) noexcept {
  if (block == nullptr) return;
  auto const size = malloc_usable_size(block);
  if (looking) {
    auto const seen = std::min(size, given_back.size() - given_back_size);
    std::memcpy(given_back.data() + given_back_size, block, seen);
    given_back_size += seen;
  }
  // Otherwise it would be found again in the next block at this address.
  std::memset(block, 0, size);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) {
  if (void* const block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
  give_back(block);
}
void operator delete(void* block, std::size_t /*size*/) noexcept {
  give_back(block);
}

namespace svc {
namespace {

constexpr std::string_view marker = "marker-that-nothing-else-holds!!";  // 32 bytes, like a key

/// True if `use` left the marker in memory that it returned.
bool leaves_marker(std::function<void()> const& use) {
  given_back_size = 0;
  looking = true;
  use();
  looking = false;
  std::string_view const seen(given_back.data(), given_back_size);
  REQUIRE(given_back_size > 0);
  REQUIRE(given_back_size < given_back.size());
  // Even a part of it is too much.
  return seen.find(marker.substr(8, 16)) != std::string_view::npos;
}

secret_bytes key() {
  return {marker.begin(), marker.end()};
}

TEST_CASE("nothing of a secret remains in memory that was returned") {
  auto const wrapping = sealer(secret_bytes(32, 1));
  auto const wrapped = wrapping.wrap(key(), "place");
  auto const sealed = seal_bytes(secret_bytes(32, 2), std::string(1000, 'x') + std::string(marker), "place");
  struct {
    std::string name;
    std::function<void()> use;
  } const cases[] = {
      {"text that dies", [] { secret_string const box{std::string(marker)}; }},
      {"text that is replaced",
       [] {
         secret_string box{std::string(marker)};
         box = secret_string("other");
       }},
      {"text that moves",
       [] {
         secret_string box{std::string(marker)};
         secret_string const other(std::move(box));
       }},
      {"text that is copied and grows",
       [] {
         std::vector<secret_string> boxes;
         for (int i = 0; i < 20; ++i) boxes.emplace_back(std::string(marker));
       }},
      {"a key that grows",
       [] {
         secret_bytes grown;
         for (int i = 0; i < 4; ++i)
           for (char const c : marker) grown.push_back(static_cast<std::uint8_t>(c));
       }},
      {"a master key", [] { sealer const master(key()); }},
      {"a data key that is opened", [&] { CHECK(wrapping.unwrap(wrapped, "place") == key()); }},
      {"a data key that is wrapped", [&] { static_cast<void>(wrapping.wrap(key(), "place")); }},
      {"a value that is opened", [&] { CHECK(open_bytes(secret_bytes(32, 2), sealed, "place").has_value()); }},
      {"one that does not open", [&] { CHECK(!open_bytes(secret_bytes(32, 2), sealed, "elsewhere")); }},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK_FALSE(leaves_marker(c.use));
  }
  // The test itself detects what is not wiped.
  CHECK(leaves_marker([] { std::string const plain(marker); }));
}

TEST_CASE("short text leaves nothing in its source string") {
  std::string short_one = "short-secret";
  std::string_view const position(short_one.data(), short_one.size());
  secret_string const box(std::move(short_one));
  CHECK(box.reveal() == "short-secret");
  CHECK(std::all_of(position.begin(), position.end(), [](char c) { return c == '\0'; }));
}

}  // namespace
}  // namespace svc
