#include "app/maintenance/window_maintenance.hpp"

#include "svc/core/spawn_task.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

namespace svc::app {
namespace {

constexpr std::chrono::seconds window_interval{5};
constexpr std::chrono::seconds window_patience{5};
/// A bound of the remembered projects; beyond it all are treated alike again.
constexpr std::size_t most_failed = 1000;
/// A bound of one round, because each extension competes with requests for connections.
constexpr int most_batches = 500;

}  // namespace

void window_maintenance::start() {
  parts_.occurrences.when_finished([this](std::vector<changed_thing> const& changes) { parts_.feed.note(changes); });
  auto const loop = parts_.loops.start("maintenance_windows", window_interval, this, &window_maintenance::extend_due);
  spawn_task(parts_.loops.io, attempt(loop, extend_due()));
}

task<> window_maintenance::extend_due() {
  // After days without any instance very many may be due, and their monitors must not be decided on before.
  std::vector<uuid> before;
  for (int batch = 0; batch < most_batches; ++batch) {
    auto const due = co_await parts_.occurrences.due_projects(deadline::after(window_patience));
    // Projects that others have locked stay due.
    bool const stays = !due.empty() && due == before;
    if (stays) co_return;
    co_await extend_these(due);
    if (std::ssize(due) < store::occurrence_store::most_projects) co_return;
    before = due;
  }
}

task<> window_maintenance::extend_these(std::vector<uuid> due) {
  std::ranges::partition(due, [this](uuid project) { return !failed_.contains(project); });
  if (due.empty() || failed_.size() > most_failed) failed_.clear();
  for (uuid const project : due) {
    if (!parts_.loops.goes_on()) co_return;
    failed_.insert(project);
    co_await parts_.occurrences.extend(project, deadline::after(window_patience));
    failed_.erase(project);
  }
}

}  // namespace svc::app
