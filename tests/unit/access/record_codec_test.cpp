#include "svc/access/record_cache.hpp"

#include <doctest/doctest.h>

using namespace svc;

namespace {

token_record sample() {
  token_record r;
  r.caller = {token_kind::trigger,
              uuid::generate_v7(),
              "name with | : and \"quotes\"",
              uuid::generate_v7(),
              "Ada",
              role::project_editor,
              uuid::generate_v7(),
              uuid::generate_v7(),
              uuid::generate_v7(),
              uuid::generate_v7(),
              1'763'635'872'345'678,
              timestamp{17},
              "shop",
              "acme"};
  r.state = token_state::disabled;
  r.read_at = {1'763'635'872'000'001};
  r.max_age_micros = 29'000'000;
  r.valid_until = timestamp{18};
  r.pending = true;
  r.rate_limit = 20;
  r.rate_window = 2;
  r.allowed = {*cidr::parse("203.0.113.0/24"), *cidr::parse("2001:db8::/32")};
  return r;
}

}  // namespace

TEST_CASE("a record is read from Redis as it was written") {
  for (bool full : {true, false}) {
    auto r = sample();
    if (!full) {
      r.caller.job_id.reset();
      r.caller.expires_at.reset();
      r.valid_until.reset();
      r.rate_limit.reset();
      r.rate_window.reset();
      r.allowed.reset();
    }
    auto const text = access::encode_record(r);
    CHECK(text.starts_with("r:1763635872345678:1763635872000001:"));
    auto const back = access::decode_record(text);
    REQUIRE(back);
    CHECK(access::encode_record(*back) == text);
    CHECK(back->caller.token_name == r.caller.token_name);
    CHECK(back->caller.job_id == r.caller.job_id);
    CHECK(back->caller.project_slug == "shop");
    CHECK(back->caller.organization_slug == "acme");
    CHECK(back->state == token_state::disabled);
    CHECK(back->rate_window == r.rate_window);
    CHECK(back->allowed == r.allowed);
  }
}

TEST_CASE("anything else is not a record") {
  auto const text = access::encode_record(sample());
  for (std::string bad : {std::string(), std::string("?"), std::string("n:17"), std::string("r:1:2:"),
                          std::string("r:1:2:[]"), std::string("r:1:2:[2]"), std::string("r:1:2:{}")}) {
    CAPTURE(bad);
    CHECK_FALSE(access::decode_record(bad));
  }
  // A record of another version, and one with a range that cannot be read.
  auto const other = [&](std::string_view was, std::string_view condition) {
    auto changed = text;
    return changed.replace(changed.find(was), was.size(), condition);
  };
  CHECK(access::decode_record(other("203.0.113.0/24", "203.0.114.0/24")));
  CHECK_FALSE(access::decode_record(other("203.0.113.0/24", "203.0.113.0/33")));
  CHECK_FALSE(access::decode_record(other("[3,", "[2,")));
  // No prefix of a record is one, and a record with an additional member is not either.
  for (std::size_t n = 0; n < text.size(); ++n) CHECK_FALSE(access::decode_record(text.substr(0, n)));
  CHECK_FALSE(access::decode_record(text.substr(0, text.size() - 1) + ",1]"));
}

TEST_CASE("the record of a session is read with its scope, and a token's record is as it was before sessions") {
  auto r = sample();
  auto const plain = access::encode_record(r);
  session_facts facts;
  facts.presented = {sha256("secret"), {session_scope_kind::project, uuid::generate_v7()}};
  facts.in_organization = organization_role::org_admin;
  facts.authenticated_at = {17};
  facts.method = "oidc";
  facts.provider = "example";
  r.caller.kind = token_kind::session;
  r.caller.session = std::make_shared<session_facts const>(facts);
  r.state = token_state::policy_not_met;
  auto const text = access::encode_record(r);
  auto const back = access::decode_record(text);
  REQUIRE(back);
  REQUIRE(back->caller.session);
  CHECK(access::encode_record(*back) == text);
  CHECK(back->caller.session->presented == facts.presented);
  CHECK(back->caller.session->in_organization == organization_role::org_admin);
  CHECK(back->caller.session->authenticated_at == timestamp{17});
  CHECK(back->caller.session->method == "oidc");
  CHECK(back->caller.session->provider == "example");
  CHECK(back->state == token_state::policy_not_met);
  // Instances of the version before read tokens' records, and no record of a session.
  REQUIRE(access::decode_record(plain));
  CHECK_FALSE(access::decode_record(plain)->caller.session);
  CHECK(plain.find("[3,") != std::string::npos);
  auto short_of_one = text;
  short_of_one.replace(short_of_one.rfind(','), std::string::npos, "]");
  CHECK_FALSE(access::decode_record(short_of_one));
}
