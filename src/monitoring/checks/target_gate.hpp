#pragma once

#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace svc::scheduler {

/// Rate-limits checks so that they cannot be used to attack a target, an address and a port: at most
/// `at_a_time` connections at the same time, and `per_minute` from each project.
///
/// One project cannot keep others out. While others wait, a project holds at most its equal share of `at_a_time`. A
/// project without a permit gets one at once, even beyond `at_a_time`. This applies as long as the target has fewer
/// than `most_at_all` permits, and the organization fewer than `at_a_time` of these extra permits. Projects that wait
/// for the same target get permits in turn. Worker-local; callers that wait or hold a permit may outlive it.
class target_gate {
  struct target;
  enum class permit_kind : std::uint8_t { shared, newcomer };

 public:
  struct limits {
    std::size_t at_a_time = 8;
    std::size_t most_at_all = 64;  ///< with the permits of newcomers
    std::size_t per_minute = 600;  ///< of one project
    /// The longest queue of one project. A check in a longer queue would not get its turn in time.
    std::size_t most_waiting = 64;
    steady::duration minute = std::chrono::seconds(60);  ///< how long a connection counts
    /// The time between two searches for unused targets, which are then removed.
    steady::duration removal_interval = std::chrono::seconds(60);
  };
  struct owner {
    uuid organization{}, project{};
  };
  /// `book`: counts the permits that projects hold, and the checks that got none; outlives this and all permits. Null
  /// for none.
  explicit target_gate(limits bounds, account* book = nullptr)
      : limits_(std::make_shared<limits const>(bounds)), book_(book) {}

  /// Permission for connections to one target. Gives its permit back in its destructor.
  class permit {
   public:
    permit(permit&&) noexcept = default;
    permit& operator=(permit&&) noexcept = default;
    /// Counts a further connection.
    void count();

   private:
    friend class target_gate;
    struct held;
    explicit permit(std::shared_ptr<held> permission);
    std::shared_ptr<held> held_;
  };

  /// Waits for a permit and counts a connection. A check that `returns` was at this target before: it passes before
  /// checks of its project that were not, and `per_minute` does not keep it out. Returns nothing if there was no
  /// permit by the deadline, too many wait already, or the caller was cancelled.
  task<std::optional<permit>> enter(std::string where, owner visitor, bool returns, deadline until);
  /// The same without waiting.
  std::optional<permit> try_enter(std::string where, owner const& visitor);
  /// Number of targets in memory.
  std::size_t targets() const { return targets_.size(); }

 private:
  struct waiting;

  std::shared_ptr<target> const& target_at(std::string where);
  void remove_idle(steady::time_point now);

  std::shared_ptr<limits const> limits_;
  account* book_;
  std::unordered_map<std::string, std::shared_ptr<target>> targets_{};
  steady::time_point forgot_at_ = steady::now();
};

}  // namespace svc::scheduler
