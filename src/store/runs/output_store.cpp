#include "svc/store/runs/output_store.hpp"

#include "store/sql/settled.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/turns.hpp"
#include "svc/postgres/pool.hpp"

namespace svc::store {
namespace {

constexpr postgres::statement add_due{"output_due",
                                      "INSERT INTO run_output (run_id) VALUES ($1) ON CONFLICT DO NOTHING"};

constexpr postgres::statement find_output{
    "output_find",
    "SELECT CASE WHEN $2 THEN content END, size, lines, incomplete, stored_at IS NOT NULL, NULL AS silent,"
    " content IS NOT NULL FROM run_output WHERE run_id = $1"
    " UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, status, NULL FROM run_results WHERE run_id = $1 AND silent"
    " LIMIT 1"};

constexpr postgres::statement find_needless{"output_needless", R"(
SELECT asked.id FROM unnest((SELECT $1::uuid[])) asked (id)
 WHERE (SELECT q.run_id FROM run_queue q WHERE q.run_id = asked.id LIMIT 1) IS NULL
   AND (SELECT o.run_id FROM run_output o WHERE o.run_id = asked.id AND o.stored_at IS NULL LIMIT 1) IS NULL)"};

constexpr postgres::statement find_usage{"output_usage", "SELECT bytes FROM project_output WHERE project_id = $1"};

constexpr postgres::statement settle_usage{"output_settle",
                                           "SELECT project_id, runs, bytes FROM settle_output_usage($1)"};

constexpr postgres::statement take{"output_take", R"(
UPDATE run_output o SET moving_until = clock_timestamp() + interval '10 seconds'
  FROM run_results r,
       (SELECT run_id FROM run_output WHERE stored_at IS NULL AND moving_until < clock_timestamp()
           AND ended_at < clock_timestamp() - interval '0.2 seconds'
         ORDER BY ended_at LIMIT $1 FOR UPDATE SKIP LOCKED) free
 WHERE o.run_id = free.run_id AND r.run_id = free.run_id
RETURNING o.run_id, r.attempt, r.status,
          greatest(0, extract(epoch FROM clock_timestamp() - o.ended_at) * 1000)::bigint, r.project_id)"};

constexpr postgres::statement keep_one{"output_keep", R"(
UPDATE run_output SET content = $2, size = $3, lines = $4, incomplete = $5, stored_at = clock_timestamp()
 WHERE run_id = $1 AND stored_at IS NULL)"};

// The same for many outputs, one array element for each. A statement for each would cost more than its data.
constexpr postgres::statement keep_several{"output_keep_several", R"(
UPDATE run_output o SET content = decode(k.content, 'hex'), size = k.size, lines = k.lines,
       incomplete = k.incomplete <> 0, stored_at = clock_timestamp()
  FROM unnest((SELECT $1::uuid[]), (SELECT $2::text[]), (SELECT $3::bigint[]), (SELECT $4::bigint[]),
              (SELECT $5::bigint[])) k (run_id, content, size, lines, incomplete)
 WHERE o.run_id = k.run_id AND o.stored_at IS NULL)"};

/// The largest content that is sent together with others, as hexadecimal text.
constexpr std::size_t sent_together = 4096;

/// Everything but the content.
output_store::found_output found_in(postgres::rows const& rows, uuid run) {
  if (rows.empty()) return {};
  auto const row = rows.front();
  if (auto const silent = row.maybe_text(5)) return {.silent = std::string(*silent)};
  if (!row.boolean(6)) return {.due = !row.boolean(4), .dropped = row.boolean(4)};
  return {.stored = stored_output{run, {}, row.integer(1), row.integer(2), row.boolean(3)}};
}

postgres::query keep_all(std::vector<stored_output const*> const& outputs) {
  std::vector<uuid> runs;
  std::vector<std::string> contents;
  std::vector<std::int64_t> sizes, lines, incomplete;
  for (auto const* output : outputs) {
    runs.push_back(output->run);
    contents.push_back(to_hex(output->content));
    sizes.push_back(output->size);
    lines.push_back(output->lines);
    incomplete.push_back(output->incomplete ? 1 : 0);
  }
  return {keep_several, postgres::parameters(runs, contents, sizes, lines, incomplete)};
}

}  // namespace

postgres::query output_due(uuid run) {
  return {add_due, postgres::parameters(run)};
}

task<output_store::found_output> output_store::find(uuid run, deadline until) {
  postgres::query ask{find_output, postgres::parameters(run, true)};
  postgres::rows const rows = settled(co_await db_.run(std::move(ask), until));
  found_output out = found_in(rows, run);
  if (!out.stored) co_return out;
  auto const row = rows.front();
  auto const bytes = row.bytes(0);
  if (bytes.size() > piece_of_turn) co_await others_turn();  // libpq has just copied them, and this copies them again
  out.stored->content.assign(bytes.begin(), bytes.end());
  co_return out;
}

task<output_store::found_output> output_store::look(uuid run, deadline until) {
  postgres::query ask{find_output, postgres::parameters(run, false)};
  co_return found_in(settled(co_await db_.run(std::move(ask), until)), run);
}

task<std::vector<due_output>> output_store::take_due(std::int64_t most, deadline until) {
  postgres::query ask{take, postgres::parameters(most)};
  postgres::rows const rows = settled(co_await db_.run(std::move(ask), until));
  std::vector<due_output> out;
  for (int i = 0; i < rows.size(); ++i) {
    out.push_back({rows[i].id(0), rows[i].integer(1), std::string(rows[i].text(2)), milliseconds(rows[i].integer(3)),
                   rows[i].id(4)});
  }
  co_return out;
}

task<> output_store::keep(std::vector<stored_output> all, deadline until) {
  std::vector<postgres::query> batch;
  std::vector<stored_output const*> together;
  for (auto const& output : all) {
    if (output.content.size() <= sent_together)
      together.push_back(&output);
    else
      batch.push_back(
          {keep_one, postgres::parameters(output.run, output.content, output.size, output.lines, output.incomplete)});
  }
  if (!together.empty()) batch.push_back(keep_all(together));
  if (!batch.empty()) settled(co_await db_.run(std::move(batch), until));
}

task<std::vector<uuid>> output_store::needless(std::vector<uuid> runs, deadline until) {
  postgres::query ask{find_needless, postgres::parameters(runs)};
  co_return read_ids(settled(co_await db_.run(std::move(ask), until)));
}

task<std::int64_t> output_store::stored_bytes(uuid project, deadline until) {
  postgres::query ask{find_usage, postgres::parameters(project)};
  postgres::rows const rows = settled(co_await db_.run(std::move(ask), until));
  co_return rows.empty() ? 0 : rows.front().integer(0);
}

task<std::vector<dropped_output>> output_store::settle(std::int64_t quota, deadline until) {
  postgres::query ask{settle_usage, postgres::parameters(quota)};
  postgres::rows const rows = settled(co_await db_.run(std::move(ask), until));
  std::vector<dropped_output> out;
  for (int i = 0; i < rows.size(); ++i) out.push_back({rows[i].id(0), rows[i].integer(1), rows[i].integer(2)});
  co_return out;
}

}  // namespace svc::store
