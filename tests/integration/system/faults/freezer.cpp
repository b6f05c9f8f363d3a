#include "freezer.hpp"

#include "support/process_tree.hpp"

#include <algorithm>
#include <csignal>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

constexpr int shortest = 200, longest = 3000, least_pause = 400, most_pause = 3600;
/// The service's own sessions; those of the test have another role.
constexpr char const* of_service = "postgres: svc_app ";

int any_of(std::mt19937& dice, int least, int most) {
  return std::uniform_int_distribution<int>(least, most)(dice);
}

template <class Some>
auto const& one_of(std::mt19937& dice, Some const& all) {
  return *std::next(all.begin(), any_of(dice, 0, static_cast<int>(all.size()) - 1));
}

freezer::kind any_kind(std::mt19937& dice) {
  int const chance = any_of(dice, 1, 100);
  if (chance <= 35) return freezer::instance;
  if (chance <= 65) return freezer::redis;
  return chance <= 90 ? freezer::session : freezer::postgres;
}

}  // namespace

freezer::freezer(dev_service const& stores, unsigned seed, shared_book<freeze>& book)
    : redis_(stores.pid_of("redis")), postgres_(stores.pid_of("postgres")), seed_(seed), book_(book) {}

void freezer::enter(std::string name, pid_t pid) {
  std::lock_guard const lock(mutex_);
  instances_.emplace(pid, std::move(name));
}

void freezer::leave(pid_t pid) {
  std::lock_guard const lock(mutex_);
  instances_.erase(pid);
  auto const iterator = std::find_if(reauthorization_.begin(), reauthorization_.end(), [&](standstill const& s) {
    return std::find(s.pids.begin(), s.pids.end(), pid) != s.pids.end();
  });
  if (iterator != reauthorization_.end()) go_on(iterator);
}

void freezer::start() {
  // At least one of each kind, whatever the dice say.
  threads_.emplace_back([this] { work({redis, session}, std::mt19937(seed_)); });
  threads_.emplace_back([this] { work({instance, postgres}, std::mt19937(seed_ + 1)); });
}

void freezer::stop() {
  {
    std::lock_guard const lock(mutex_);
    over_ = true;
    while (!reauthorization_.empty()) go_on(reauthorization_.begin());
    changed_.notify_all();
  }
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

std::array<int, freezer::kinds> freezer::counted() const {
  std::lock_guard const lock(mutex_);
  return count_;
}

bool freezer::has_stopped_each() const {
  auto const all = counted();
  return std::all_of(all.begin(), all.end(), [](int count) { return count > 0; });
}

void freezer::work(std::vector<kind> first, std::mt19937 dice) {
  std::shuffle(first.begin(), first.end(), dice);
  while (rest(milliseconds(first.empty() ? any_of(dice, least_pause, most_pause) : least_pause))) {
    auto const next = first.empty() ? any_kind(dice) : first.back();
    if (hold(next, dice) && !first.empty()) first.pop_back();
  }
}

/// False when the campaign is over.
bool freezer::rest(milliseconds how_long) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, how_long, [this] { return over_; });
}

/// False when there is nothing to stop.
bool freezer::hold(kind kind, std::mt19937& dice) {
  std::unique_lock lock(mutex_);
  auto chosen = over_ ? std::nullopt : choose(kind, dice);
  if (!chosen) return false;
  ++count_[kind];
  chosen->start = clock::now();
  chosen->until = chosen->start + milliseconds(any_of(dice, shortest, longest));
  for (auto const pid : chosen->pids) ::kill(pid, SIGSTOP);
  if (kind == postgres) {
    // The parent stands still already, so it starts no new children and reaps none.
    for (auto const child : children_of(postgres_)) chosen->pids.push_back(child);
    for (auto const pid : chosen->pids) ::kill(pid, SIGSTOP);
  }
  auto const until = chosen->until;
  auto const pid = chosen->pids.front();
  reauthorization_.push_back(std::move(*chosen));
  auto const mine = [&] {
    return std::find_if(reauthorization_.begin(), reauthorization_.end(),
                        [&](auto const& s) { return s.pids.front() == pid; });
  };
  changed_.wait_until(lock, until, [&] { return mine() == reauthorization_.end(); });
  if (auto const still = mine(); still != reauthorization_.end()) go_on(still);
  return true;
}

/// Nothing when all candidates stand still already.
std::optional<freezer::standstill> freezer::choose(kind kind, std::mt19937& dice) const {
  if (kind == redis && !is_frozen(redis)) return standstill{kind, "Redis", {redis_}, {}, {}};
  if (kind == session && !is_frozen(postgres)) return choose_session(dice);
  if (kind == postgres && !is_frozen(postgres) && !is_frozen(session))
    return standstill{kind, "PostgreSQL", {postgres_}, {}, {}};
  if (kind != instance) return std::nullopt;
  auto awake = instances_;
  for (auto const& entry : reauthorization_) awake.erase(entry.pids.front());
  if (awake.empty()) return std::nullopt;
  auto const& [pid, name] = one_of(dice, awake);
  return standstill{kind, name, {pid}, {}, {}};
}

/// Every second time one that is busy, if there is any: it may hold locks.
std::optional<freezer::standstill> freezer::choose_session(std::mt19937& dice) const {
  std::vector<pid_t> all, busy;
  for (auto const pid : children_of(postgres_)) {
    auto const title = title_of(pid);
    bool const frozen = std::any_of(reauthorization_.begin(), reauthorization_.end(),
                                    [&](auto const& s) { return s.pids.front() == pid; });
    if (!title.starts_with(of_service) || frozen) continue;
    all.push_back(pid);
    if (!title.ends_with(" idle")) busy.push_back(pid);
  }
  if (all.empty()) return std::nullopt;
  bool const from_busy = !busy.empty() && any_of(dice, 0, 1) == 1;
  return standstill{session, "a session of PostgreSQL", {one_of(dice, from_busy ? busy : all)}, {}, {}};
}

bool freezer::is_frozen(kind kind) const {
  return std::any_of(reauthorization_.begin(), reauthorization_.end(),
                     [&](auto const& standstill) { return standstill.kind == kind; });
}

void freezer::go_on(std::list<standstill>::iterator entry) {
  for (auto const pid : entry->pids) ::kill(pid, SIGCONT);
  book_.add({entry->name, entry->start, clock::now()});
  reauthorization_.erase(entry);
  changed_.notify_all();
}

}  // namespace svc::test
