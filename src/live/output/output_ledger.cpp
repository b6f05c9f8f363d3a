#include "svc/live/output/output_ledger.hpp"

#include "svc/core/numbers.hpp"

#include <algorithm>

namespace svc::output {

namespace {

/// A project that prints nothing for this long is forgotten here; the shared ledger still has it.
constexpr std::chrono::seconds longest_silence{10};

}  // namespace

bool output_ledger::room(uuid project, std::int64_t more) const {
  auto const found = projects_.find(project);
  auto const wanted = (found == projects_.end() ? 0 : found->second.held) + more;
  return wanted <= budget_ - all_ - more || wanted <= budget_ / least_part;
}

void output_ledger::printed(uuid run, uuid project, std::int64_t added, std::int64_t held) {
  all_ += added;
  projects_[project].held += added;
  if (pending_.size() >= most_pending && !pending_.contains(run)) return;  // its next lines report all its bytes
  auto& change = pending_[run];
  change = {project, held, change.added + added, look_again};
}

void output_ledger::leaves(uuid run, uuid project, std::chrono::seconds life) {
  if (pending_.size() >= most_pending && !pending_.contains(run)) return;  // the check finds it when the run is due
  auto& change = pending_[run];
  change.project = project;
  change.again = life;
  if (life.count() == 0) change = {project, 0, 0, life};
}

output_ledger::changes output_ledger::take() {
  if (pending_.size() <= longest_report) return std::exchange(pending_, {});
  changes some;
  while (some.size() < longest_report) some.insert(pending_.extract(pending_.begin()));
  return some;
}

void output_ledger::reported(std::int64_t all, project_bytes const& projects, steady::time_point now) {
  all_ = all;
  for (auto const& [project, held] : projects) projects_[project] = {held, now};
  std::erase_if(projects_, [&](auto const& entry) { return entry.second.time + longest_silence < now; });
  for (auto const& [run, change] : pending_) {
    all_ += change.added;
    auto& its = projects_[change.project];
    its = {its.held + change.added, now};
  }
}

void output_ledger::take_back(changes changes) {
  for (auto& [run, change] : changes) {
    if (pending_.size() >= most_pending) return;
    auto const [position, fresh] = pending_.try_emplace(run, change);
    if (fresh) continue;
    position->second.added += change.added;
    if (!position->second.held) position->second.held = change.held;
  }
}

namespace {

std::optional<std::int64_t> number_of(std::string_view info, std::string_view field) {
  while (!info.empty()) {
    auto const end = info.find('\n');
    auto line = info.substr(0, end);
    info = end == std::string_view::npos ? std::string_view() : info.substr(end + 1);
    if (!line.starts_with(field)) continue;
    line.remove_prefix(field.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    auto const value = parse_number<std::int64_t>(line);
    return value && *value >= 0 ? value : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<redis_memory> read_memory(std::string_view info) {
  auto const used = number_of(info, "used_memory:"), most = number_of(info, "maxmemory:");
  if (!used || !most) return std::nullopt;
  return redis_memory{*used, *most};
}

std::optional<redis_memory> together_of(std::vector<std::optional<redis_memory>> const& all) {
  std::optional<redis_memory> out;
  for (auto const& memory : all) {
    if (!memory) return std::nullopt;
    if (!out) out = memory;
    out = redis_memory{std::max(out->used, memory->used), std::min(out->most, memory->most)};
  }
  if (!out) return std::nullopt;
  auto const count = static_cast<std::int64_t>(all.size());
  return redis_memory{out->used * count, out->most * count};
}

std::int64_t room_of(memory_share const& share, std::optional<redis_memory> const& redis) {
  if (!redis || redis->most == 0) return share.otherwise;
  return redis->most / 100 * share.percent;
}

bool runs_short(memory_share const& share, std::optional<redis_memory> const& redis) {
  if (!redis || redis->most == 0) return false;
  return redis->used > redis->most / 200 * (100 + share.percent);
}

}  // namespace svc::output
