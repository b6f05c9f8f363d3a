#include "svc/store/tokens/auth_reader.hpp"

#include "store/sql/settled.hpp"
#include "store/tokens/token_decision.hpp"
#include "svc/core/log.hpp"
#include "svc/core/random.hpp"

namespace svc::store {

namespace {

/// One statement, and so one snapshot: no revocation can fall between the data and the epoch. statement_timestamp is
/// taken before the snapshot, so a record is never older than its `read_at` says. PostgreSQL takes 1 to 2 ms to plan
/// a statement of this many tables, ten times as long as to read them. Therefore sub-selects hide the array, so that
/// the generic plan is kept, and have a LIMIT, so that each table is read by its key.
constexpr postgres::statement auth_read{"auth_read", R"(
SELECT t.kind, t.id, t.name, t.owner_id, u.name, coalesce(om.role, ''), coalesce(pm.role, ''),
       t.project_id, p.organization_id, t.job_id, s.id, s.epoch, t.expires_at, sec.valid_until,
       sec.state, t.rate_limit, t.rate_window,
       t.revoked_at IS NOT NULL OR j.deleted_at IS NOT NULL,
       t.enabled,
       u.disabled_at IS NOT NULL,
       t.owner_left_at IS NOT NULL OR om.user_id IS NULL,
       p.archived_at IS NOT NULL,
       statement_timestamp(), p.slug, o.slug, t.allowed_cidrs, sec.digest
  FROM unnest((SELECT $1::bytea[])) asked (digest)
 CROSS JOIN LATERAL (SELECT * FROM token_secrets WHERE digest = asked.digest LIMIT 1) sec
 CROSS JOIN LATERAL (SELECT * FROM tokens WHERE id = sec.token_id LIMIT 1) t
 CROSS JOIN LATERAL (SELECT * FROM users WHERE id = t.owner_id LIMIT 1) u
 CROSS JOIN LATERAL (SELECT * FROM projects WHERE id = t.project_id LIMIT 1) p
 CROSS JOIN LATERAL (SELECT * FROM organizations WHERE id = p.organization_id LIMIT 1) o
 CROSS JOIN LATERAL (SELECT * FROM subjects WHERE id = CASE WHEN t.job_id IS NULL THEN t.owner_id ELSE t.id END
                      LIMIT 1) s
  LEFT JOIN LATERAL (SELECT * FROM jobs WHERE id = t.job_id LIMIT 1) j ON true
  LEFT JOIN LATERAL (SELECT * FROM organization_members
                      WHERE organization_id = p.organization_id AND user_id = t.owner_id LIMIT 1) om ON true
  LEFT JOIN LATERAL (SELECT * FROM project_members WHERE project_id = t.project_id AND user_id = t.owner_id LIMIT 1) pm
         ON true)"};

constexpr double min_age_micros = 27'000'000, age_spread_micros = 6'000'000;

std::optional<std::uint32_t> small(std::optional<std::int64_t> n) {
  if (!n) return std::nullopt;
  return static_cast<std::uint32_t>(*n);
}

/// An entry that cannot be parsed allows no address, and a list left empty allows none: it still restricts the token.
std::optional<std::vector<cidr>> ranges(postgres::row const& r, int column) {
  if (r.is_null(column)) return std::nullopt;
  std::vector<cidr> out;
  for (auto const& text : r.texts(column))
    if (auto const range = cidr::parse(text)) out.push_back(*range);
  return out;
}

token_facts facts_of(postgres::row const& r) {
  return {.revoked = r.boolean(17),
          .secret_dead = r.text(14) == "dead",
          .enabled = r.boolean(18),
          .owner_disabled = r.boolean(19),
          .owner_removed = r.boolean(20),
          .owner_role = effective_role(r.text(5), r.text(6)),
          .project_archived = r.boolean(21)};
}

token_record record_of(postgres::row const& r) {
  token_facts const facts = facts_of(r);
  token_record out;
  out.caller.kind = parse_token_kind(r.text(0)).value();
  out.caller.token_id = r.id(1);
  out.caller.token_name = std::string(r.text(2));
  out.caller.owner_id = r.id(3);
  out.caller.owner_name = std::string(r.text(4));
  out.caller.owner_role = facts.owner_role;
  out.caller.project_id = r.id(7);
  out.caller.organization_id = r.id(8);
  out.caller.job_id = r.maybe_id(9);
  out.caller.subject = r.id(10);
  out.caller.epoch = r.integer(11);
  out.caller.expires_at = r.maybe_time(12);
  out.caller.project_slug = std::string(r.text(23));
  out.caller.organization_slug = std::string(r.text(24));
  out.state = state_of(facts);
  out.read_at = r.time(22);
  out.max_age_micros = draw_record_age();
  out.valid_until = r.maybe_time(13);
  out.pending = r.text(14) == "pending";
  out.rate_limit = small(r.maybe_integer(15));
  out.rate_window = small(r.maybe_integer(16));
  out.allowed = ranges(r, 25);
  return out;
}

}  // namespace

std::int64_t draw_record_age() {
  return static_cast<std::int64_t>(min_age_micros + age_spread_micros * random_fraction());
}

/// A reader without sessions knows none.
task<auth_reading> auth_reader::read_sessions(std::vector<presented_session> /*sessions*/, deadline /*until*/) {
  co_return auth_reading{.sent = steady::now()};
}

task<auth_reading> postgres_auth_reader::read(std::vector<sha256_digest> digests, deadline until) {
  std::vector<std::string> texts;
  texts.reserve(digests.size());
  for (auto const& digest : digests) texts.push_back("\\x" + to_hex(digest));
  postgres::query ask{auth_read, postgres::parameters(texts)};
  auth_reading out;
  postgres::rows const rows = settled(co_await db_.run(std::move(ask), until, out.sent));
  for (int i = 0; i < rows.size(); ++i) {
    auto& record = out.records[digest_of(rows[i].bytes(26))];
    try {
      record = record_of(rows[i]);
    } catch (std::exception const& odd) {
      // A row that a newer version has written must not affect the other tokens of the statement.
      log::warn("a stored token cannot be read", {{"token", rows[i].id(1).to_string()}, {"why", odd.what()}});
    }
  }
  co_return out;
}

}  // namespace svc::store
