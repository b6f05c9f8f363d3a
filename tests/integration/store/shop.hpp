#pragma once

#include "acme.hpp"

#include "svc/store/delivery/provider_store.hpp"
#include "svc/store/jobs/job_store.hpp"
#include "svc/store/jobs/test_store.hpp"
#include "svc/store/runs/run_store.hpp"
#include "svc/store/runs/trigger_batcher.hpp"

#include <functional>
#include <string>
#include <vector>

namespace svc::test {

/// A statement, its arguments, and the indexes that its plan must use.
struct plan_case {
  char const* statement;
  std::string arguments;
  std::vector<char const*> indexes;
};

/// A statement for a transaction that holds a lock. It returns when another transaction waits for the lock, or after
/// twenty seconds.
inline constexpr auto until_another_waits =
    "DO $$BEGIN FOR i IN 1..20000 LOOP EXIT WHEN EXISTS (SELECT FROM pg_locks WHERE NOT granted AND"
    " pg_blocking_pids(pid) @> ARRAY[pg_backend_pid()]); PERFORM pg_sleep(0.001); END LOOP; END$$;";

/// The project `shop` of `acme` with tests and jobs, and a second project.
struct shop : acme {
  shop();

  store::editor as_ed(std::optional<std::vector<std::int64_t>> expected = {}) const;
  store::editor elsewhere() const;
  /// Creates a test in `shop`; must succeed.
  test_case make_test(std::string const& title, std::string const& type = "command");
  svc::job make_job(std::string const& name, std::vector<uuid> tests = {}, std::string const& parameters = "[]");
  store::triggered_run make_run(uuid id);
  /// Makes a queued run with this time of creation, an SQL expression. Ids, and so lists, are in the order of these
  /// times.
  uuid make_run_at(uuid id, std::string const& address, std::string const& trigger = "remote");
  /// Makes runs from the rows of a SELECT: project, job, trigger, status, time of the trigger, which is also the time
  /// of the end. Faster than single runs.
  void fill_runs(std::string const& rows);
  /// Gives the tables of runs, which must be empty, nine partitions. The first one ends 70 days ago; the others last
  /// ten days each, and the newest starts today.
  void partition_runs();
  /// Changes a run in the way of a runner.
  void set_run(uuid id, std::string const& assignments);
  /// Returns the plan, for these arguments, of a statement that this connection has prepared.
  std::string plan_of(postgres::pool& pool, std::string const& statement, std::string const& arguments);
  /// Checks that these statements, which the only connection has prepared, use their indexes in custom and generic
  /// plans. `more` is called for each plan. SVC_SHOW_PLANS prints them.
  void check_plans(postgres::pool& pool, std::vector<plan_case> const& cases,
                   std::function<void(plan_case const&, std::string const& plan)> const& more);

  master_keys master{{sealer(secret_bytes(32, 7))}};
  store::job_store jobs{pool};
  store::test_store tests{pool};
  store::run_store runs{pool};
  store::trigger_batcher triggers{io, pool};
  store::provider_store providers{pool, master};
  uuid other_project;
};

/// Returns the execution time that EXPLAIN ANALYZE reports.
double execution_ms(std::string const& plan);

/// Returns the code of a failure; nothing for a success.
template <class T>
std::optional<errc> failure(result<T> const& value) {
  return value ? std::nullopt : std::optional(value.error().code);
}

/// Returns the fields that a failure names, joined by spaces.
template <class T>
std::string fields(result<T> const& value) {
  std::string out;
  if (value) return out;
  for (auto const& error : value.error().details) out += (out.empty() ? "" : " ") + error.field;
  return out;
}

}  // namespace svc::test
