#include "api/resources.hpp"

#include "api/conditional_request.hpp"
#include "api/replies.hpp"
#include "svc/domain/display_text.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

using namespace svc;

namespace {

store::stored_token sample() {
  store::stored_token t;
  t.id = *uuid::parse("01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70");
  t.created_by = *uuid::parse("01934f2e-0000-7d3e-9b1f-5a2c8e4d6f70");
  t.created_by_name = "Ada";
  t.name = "ci";
  t.start = "svc_live_Ab3d...";
  t.created_at = t.updated_at = *parse_rfc3339("2026-11-20T10:11:12.345Z");
  return t;
}

}  // namespace

TEST_CASE("a token's fields: expiresAt omitted without one, last use null until there is one") {
  store::stored_token token = sample();
  CHECK(boost::json::serialize(test::shown(api::token_json, token)) ==
        R"({"id":"01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70","name":"ci","start":"svc_live_Ab3d...","enabled":true,)"
        R"("createdAt":"2026-11-20T10:11:12.345Z","updatedAt":"2026-11-20T10:11:12.345Z","lastUsedAt":null,)"
        R"("lastUsedIp":null,"createdBy":{"id":"01934f2e-0000-7d3e-9b1f-5a2c8e4d6f70","name":"Ada"}})");
  token.expires_at = token.last_used_at = token.created_at;
  token.last_used_ip = "192.0.2.1";
  auto const full = test::shown(api::token_json, token);
  CHECK(full.at("expiresAt") == "2026-11-20T10:11:12.345Z");
  CHECK(full.at("lastUsedAt") == "2026-11-20T10:11:12.345Z");
  CHECK(full.at("lastUsedIp") == "192.0.2.1");
}

TEST_CASE("a trigger key adds its job, its limit or null, and its addresses") {
  store::stored_token key = sample();
  key.job = key.id;
  auto const plain = test::shown(api::trigger_key_json, key);
  CHECK(plain.at("jobId").as_string() == key.id.to_string());
  CHECK(plain.at("rateLimit").is_null());
  CHECK(plain.at("allowedCidrs").is_null());
  key.rate = window_limit{20, 2};
  CHECK(boost::json::serialize(test::shown(api::trigger_key_json, key).at("rateLimit")) ==
        R"({"limit":20,"windowSeconds":2})");
}

TEST_CASE("the tag of tokens and keys, also in a list, leaves out only the last use") {
  store::stored_token fresh = sample(), used = sample(), renamed = sample();
  used.last_used_at = used.created_at;
  used.last_used_ip = "192.0.2.1";
  renamed.name = "cd";
  fresh.job = used.job = renamed.job = fresh.id;
  for (auto const json : {api::token_json, api::trigger_key_json}) {
    auto const alone = [&](auto const& token) { return test::tag_of(json, token); };
    auto const listed = [&](auto const& token) {
      http::json_text out(http::json_form::values);
      out.open_list("data").open_element();
      json(out, token);
      out.close().close_list();
      return api::entity_tag_of(0, out.take());
    };
    CHECK(alone(fresh) == alone(used));
    CHECK(alone(fresh) != alone(renamed));
    CHECK(listed(fresh) == listed(used));
    CHECK(listed(fresh) != listed(renamed));
  }
}

TEST_CASE("Location stays below the path of the public address") {
  struct {
    char const* base;
    char const* expected;
  } const cases[] = {{"https://a.example", "/api/x"},          {"https://a.example/", "/api/x"},
                     {"https://a.example:8443", "/api/x"},     {"https://a.example/svc", "/svc/api/x"},
                     {"https://a.example/svc/", "/svc/api/x"}, {"", "/api/x"}};
  for (auto const& c : cases) {
    CAPTURE(c.base);
    CHECK(api::location_of(c.base, "/api/x") == c.expected);
  }
}

TEST_CASE("a name is as long as the contract lets it be") {
  auto const body = [](std::size_t length) { return boost::json::object{{"name", std::string(length, 'n')}}; };
  for (std::size_t const length : {longest_name, longest_name + 1}) {
    CAPTURE(length);
    CHECK(test::check("CreateCliToken", body(length)).has_value() ==
          checked_name(std::string(length, 'n')).has_value());
  }
  CHECK(checked_name(std::string(longest_name, 'n')).has_value());
}
