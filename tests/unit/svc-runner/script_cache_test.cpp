#include "svc-runner/client/script_cache.hpp"

#include <doctest/doctest.h>

using namespace svc::runner;

namespace {

script_text script_of(std::size_t size, char text = 'x') {
  return std::make_shared<std::string const>(size, text);
}

}  // namespace

TEST_CASE("a script is kept by its test and its version") {
  script_cache cache;
  cache.keep({"a", "1"}, script_of(3, '1'));
  cache.keep({"a", "2"}, script_of(3, '2'));
  cache.keep({"a", "1"}, script_of(3, '3'));
  CHECK(*cache.find({"a", "1"}) == "111");
  CHECK(*cache.find({"a", "2"}) == "222");
  CHECK(cache.find({"b", "1"}) == nullptr);
}

TEST_CASE("the longest unused entry is removed first, and no more is kept than there is room for") {
  script_cache cache(3000);
  for (auto const* id : {"a", "b"}) cache.keep({id, "1"}, script_of(1000));
  CHECK(cache.find({"a", "1"}) != nullptr);
  cache.keep({"c", "1"}, script_of(1000));
  CHECK(cache.find({"a", "1"}) != nullptr);
  CHECK(cache.find({"b", "1"}) == nullptr);
  CHECK(cache.find({"c", "1"}) != nullptr);
  cache.keep({"large", "1"}, script_of(3000));
  CHECK(cache.find({"large", "1"}) == nullptr);
  CHECK(cache.find({"a", "1"}) != nullptr);
  for (int i = 0; i < 1000; ++i) {
    cache.keep({std::to_string(i), "1"}, script_of(0));
    CHECK(cache.bytes() <= 3000);
  }
  CHECK(cache.find({"999", "1"}) != nullptr);
  CHECK(cache.find({"0", "1"}) == nullptr);
}
