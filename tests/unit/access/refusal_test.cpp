#include "svc/access/gate.hpp"

#include <doctest/doctest.h>

using namespace svc;

namespace {

http::operation operation_for(std::vector<std::string> kinds) {
  http::operation op;
  op.token_kinds = std::move(kinds);
  return op;
}

http::operation const general = operation_for({"cli", "test"});
http::operation const triggering = operation_for({"cli", "test", "trigger"});

http::route route_to(http::operation const* op, std::string id = {}) {
  http::route r;
  r.found = op;
  if (!id.empty()) r.path.emplace_back("id", id);
  return r;
}

token_record cli() {
  return {};
}

token_record key_of(uuid job) {
  token_record r;
  r.caller.kind = token_kind::trigger;
  r.caller.job_id = job;
  return r;
}

}  // namespace

TEST_CASE("each state has its own reason") {
  std::pair<token_state, std::optional<errc>> const table[] = {
      {token_state::usable, std::nullopt},
      {token_state::disabled, errc::token_disabled},
      {token_state::revoked, errc::token_revoked},
      {token_state::secret_rotated, errc::secret_rotated},
      {token_state::owner_removed, errc::owner_removed},
      {token_state::owner_disabled, errc::owner_disabled},
      {token_state::owner_without_role, errc::owner_without_role},
      {token_state::project_archived, errc::project_archived},
      {token_state::session_ended, errc::session_ended},
      {token_state::session_expired, errc::session_expired},
      {token_state::session_rotated, errc::session_rotated},
      {token_state::project_not_found, errc::project_not_found},
      {token_state::organization_not_found, errc::not_found},
      {token_state::policy_not_met, errc::policy_not_met},
  };
  for (auto const& [state, reason] : table) {
    auto r = cli();
    r.state = state;
    CHECK(access::refusal_of(r, route_to(&general), {0}) == reason);
  }
}

TEST_CASE("expiry is a half-open interval of database time") {
  auto r = cli();
  r.caller.expires_at = timestamp{100};
  CHECK_FALSE(access::refusal_of(r, route_to(&general), {99}));
  CHECK(access::refusal_of(r, route_to(&general), {100}) == errc::token_expired);
  r.valid_until = timestamp{50};
  CHECK_FALSE(access::refusal_of(r, route_to(&general), {49}));
  CHECK(access::refusal_of(r, route_to(&general), {50}) == errc::secret_rotated);
}

TEST_CASE("a trigger key is good only for triggering its own job") {
  auto const job = uuid::generate_v7(), other = uuid::generate_v7();
  auto const key = key_of(job);
  CHECK_FALSE(access::refusal_of(key, route_to(&triggering, job.to_string()), {0}));
  CHECK(access::refusal_of(key, route_to(&triggering, other.to_string()), {0}) == errc::wrong_job);
  CHECK(access::refusal_of(key, route_to(&triggering, "no-uuid"), {0}) == errc::wrong_job);
  CHECK(access::refusal_of(key, route_to(&general, job.to_string()), {0}) == errc::wrong_token_kind);
  CHECK(access::refusal_of(key, route_to(nullptr), {0}) == errc::wrong_token_kind);
  CHECK_FALSE(access::refusal_of(cli(), route_to(&triggering, other.to_string()), {0}));
  CHECK_FALSE(access::refusal_of(cli(), route_to(nullptr), {0}));
}

TEST_CASE("a path that cannot be decoded says nothing about a credential") {
  http::route garbled;
  garbled.unreadable = true;
  auto key = key_of(uuid::generate_v7());
  CHECK_FALSE(access::refusal_of(key, garbled, {0}));
  CHECK_FALSE(access::refusal_of(cli(), garbled, {0}));
  key.state = token_state::revoked;
  CHECK(access::refusal_of(key, garbled, {0}) == errc::token_revoked);
}

TEST_CASE("a session ends with its life, and no bearer token is good where only sessions are") {
  token_record session;
  session.caller.kind = token_kind::session;
  session.caller.session = std::make_shared<session_facts const>();
  session.caller.expires_at = timestamp{100};
  auto own = operation_for({"session"});
  own.only_session = own.takes_session = true;
  CHECK_FALSE(access::refusal_of(session, route_to(&own), {99}));
  CHECK(access::refusal_of(session, route_to(&own), {100}) == errc::session_expired);
  CHECK_FALSE(access::refusal_of(session, route_to(&triggering), {99}));
  CHECK(access::refusal_of(cli(), route_to(&own), {0}) == errc::wrong_token_kind);
  CHECK(access::refusal_of(key_of(uuid::generate_v7()), route_to(&own), {0}) == errc::wrong_token_kind);
}
