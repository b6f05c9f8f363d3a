#include "store/monitors/deciding.hpp"

#include "store/monitors/verdict_rows.hpp"

namespace svc::store {
namespace {

// $1 whether the COMMIT waits for no disk; each array has one element for each result. `revision` covers all that a
// vote depends on: that no other result was counted meanwhile, that the monitor is live and was not edited, and that
// no verdict changed. An hour that ended more than a minute ago may be packed soon, so a late result of that hour is
// kept with a later hour. The arrays are in the order of the key, because all transactions lock these rows in this
// order. To keep the order, each row is looked up by its key: no hash or merge join takes `= ANY (ARRAY[...])`, and
// no location is known beforehand. Otherwise a plan for a small table would read the whole table, in the order in
// which its rows lie.
constexpr postgres::statement count_results{"checks_count", R"(
WITH counted AS (
  UPDATE check_states c
     SET revision = c.revision + 1, last_slot = g.slot, says = g.says, fails = g.fails, oks = g.oks, errors = g.errors,
         slow = g.slow, plain = g.plain, degraded = g.degraded, failing_since = g.failing_since,
         good_since = g.good_since, evidence_at = g.evidence_at, seen_at = g.seen_at, failure = g.failure,
         failure_message = g.failure_message, error = g.error, error_message = g.error_message,
         response_ms = g.response_ms, covered = g.covered, covered_well = g.covered_well
    FROM unnest((SELECT $2::uuid[]), (SELECT $3::uuid[]), (SELECT $4::bigint[]), (SELECT $5::bigint[]),
                (SELECT $6::text[]), (SELECT $7::bigint[]), (SELECT $8::bigint[]), (SELECT $9::bigint[]),
                (SELECT $10::bigint[]), (SELECT $11::bigint[]), (SELECT $12::boolean[]), (SELECT $13::timestamptz[]),
                (SELECT $14::timestamptz[]), (SELECT $15::timestamptz[]), (SELECT $16::timestamptz[]),
                (SELECT $17::bigint[]), (SELECT $18::text[]), (SELECT $19::bigint[]), (SELECT $20::text[]),
                (SELECT $21::bigint[]), (SELECT $22::bigint[]), (SELECT $23::bigint[]), (SELECT $24::bytea[]),
                (SELECT $25::text[]), (SELECT $26::bigint[]), (SELECT $27::bigint[])) WITH ORDINALITY
         g (location_id, monitor_id, revision, slot, says, fails, oks, errors, slow, plain, degraded, failing_since,
            good_since, evidence_at, seen_at, failure, failure_message, error, error_message, response_ms, started_ms,
            covers, result, details, covered, covered_well, place)
   WHERE c.monitor_id = ANY (ARRAY[g.monitor_id]) AND c.location_id = g.location_id AND c.revision = g.revision
     AND c.last_slot < g.slot
  RETURNING g.place, g.location_id, g.monitor_id, g.started_ms, g.covers, g.result, g.details
), kept AS (
  INSERT INTO check_raw (ring, hour, monitor_id, location_id, started_ms, covers, result)
  SELECT h.hour % 8, h.hour, monitor_id, location_id, started_ms, covers, result
    FROM counted CROSS JOIN LATERAL (
      SELECT greatest(started_ms / 3600000,
                      floor(extract(epoch FROM statement_timestamp() - interval '1 minute') / 3600)::bigint)) h (hour)
), told AS (
  INSERT INTO check_failures (monitor_id, location_id, started_ms, details)
  SELECT monitor_id, location_id, started_ms, details FROM counted WHERE details <> ''
)
SELECT counted.place, lazy.mode
  FROM counted CROSS JOIN (SELECT CASE WHEN $1::boolean THEN set_config('synchronous_commit', 'off', true) END) lazy (mode))"};

}  // namespace

postgres::query count_query(uuid location, std::vector<counted_result> const& results, bool lazily) {
  postgres::query out{count_results, postgres::parameters(lazily)};
  auto& parameters = out.parameters;
  using row = counted_result;
  auto const number = [&](auto const& value) {
    parameters.add_array(results, [&](row const& r) { return static_cast<std::int64_t>(value(r)); });
  };
  auto const state = [&](auto member) {
    parameters.add_array(results, [&](row const& r) { return r.after.*member; });
  };
  auto const count = [&](std::uint32_t alerting::location_state::* member) {
    number([&](row const& r) { return r.after.*member; });
  };
  using alerting::location_state;
  parameters.add_array(results, [&](row const&) { return location; });
  parameters.add_array(results, [](row const& r) { return r.result.monitor; });
  number([](row const& r) { return r.revision; });
  number([](row const& r) { return r.result.kept.slot; });
  parameters.add_array(results, [](row const& r) { return name_of(r.after.says); });
  for (auto member : {&location_state::fails, &location_state::oks, &location_state::errors, &location_state::slow,
                      &location_state::plain}) {
    count(member);
  }
  state(&location_state::degraded);
  for (auto member : {&location_state::failing_since, &location_state::good_since, &location_state::conclusive_at,
                      &location_state::seen_at}) {
    state(member);
  }
  for (auto member : {&location_state::failure, &location_state::error}) {
    parameters.add_array(results, [&](row const& r) { return code_of(r.after.*member); });
    parameters.add_array(results, [&](row const& r) { return message_of(r.after.*member); });
  }
  parameters.add_array(results, [](row const& r) {
    auto const& ms = r.result.kept.response_time_ms;
    return ms ? std::optional<std::int64_t>(*ms) : std::nullopt;
  });
  number([](row const& r) { return r.result.kept.started_ms; });
  number([](row const& r) { return r.result.covers.count(); });
  parameters.add_array(results, [](row const& r) { return checks::packed({r.result.kept}); });
  parameters.add_array(results, [](row const& r) { return std::string_view(r.result.details); });
  number([](row const& r) { return r.covered.in_all; });
  number([](row const& r) { return r.covered.well; });
  return out;
}

}  // namespace svc::store
