#include "svc/store/runs/queue_gate.hpp"

#include "store/runs/new_run_sql.hpp"
#include "store/runs/trigger_queue.hpp"
#include "store/sql/settled.hpp"

#include <algorithm>
#include <unordered_map>

namespace svc::store {

namespace {

/// A full queue is not counted again within this time. A refused client retries after a second at the earliest.
constexpr milliseconds full_for{250};
/// When this many projects are known, those without open places are forgotten.
constexpr std::size_t most_projects = 10'000;

constexpr postgres::statement count_queued{"queue_count", R"(
SELECT queued_runs(project_id, $2) FROM unnest($1::uuid[]) WITH ORDINALITY asked (project_id, place) ORDER BY place)"};

}  // namespace

struct queue_gate::shared {
  struct project {
    std::int64_t left = 0;   ///< runs that may still be let in
    std::int64_t taken = 0;  ///< places taken so far
    std::int64_t over = 0;   ///< how many of those places have ended
    steady::time_point full_until{};
  };

  bounds bounds;
  std::unordered_map<uuid, project, uuid_hash> projects{};
};

queue_gate::bounds queue_gate::make_bounds(std::int64_t limit, int workers, int instances) {
  auto const batch = static_cast<std::int64_t>(trigger_queue::bounds{}.batch);
  return {limit, std::max<std::int64_t>(1, batch / workers), 2 * batch * workers * instances};
}

queue_gate::queue_gate() : queue_gate(bounds{}) {}
queue_gate::queue_gate(bounds bounds) : shared_(std::make_shared<shared>(bounds)) {}

void queue_gate::change(bounds bounds) {
  shared_->bounds = bounds;
}

std::int64_t queue_gate::limit() const {
  return shared_->bounds.limit;
}

queue_state queue_gate::state(uuid project, steady::time_point now) const {
  if (limit() == 0) return queue_state::room;
  auto const known = shared_->projects.find(project);
  if (known == shared_->projects.end()) return queue_state::uncounted;
  if (known->second.left > 0) return queue_state::room;
  return now < known->second.full_until ? queue_state::full : queue_state::uncounted;
}

std::vector<queue_gate::counting> queue_gate::uncounted(std::map<uuid, std::int64_t> const& wanted,
                                                        steady::time_point now) const {
  std::vector<counting> out;
  if (limit() == 0) return out;
  for (auto const& [project, rows] : wanted) {
    auto const known = shared_->projects.find(project);
    bool const seen = known != shared_->projects.end();
    if (seen && (known->second.left >= rows || state(project, now) == queue_state::full)) continue;
    out.push_back({project, rows, seen ? known->second.over : 0});
  }
  return out;
}

/// The count includes the runs of places that ended before it began. It may or may not include the runs of all other
/// places, so these are subtracted as if it did not.
void queue_gate::counted(counting const& count, std::int64_t queued, steady::time_point now) {
  auto& all = shared_->projects;
  if (all.size() >= most_projects) std::erase_if(all, [](auto const& p) { return p.second.taken == p.second.over; });
  auto& known = all[count.project];
  bounds const& bounds = shared_->bounds;
  std::int64_t const room = bounds.limit - queued - std::max<std::int64_t>(0, known.taken - count.over);
  std::int64_t const most = room >= bounds.ample ? std::max(bounds.share, count.wanted) : bounds.share;
  known.left = std::clamp<std::int64_t>(room, 0, most);
  known.full_until = room > 0 ? steady::time_point{} : now + full_for;
}

queue_gate::reservation queue_gate::take(uuid project) {
  if (limit() == 0) return {};
  auto& known = shared_->projects[project];
  --known.left;
  ++known.taken;
  return {shared_, project};
}

queue_gate::reservation& queue_gate::reservation::operator=(reservation&& other) noexcept {
  leave();
  state_ = std::move(other.state_);
  project_ = other.project_;
  used_ = other.used_;
  return *this;
}

void queue_gate::reservation::leave() {
  if (!state_) return;
  auto& known = state_->projects[project_];
  ++known.over;
  if (!used_) known.left = std::min(known.left + 1, std::max(known.left, state_->bounds.share));
  state_.reset();
}

postgres::query queue_count_query(std::vector<queue_gate::counting> const& counts, std::int64_t most) {
  std::vector<uuid> projects;
  for (auto const& count : counts) projects.push_back(count.project);
  return {count_queued, postgres::parameters(projects, most)};
}

void learn_counts(queue_gate& gate, std::vector<queue_gate::counting> const& counts, postgres::rows const& found) {
  auto const now = steady::now();
  for (std::size_t i = 0; i < counts.size(); ++i) gate.counted(counts[i], found[static_cast<int>(i)].integer(0), now);
}

task<std::optional<queue_gate::reservation>> reserve_queue_slot(postgres::unit_of_work& work, queue_gate gate,
                                                                uuid project) {
  for (;;) {
    auto const unknown = gate.uncounted({{project, 1}}, steady::now());
    if (!unknown.empty()) {
      learn_counts(gate, unknown, settled(co_await work.run(queue_count_query(unknown, gate.limit()))));
    }
    auto const state = gate.state(project, steady::now());
    if (state == queue_state::room) co_return gate.take(project);
    if (state == queue_state::full) co_return std::nullopt;
  }
}

}  // namespace svc::store
