#include "api/conditional_request.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace svc::api {
namespace {

using fields = std::vector<http::field>;

http::request head_of(std::string_view method, fields fields) {
  return {.method = method, .target = "/", .fields = std::move(fields)};
}

TEST_CASE("conditions of a change: which of the versions 1, 2 and 3 may be changed") {
  struct {
    char const* name;
    fields fields;
    std::string allowed;
  } const cases[] = {
      {"none", {}, "123"},
      {"one", {{"If-Match", "\"2-ab\""}}, "2"},
      {"any", {{"If-Match", "*"}}, "123"},
      {"two fields", {{"If-Match", "\"1-ab\""}, {"if-match", "\"3-cd\""}}, "13"},
      {"a weak one", {{"If-Match", "W/\"2-ab\""}}, ""},
      {"no tag of ours", {{"If-Match", "\"x\", \"2x-ab\", \"\""}}, ""},
      {"not one", {{"If-None-Match", "\"2-ab\""}}, "13"},
      {"not a weak one", {{"If-None-Match", "W/\"2-ab\""}}, "13"},
      {"not any", {{"If-None-Match", "*"}}, ""},
      {"not any, but one", {{"If-None-Match", "*"}, {"If-Match", "\"2-ab\""}}, ""},
      {"none of ours", {{"If-None-Match", "\"x\""}}, "123"},
      {"one and not it", {{"If-Match", "\"1-a\", \"2-a\""}, {"If-None-Match", "\"2-ab\""}}, "1"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const head = head_of("PATCH", c.fields);
    CHECK(check_conditions(head).has_value());
    std::string allowed;
    for (int version = 1; version <= 3; ++version)
      if (asked_versions(head).allows(version)) allowed += std::to_string(version);
    CHECK(allowed == c.allowed);
  }
}

TEST_CASE("conditions that cannot be read") {
  struct {
    std::string_view method, name;
    bool fine;
  } const cases[] = {{"PATCH", "If-Match", false},       {"PATCH", "If-None-Match", false},
                     {"DELETE", "If-None-Match", false}, {"POST", "If-Match", false},
                     {"GET", "If-Match", false},         {"GET", "If-None-Match", true},
                     {"HEAD", "If-None-Match", true}};
  for (auto const& c : cases) {
    CAPTURE(c.method);
    CAPTURE(c.name);
    auto const checked = check_conditions(head_of(c.method, {{c.name, "garbage"}}));
    CHECK(checked.has_value() == c.fine);
    if (!c.fine) CHECK(checked.error().code == errc::malformed_request);
  }
}

TEST_CASE("conditions of a GET: If-Match first, by all of the tag") {
  struct {
    char const* name;
    fields fields;
    bool matches, not_modified;
  } const cases[] = {
      {"none", {}, true, false},
      {"it", {{"If-Match", "\"2-ab\""}}, true, false},
      {"its encoded form", {{"If-Match", "\"2-ab-gzip\""}}, true, false},
      {"one of a list", {{"If-Match", "\"1-ab\", \"2-ab\""}}, true, false},
      {"any", {{"If-Match", "*"}}, true, false},
      {"a weak one", {{"If-Match", "W/\"2-ab\""}}, false, false},
      {"its version, otherwise changed", {{"If-Match", "\"2-cd\""}}, false, false},
      {"known", {{"If-None-Match", "W/\"2-ab\""}}, true, true},
      {"any known", {{"If-None-Match", "*"}}, true, true},
      {"another known", {{"If-None-Match", "\"2-cd\""}}, true, false},
      {"unreadable", {{"If-None-Match", "2-ab"}}, true, false},
      {"another, and known", {{"If-Match", "\"1-ab\""}, {"If-None-Match", "\"2-ab\""}}, false, true},
  };
  http::response shown;
  shown.set("ETag", "\"2-ab\"");
  for (auto const& c : cases) {
    CAPTURE(c.name);
    for (std::string_view const method : {"GET", "HEAD"}) {
      CHECK(matches(head_of(method, c.fields), shown) == c.matches);
      CHECK(not_modified(head_of(method, c.fields), shown) == c.not_modified);
    }
    // A change was decided where it was made; an error, or an answer without a tag, is unchanged.
    http::response failed = shown, untagged;
    failed.status = 404;
    CHECK(matches(head_of("PATCH", c.fields), shown));
    CHECK(matches(head_of("GET", c.fields), failed));
    CHECK(matches(head_of("GET", c.fields), untagged));
    CHECK_FALSE(not_modified(head_of("PATCH", c.fields), shown));
    CHECK_FALSE(not_modified(head_of("GET", c.fields), failed));
    CHECK_FALSE(not_modified(head_of("GET", c.fields), untagged));
  }
}

}  // namespace
}  // namespace svc::api
