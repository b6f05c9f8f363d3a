#include "store/runners/completion_rows.hpp"

#include "store/runners/runner_sql.hpp"
#include "svc/core/bytes.hpp"

namespace svc::store {

namespace {

// One element of each array a result; `place` tells the answers apart. What a client sent makes no row fail another:
// each is fenced by its own claim and its own token. Rows that another transaction holds are passed over and not
// waited for; whether the claim of such a one holds is then seen in its answer. Each test gets what was reported of
// it; one that was not reached is not left as queued. The arrays stand in sub-selects for the reason that
// `run_trigger` has.
constexpr postgres::statement complete_runs{"executor_complete", R"(
WITH asked AS MATERIALIZED (
  SELECT run_id, claim_id, status, CASE WHEN details <> '' THEN substr(details, 2) END AS details, tests,
         decode(secret, 'hex') AS digest, place
    FROM unnest((SELECT $1::uuid[]), (SELECT $2::uuid[]), (SELECT $3::text[]), (SELECT $4::text[]),
                (SELECT $5::text[]), (SELECT $6::text[]))
         WITH ORDINALITY a (run_id, claim_id, status, details, tests, secret, place)
), held AS MATERIALIZED (
  SELECT r.id, a.place, auth.organization_id
    FROM asked a
    JOIN executor_tokens auth ON auth.digest = a.digest AND auth.revoked_at IS NULL
    JOIN runs r ON r.id = a.run_id AND r.claim_id = a.claim_id AND r.status = 'running'
    JOIN projects p ON p.id = r.project_id AND)" SVC_IN_SCOPE R"(
   ORDER BY r.id FOR NO KEY UPDATE OF r SKIP LOCKED
), freed AS (
  UPDATE runs r SET status = a.status, completed_at = clock_timestamp(), lease_until = NULL, error_details = a.details,
         tests = (SELECT coalesce(jsonb_agg(planned.of || coalesce(told.of,
                             jsonb_build_object('status', CASE a.status WHEN 'cancelled' THEN a.status ELSE 'skipped' END))
                                  ORDER BY planned.place), '[]')
                    FROM jsonb_array_elements(r.tests) WITH ORDINALITY planned (of, place)
                    LEFT JOIN LATERAL (SELECT t FROM jsonb_array_elements(a.tests::jsonb) t
                                        WHERE t ->> 'id' = planned.of ->> 'id' LIMIT 1) told (of) ON true),
         version = r.version + 1, updated_at = clock_timestamp()
    FROM held JOIN asked a ON a.place = held.place
   WHERE r.id = held.id
  RETURNING a.place, r.id, r.attempt, r.status, held.organization_id, r.project_id, r.job_type, r.limited
), due AS (
  INSERT INTO run_output (run_id) SELECT id FROM freed ON CONFLICT DO NOTHING
)
SELECT (SELECT CASE WHEN t.revoked_at IS NULL THEN 'live' ELSE 'revoked' END
          FROM executor_tokens t WHERE t.digest = a.digest),
       freed.id, freed.attempt, freed.status, freed.organization_id, freed.project_id, freed.job_type, freed.limited,
       freed.id IS NULL AND
       EXISTS (SELECT FROM runs r WHERE r.id = a.run_id AND r.claim_id = a.claim_id AND r.completed_at IS NOT NULL
                  AND r.status = a.status),
       freed.id IS NULL AND
       EXISTS (SELECT FROM executor_tokens auth JOIN runs r ON r.id = a.run_id AND r.claim_id = a.claim_id
                  JOIN projects p ON p.id = r.project_id
                WHERE auth.digest = a.digest AND r.status = 'running' AND)" SVC_IN_SCOPE R"()
  FROM asked a LEFT JOIN freed ON freed.place = a.place
 ORDER BY a.place)"};

template <class Value>
std::vector<Value> column(std::vector<completion_row> const& rows, auto&& of) {
  std::vector<Value> out;
  out.reserve(rows.size());
  for (completion_row const& row : rows) out.push_back(of(row));
  return out;
}

postgres::parameters columns_of(std::vector<completion_row> const& rows) {
  auto const text = [&](auto&& of) { return column<std::string>(rows, of); };
  using row = completion_row const&;
  return postgres::parameters(
      column<uuid>(rows, [](row r) { return r.told->run; }), column<uuid>(rows, [](row r) { return r.told->claim; }),
      text([](row r) { return r.told->status; }),
      // An array of texts has no NULL: what is there has a sign before it.
      text([](row r) { return r.told->error_details ? "=" + *r.told->error_details : std::string(); }),
      text([](row r) { return r.told->tests; }), text([](row r) { return to_hex(byte_view(r.secret)); }));
}

}  // namespace

task<postgres::outcome<std::vector<completion_verdict>>> run_completions(postgres::pool& db,
                                                                         std::vector<completion_row> rows,
                                                                         deadline until) {
  postgres::query ask{complete_runs, columns_of(rows)};
  auto const done = co_await db.run(std::move(ask), until);
  if (!done) co_return done.error();
  std::vector<completion_verdict> out;
  out.reserve(rows.size());
  for (int i = 0; i < done->size(); ++i) out.push_back(read_freed((*done)[i]));
  co_return out;
}

}  // namespace svc::store
