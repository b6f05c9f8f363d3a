#include "svc/output/output_ledger.hpp"

namespace svc::output {
namespace {

/// A project that prints nothing for so long is forgotten; the books know it.
constexpr std::chrono::seconds memory{10};

}  // namespace

bool output_ledger::room(uuid project, std::int64_t more) const {
  auto const found = projects_.find(project);
  auto const wanted = (found == projects_.end() ? 0 : found->second.held) + more;
  return wanted <= budget_ - all_ - more || wanted <= budget_ / least_part;
}

void output_ledger::printed(uuid run, uuid project, std::int64_t added, std::int64_t held) {
  all_ += added;
  projects_[project].held += added;
  if (pending_.size() >= most_pending && !pending_.contains(run)) return;  // its next lines tell all of it
  auto& one = pending_[run];
  one = {project, held, one.added + added, look_again};
}

void output_ledger::leaves(uuid run, uuid project, std::chrono::seconds life) {
  if (pending_.size() >= most_pending && !pending_.contains(run)) return;  // found when it is due
  auto& one = pending_[run];
  one.project = project;
  one.again = life;
  if (life.count() == 0) one = {project, 0, 0, life};
}

output_ledger::changes output_ledger::take() {
  if (pending_.size() <= most_told) return std::exchange(pending_, {});
  changes some;
  while (some.size() < most_told) some.insert(pending_.extract(pending_.begin()));
  return some;
}

void output_ledger::told(std::int64_t all, project_bytes const& projects, steady::time_point now) {
  all_ = all;
  for (auto const& [project, held] : projects) projects_[project] = {held, now};
  std::erase_if(projects_, [&](auto const& one) { return one.second.at + memory < now; });
  for (auto const& [run, one] : pending_) {
    all_ += one.added;
    auto& its = projects_[one.project];
    its = {its.held + one.added, now};
  }
}

void output_ledger::untold(changes of) {
  for (auto& [run, one] : of) {
    if (pending_.size() >= most_pending) return;
    auto const [at, fresh] = pending_.try_emplace(run, one);
    if (fresh) continue;
    at->second.added += one.added;
    if (!at->second.held) at->second.held = one.held;
  }
}

}  // namespace svc::output
