#pragma once

#include "svc/core/uuid.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace svc::output {

class follower;

/// Which runs are followed on one worker and by whom, and when the database is asked which of them have ended.
/// Decides and does no I/O. Worker-local.
class followed_runs {
 public:
  using followers = std::unordered_set<follower*>;

  /// Each round asks while the hub does not hear; while it does, each of so many.
  explicit followed_runs(int rounds_when_told) : rounds_when_told_(rounds_when_told) {}

  /// True: nobody else follows this run, so the hub is to watch it.
  bool add(uuid run, follower& who) {
    auto& here = runs_[run];
    bool const first = here.empty();
    here.insert(&who);
    return first;
  }
  /// True: nobody follows this run any more, so the hub is to leave it.
  bool remove(uuid run, follower& who) {
    auto const found = runs_.find(run);
    if (found == runs_.end()) return false;
    found->second.erase(&who);
    if (!found->second.empty()) return false;
    runs_.erase(found);
    return true;
  }
  /// Who is told of this run; null: nobody.
  followers const* of(uuid run) const {
    auto const found = runs_.find(run);
    return found == runs_.end() ? nullptr : &found->second;
  }

  /// True: rounds begin now. They go on until `ends_rounds`.
  bool begins_rounds() {
    if (std::exchange(in_rounds_, true)) return false;
    round_ = 0;
    return true;
  }
  /// True: nobody follows a run, so the next follower begins the rounds anew.
  bool ends_rounds() {
    in_rounds_ = !runs_.empty();
    return !in_rounds_;
  }
  /// A round has passed. Which runs the database is asked for; none: it is not asked.
  std::vector<uuid> due(bool hub_hears) {
    ++round_;
    if (hub_hears && round_ % rounds_when_told_ != 0) return {};
    std::vector<uuid> out;
    for (auto const& [run, who] : runs_) out.push_back(run);
    return out;
  }

 private:
  std::unordered_map<uuid, followers, uuid_hash> runs_{};
  int const rounds_when_told_;
  int round_ = 0;
  bool in_rounds_ = false;
};

}  // namespace svc::output
