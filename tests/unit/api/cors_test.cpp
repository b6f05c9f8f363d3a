#include "api/replies.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace svc;

namespace {

std::string field_of(http::response const& r, std::string_view name) {
  auto const iterator =
      std::find_if(r.fields.begin(), r.fields.end(), [name](auto const& f) { return f.first == name; });
  return iterator == r.fields.end() ? "" : iterator->second;
}

std::vector<std::string> const allowed{"https://a.example", "https://b.example:8443"};

}  // namespace

TEST_CASE("only configured origins may read") {
  struct {
    char const* name;
    std::vector<std::string> origins;
    std::vector<std::string_view> asking;
    std::string granted, vary;
  } const cases[] = {
      {"nobody configured", {}, {"https://a.example"}, "", ""},
      {"no origin", allowed, {}, "", "Origin"},
      {"the first", allowed, {"https://a.example"}, "https://a.example", "Origin"},
      {"the other, with its port", allowed, {"https://b.example:8443"}, "https://b.example:8443", "Origin"},
      {"another port", allowed, {"https://b.example"}, "", "Origin"},
      {"another scheme", allowed, {"http://a.example"}, "", "Origin"},
      {"one that begins alike", allowed, {"https://a.example.evil.example"}, "", "Origin"},
      {"in capitals", allowed, {"HTTPS://A.EXAMPLE"}, "", "Origin"},
      {"null", allowed, {"null"}, "", "Origin"},
      {"two fields", allowed, {"https://a.example", "https://a.example"}, "", "Origin"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    http::request head;
    for (auto const origin : c.asking) head.fields.push_back({"origin", origin});
    http::response out;
    api::set_cors_fields(head, c.origins, out);
    CHECK(field_of(out, "Access-Control-Allow-Origin") == c.granted);
    CHECK(field_of(out, "Vary") == c.vary);
    CHECK(field_of(out, "Access-Control-Expose-Headers").empty() == c.granted.empty());
    CHECK(field_of(out, "Access-Control-Allow-Credentials").empty());

    api::set_preflight_fields(head, c.origins, "GET, POST", out);
    CHECK(field_of(out, "Access-Control-Allow-Methods").empty());
    head.fields.push_back({"access-control-request-method", "POST"});
    api::set_preflight_fields(head, c.origins, "GET, POST", out);
    CHECK(field_of(out, "Access-Control-Allow-Methods") == (c.granted.empty() ? "" : "GET, POST"));
    CHECK(field_of(out, "Access-Control-Max-Age").empty() == c.granted.empty());
  }
}

TEST_CASE("an existing Vary is kept") {
  http::response out;
  out.set("Vary", "Accept");
  api::set_cors_fields({}, allowed, out);
  CHECK(field_of(out, "Vary") == "Accept, Origin");
}
