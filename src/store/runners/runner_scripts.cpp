#include "store/runners/runner_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/turns.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/runners/runner_store.hpp"

namespace svc::store {

namespace {

// The tests $4, if they are the run's. Lengths are read without the scripts; only those that fit are read, in the
// order in which they were asked for.
constexpr auto give_scripts_sql =
    sql("WITH ", runner_auth, R"(, held AS MATERIALIZED (
  SELECT q.run_id, q.project_id FROM auth, projects p, run_queue q WHERE)",
        is_fenced, R"(
), planned AS MATERIALIZED (
  SELECT (each.of ->> 'id')::uuid AS id
    FROM held CROSS JOIN LATERAL (SELECT r.tests FROM run_history r WHERE r.id = held.run_id LIMIT 1) h
   CROSS JOIN jsonb_array_elements(h.tests) each (of)
), known AS MATERIALIZED (
  SELECT t.id, a.place, sum(octet_length(t.script)) OVER (ORDER BY a.place) AS through
    FROM held CROSS JOIN unnest((SELECT $4::uuid[])) WITH ORDINALITY a (id, place)
    JOIN tests t ON t.project_id = held.project_id AND t.id = a.id
   WHERE a.id IN (SELECT id FROM planned)
), fit AS MATERIALIZED (
  SELECT id, place FROM known
   WHERE through <= (SELECT $5::bigint) OR place = (SELECT min(place) FROM known)
)
SELECT)",
        runner_token_state, R"(, EXISTS (SELECT FROM held), (SELECT count(*) FROM known) > (SELECT count(*) FROM fit),
       CASE WHEN t.id IS NOT NULL
            THEN json_build_object('id', t.id, 'version',)",
        script_version, R"(, 'script', t.script) END
  FROM (VALUES (1)) one LEFT JOIN (fit JOIN tests t USING (id)) ON true ORDER BY fit.place)");
constexpr postgres::statement give_scripts{"runner_scripts", give_scripts_sql};

constexpr int column_of_script = 3;

}  // namespace

task<result<given_scripts>> runner_store::scripts(sha256_digest secret, claim_name name, std::vector<uuid> tests,
                                                  deadline until) {
  postgres::query ask{give_scripts,
                      postgres::parameters(byte_view(secret), name.run, name.claim, tests, most_bytes_given)};
  auto const found = std::make_shared<postgres::rows>(settled(co_await db_.run(std::move(ask), until)));
  if (auto const refused = runner_refusal(found->front())) co_return *refused;
  if (!found->front().boolean(1)) co_return errc::claim_lost;
  given_scripts out{.more = found->front().boolean(2)};
  for (int i = 0; i < found->size(); ++i) {
    if ((*found)[i].is_null(column_of_script)) continue;
    auto const script = (*found)[i].text(column_of_script);
    // libpq has just copied it, and this copies it again.
    if (script.size() > piece_of_turn) co_await others_turn();
    out.texts.push_back(co_await copy_in_turns(found, script));
  }
  co_return out;
}

}  // namespace svc::store
