#include "app/maintenance/store_maintenance.hpp"

#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"

namespace svc::app {
namespace {

constexpr std::chrono::seconds sweep_interval{60};
constexpr std::chrono::seconds sweep_patience{2};
/// The interval is short only for partitions that begin to fill, which need new statistics soon. Partitions are made
/// weeks ahead.
constexpr std::chrono::seconds partition_interval{5};
constexpr std::chrono::seconds partition_patience{5};

}  // namespace

void store_maintenance::start() {
  auto const& loops = parts_.loops;
  loops.start("old_keys", sweep_interval, this, &store_maintenance::discard_keys);
  loops.start("accounts", sweep_interval, this, &store_maintenance::sweep_accounts);
  // Also at the start: the service may have been away for months.
  auto const partitions = loops.start("partitions", partition_interval, this, &store_maintenance::keep_partitions);
  spawn_task(loops.io, attempt(partitions, keep_partitions()));
}

/// Deletes expired idempotency keys in batches; until then they are ignored.
task<> store_maintenance::discard_keys() {
  while (parts_.loops.goes_on() && co_await parts_.stores.runs.sweep_keys(deadline::after(sweep_patience))) {
  }
}

/// Deletes sessions, links, invitations and mails that have been over for long enough.
task<> store_maintenance::sweep_accounts() {
  while (parts_.loops.goes_on() && co_await parts_.stores.sessions.sweep(deadline::after(sweep_patience))) {
  }
}

/// Adds partitions to all tables that have partitions by time.
task<> store_maintenance::keep_partitions() {
  auto& partitions = parts_.stores.partitions;
  for (auto const& table : store::tables_by_time) {
    auto const added = co_await partitions.add_ahead(table, deadline::after(partition_patience));
    if (added > 0) log::info("partitions were added", {{"table", table.name}, {"partitions", added}});
  }
  auto const added =
      co_await partitions.add_runs_ahead(parts_.run_partition_width, deadline::after(partition_patience));
  if (added > 0) log::info("partitions were added", {{"table", "runs"}, {"partitions", added}});
  co_await partitions.analyze_filling(deadline::after(partition_patience));
}

}  // namespace svc::app
