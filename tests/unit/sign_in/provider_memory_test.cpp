#include "sign_in/oidc/provider_memory.hpp"

#include <doctest/doctest.h>

#include <chrono>

namespace svc::sign_in {
namespace {

TEST_CASE("metadata and keys are remembered for an hour, and an unknown key causes a request once a minute") {
  using namespace std::chrono_literals;
  provider_memory memory;
  auto const begin = steady::time_point(1h);
  CHECK(memory.document(begin) == nullptr);
  CHECK(memory.keys(begin) == nullptr);
  memory.store(discovery_document{.authorization_endpoint = "x"}, begin);
  memory.store(key_set{}, begin);
  CHECK(memory.document(begin + 3599s) != nullptr);
  CHECK(memory.document(begin + 3600s) == nullptr);
  CHECK(memory.keys(begin + 3599s) != nullptr);
  CHECK(memory.keys(begin + 3600s) == nullptr);
  CHECK(memory.may_look_again(begin));
  CHECK_FALSE(memory.may_look_again(begin + 59s));
  CHECK(memory.may_look_again(begin + 60s));
  CHECK_FALSE(memory.may_look_again(begin + 119s));
}

}  // namespace
}  // namespace svc::sign_in
