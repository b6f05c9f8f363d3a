#include "store/tokens/token_sql.hpp"

namespace svc::store {

namespace {

constexpr postgres::statement token_epoch{"token_epoch",
                                          "SELECT s.id, s.epoch FROM tokens t JOIN subjects s"
                                          " ON s.id = CASE WHEN t.job_id IS NULL THEN t.owner_id ELSE t.id END"
                                          " WHERE" SVC_TOKEN_BY_ID};

std::optional<window_limit> read_rate(postgres::row const& r, int column) {
  auto const limit = r.maybe_integer(column), seconds = r.maybe_integer(column + 1);
  if (!limit || !seconds) return std::nullopt;
  return window_limit{static_cast<std::uint32_t>(*limit), static_cast<std::uint32_t>(*seconds)};
}

}  // namespace

stored_token read_token_row(postgres::row const& r, int f) {
  stored_token t;
  t.id = r.id(f);
  t.kind = parse_token_kind(r.text(f + 1)).value();
  t.project = r.id(f + 2);
  t.organization = r.id(f + 3);
  t.job = r.maybe_id(f + 4);
  t.owner = r.id(f + 5);
  t.owner_name = std::string(r.text(f + 6));
  t.created_by = r.id(f + 7);
  t.created_by_name = std::string(r.text(f + 8));
  t.name = std::string(r.text(f + 9));
  t.start = std::string(r.text(f + 10));
  t.disabled_by = r.maybe_id(f + 12);
  t.owner_left = r.boolean(f + 13);
  t.enabled = r.boolean(f + 11) && !t.owner_left;
  t.revoked = r.boolean(f + 14);
  t.rate = read_rate(r, f + 15);
  t.expires_at = r.maybe_time(f + 17);
  t.last_used_at = r.maybe_time(f + 18);
  t.last_used_ip = r.maybe_text(f + 19);
  t.version = r.integer(f + 20);
  t.created_at = r.time(f + 21);
  t.updated_at = r.time(f + 22);
  if (!r.is_null(f + 25)) t.allowed_cidrs = r.texts(f + 25);
  if (auto const until = r.maybe_time(f + 24)) t.previous = previous_secret{std::string(r.text(f + 23)), *until};
  return t;
}

postgres::query token_epoch_query(token_scope place, uuid id) {
  return {token_epoch, postgres::parameters(place.project, place.job, id)};
}

audit_entry token_audit(stored_token const& token, audit_actor const& by, std::string_view verb,
                        std::string details) {
  std::string const resource = token.job ? "trigger_key" : "cli_token";
  return {.actor = by,
          .organization = token.organization,
          .project = token.project,
          .action = resource + "." + std::string(verb),
          .resource = resource,
          .resource_id = token.id,
          .details = std::move(details)};
}

}  // namespace svc::store
