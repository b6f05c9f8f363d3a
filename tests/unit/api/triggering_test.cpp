#include "api/triggering.hpp"

#include "svc/http/json.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

TEST_CASE("which bodies are the same request") {
  auto const hash = [](char const* text) { return request_hash(http::parse_json(text).value()); };
  CHECK(request_hash(nullptr) == hash("{}"));
  CHECK(hash("{}").size() == 64);
  CHECK(hash(R"({"parameters":{"A":"1","B":"2"},"dedupKey":"d"})") ==
        hash(R"({ "dedupKey" : "\u0064", "parameters" : {"B":"2","A":"1"} })"));
  CHECK(hash(R"({"parameters":{"A":"1"}})") != hash(R"({"parameters":{"A":"2"}})"));
  CHECK(hash(R"({"parameters":{"A":"1"}})") != hash(R"({"parameters":{"A":"1"},"dedupKey":"d"})"));
  CHECK(hash(R"({"parameters":{}})") != hash("{}"));
}

}  // namespace
}  // namespace svc::api
