#pragma once

#include "svc/core/uuid.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace svc::output {

class follower;

/// The followed runs of one worker, their followers, and the times to ask the database which of the runs have
/// ended. Decides and does no I/O. Worker-local.
class followed_runs {
 public:
  using followers = std::unordered_set<follower*>;

  /// While the hub's subscriptions are active, one round in `rounds_when_notified` asks the database; otherwise each
  /// round.
  explicit followed_runs(int rounds_when_notified) : rounds_when_notified_(rounds_when_notified) {}

  /// Returns true if this is the run's first follower, so that the hub must watch the run.
  bool add(uuid run, follower& follower) {
    auto& here = runs_[run];
    bool const first = here.empty();
    here.insert(&follower);
    return first;
  }
  /// Returns true if this was the run's last follower, so that the hub must leave the run.
  bool remove(uuid run, follower& follower) {
    auto const found = runs_.find(run);
    if (found == runs_.end()) return false;
    found->second.erase(&follower);
    if (!found->second.empty()) return false;
    runs_.erase(found);
    return true;
  }
  /// Returns the followers of this run; null if there are none.
  followers const* followers_of(uuid run) const {
    auto const found = runs_.find(run);
    return found == runs_.end() ? nullptr : &found->second;
  }

  /// Returns true if the caller must start the rounds now, false if they run already.
  bool begins_rounds() {
    if (std::exchange(in_rounds_, true)) return false;
    round_ = 0;
    return true;
  }
  /// Returns true if no run is followed, so that the rounds end; the next follower starts them again.
  bool ends_rounds() {
    in_rounds_ = !runs_.empty();
    return !in_rounds_;
  }
  /// Counts a round. Returns the runs to ask the database about; empty: do not ask.
  std::vector<uuid> due(bool hub_subscribed) {
    ++round_;
    if (hub_subscribed && round_ % rounds_when_notified_ != 0) return {};
    std::vector<uuid> out;
    for (auto const& [run, audience] : runs_) out.push_back(run);
    return out;
  }

 private:
  std::unordered_map<uuid, followers, uuid_hash> runs_{};
  int const rounds_when_notified_;
  int round_ = 0;
  bool in_rounds_ = false;
};

}  // namespace svc::output
