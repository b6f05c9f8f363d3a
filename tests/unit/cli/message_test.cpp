#include "cli/http/message.hpp"

#include <doctest/doctest.h>

using namespace svc::cli;

TEST_CASE("queries are percent-encoded, and values that are empty are left out") {
  CHECK(target_with_query("/api/jobs", {}) == "/api/jobs");
  CHECK(target_with_query("/api/jobs", {{"search", "a b&c=ü"}, {"status", ""}, {"page", "2"}}) ==
        "/api/jobs?search=a%20b%26c%3D%C3%BC&page=2");
}
