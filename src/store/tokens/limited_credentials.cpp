// The credentials of a project whose rate limits a page shows.
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/tokens/token_store.hpp"

namespace svc::store {
namespace {

// All keys of the project's jobs are read to find the last used ones: at most ten for each job. The sub-selects with
// a LIMIT leave the planner no choice but their indexes; a hash join would read the keys of all projects.
constexpr postgres::statement list_limited{"token_list_limited", R"(
SELECT id, kind, name, owner_id, job_id, job_name, rate_limit, rate_window FROM (
  (SELECT t.id, t.kind, t.name, t.owner_id, NULL::uuid AS job_id, ''::text AS job_name, t.rate_limit::bigint,
          t.rate_window::bigint, NULL::timestamptz AS used_at, t.created_at
     FROM tokens t WHERE t.project_id = $1 AND t.job_id IS NULL AND t.revoked_at IS NULL)
  UNION ALL
  (SELECT t.id, t.kind, t.name, t.owner_id, j.id, j.name, t.rate_limit::bigint, t.rate_window::bigint, u.used_at,
          t.created_at
     FROM jobs j CROSS JOIN LATERAL (
       SELECT k.* FROM tokens k WHERE k.job_id = j.id AND k.revoked_at IS NULL LIMIT 10) t
     LEFT JOIN LATERAL (SELECT l.used_at FROM token_last_use l WHERE l.token_id = t.id LIMIT 1) u ON true
    WHERE j.project_id = $1 AND j.deleted_at IS NULL
    ORDER BY u.used_at DESC NULLS LAST, t.created_at, t.id LIMIT $2)) found
 ORDER BY job_id IS NOT NULL, used_at DESC NULLS LAST, created_at, id)"};

std::optional<std::uint32_t> maybe_number(postgres::row const& r, int column) {
  auto const found = r.maybe_integer(column);
  return found ? std::optional(static_cast<std::uint32_t>(*found)) : std::nullopt;
}

}  // namespace

task<std::vector<limited_credential>> token_store::limited(uuid project, std::int64_t most_keys, deadline until) {
  postgres::query ask{list_limited, postgres::parameters(project, most_keys)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<limited_credential> out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    out.push_back({.id = r.id(0),
                   .kind = parse_token_kind(r.text(1)).value(),
                   .name = std::string(r.text(2)),
                   .owner = r.id(3),
                   .job = r.maybe_id(4),
                   .job_name = std::string(r.text(5)),
                   .rate_limit = maybe_number(r, 6),
                   .rate_window = maybe_number(r, 7)});
  }
  co_return out;
}

}  // namespace svc::store
