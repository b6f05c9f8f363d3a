#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace svc::output {

/// Tracks how much of the budget for live output each project uses, as far as this worker knows. The numbers are the
/// latest ones of the shared ledger in Redis, plus the output that this worker has written since. Decides and does no
/// I/O. A value of one worker.
class output_ledger {
 public:
  using project_bytes = std::vector<std::pair<uuid, std::int64_t>>;

  struct change {
    uuid project;
    std::optional<std::int64_t> held{};  ///< bytes of the run in Redis; empty: unchanged
    std::int64_t added = 0;              ///< bytes that the shared ledger has not counted yet
    std::chrono::seconds again{};        ///< time until the run is checked
  };
  using changes = std::unordered_map<uuid, change, uuid_hash>;

  /// Sets the budget for all projects together.
  void set_budget(std::int64_t bytes) { budget_ = bytes; }
  /// Returns true if the project may write `more` bytes. A project may hold at most as many bytes as are free in the
  /// budget, so that a greedy project leaves space for the next one. Each project may also hold 1/256 of the budget
  /// in any case. Bytes above the budget then use memory that the budget leaves to other data.
  bool room(uuid project, std::int64_t more) const;
  /// Returns true if more than an eighth of the budget is used, so that output moved to PostgreSQL is deleted from
  /// Redis at once.
  bool crowded() const { return all_ > budget_ / 8; }

  /// Records that a run has `held` bytes in Redis now, and that `added` of these bytes are new.
  void printed(uuid run, uuid project, std::int64_t added, std::int64_t held);
  /// Records that a run's output was deleted from Redis (`life` is 0), or is to be checked again after `life`.
  void leaves(uuid run, uuid project, std::chrono::seconds life);

  /// Takes the next changes for the shared ledger, at most `longest_report`, so that they do not hold up Redis. Empty
  /// if nothing has changed.
  changes take();
  /// Applies the reply of the shared ledger, and adds the output that this worker has written since the request.
  void reported(std::int64_t all, project_bytes const& projects, steady::time_point now);
  /// Takes back changes that the shared ledger did not accept; this worker sends them again.
  void take_back(changes changes);

  std::int64_t all() const { return all_; }
  std::int64_t budget() const { return budget_; }

  /// Time until a run is checked: it may print more, it may have been deleted, or its mover may have died.
  static constexpr std::chrono::seconds look_again{60};
  static constexpr std::int64_t least_part = 256;  ///< a project may always hold this fraction (1/256) of the budget
  static constexpr std::size_t most_pending = 20'000;
  static constexpr std::size_t longest_report = 500;

 private:
  struct known_bytes {
    std::int64_t held = 0;
    steady::time_point time{};
  };

  std::int64_t budget_ = 0;
  std::int64_t all_ = 0;
  std::unordered_map<uuid, known_bytes, uuid_hash> projects_{};
  changes pending_{};
};

/// Redis's memory in bytes, as `INFO memory` reports it. A value.
struct redis_memory {
  std::int64_t used = 0;
  std::int64_t most = 0;  ///< `maxmemory`; 0: no limit
};

/// Reads the reply to `INFO memory`. Returns `std::nullopt` unless the reply has both numbers.
std::optional<redis_memory> read_memory(std::string_view info);
/// Combines the memory of the masters of a Cluster, over which the runs are spread. The result has the smallest limit
/// of all masters, and the usage of the fullest one. It has no limit if any master has none. Returns `std::nullopt`
/// if the memory of any master is unknown.
std::optional<redis_memory> together_of(std::vector<std::optional<redis_memory>> const& all);

/// Memory that all live output may take.
struct memory_share {
  int percent = 50;                      ///< of Redis's `maxmemory`
  std::int64_t otherwise = 268'435'456;  ///< bytes, if Redis has no limit or does not report it
};

/// Returns the budget for all live output, in bytes.
std::int64_t room_of(memory_share const& share, std::optional<redis_memory> const& redis);
/// Returns true if less than half of the memory that the share leaves to other data is free. No more output is
/// written then.
bool runs_short(memory_share const& share, std::optional<redis_memory> const& redis);

}  // namespace svc::output
