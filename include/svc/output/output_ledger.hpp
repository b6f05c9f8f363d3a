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

/// Who has how much of the room for live output, as far as this worker knows: what the books said last, and what it
/// has written since. It decides and does no I/O. A value of one worker.
class output_ledger {
 public:
  using project_bytes = std::vector<std::pair<uuid, std::int64_t>>;

  struct change {
    uuid project;
    std::optional<std::int64_t> held{};  ///< bytes of the run; nothing: as they are
    std::int64_t added = 0;              ///< of these since the last telling
    std::chrono::seconds again{};        ///< when the run is to be looked at
  };
  using changes = std::unordered_map<uuid, change, uuid_hash>;

  /// The whole room.
  void set_budget(std::int64_t bytes) { budget_ = bytes; }
  /// A project may have as much as it leaves free, so that greedy ones leave room for the next; and a small part of
  /// the whole in any case, which comes out of what the budget leaves to everything else.
  bool room(uuid project, std::int64_t more) const;
  /// An eighth of the room is taken: what has moved to PostgreSQL goes at once.
  bool crowded() const { return all_ > budget_ / 8; }

  /// A run has `held` bytes now, `added` of them just now.
  void printed(uuid run, uuid project, std::int64_t added, std::int64_t held);
  /// A run's output is gone, or goes by itself within `life`.
  void leaves(uuid run, uuid project, std::chrono::seconds life);

  /// What the books must be told, no more than Redis can take without a pause; empty when nothing has changed.
  changes take();
  /// What they said then. What was written since is added.
  void told(std::int64_t all, project_bytes const& projects, steady::time_point now);
  /// They were not reached.
  void untold(changes of);

  std::int64_t all() const { return all_; }
  std::int64_t budget() const { return budget_; }

  /// At a run that may print on, was deleted, or whose mover was lost.
  static constexpr std::chrono::seconds look_again{60};
  static constexpr std::int64_t least_part = 256;  ///< one of so many
  static constexpr std::size_t most_pending = 20'000;
  static constexpr std::size_t most_told = 500;

 private:
  struct known {
    std::int64_t held = 0;
    steady::time_point at{};
  };

  std::int64_t budget_ = 0;
  std::int64_t all_ = 0;
  std::unordered_map<uuid, known, uuid_hash> projects_{};
  changes pending_{};
};

/// What Redis says of its memory, in bytes. A value.
struct redis_memory {
  std::int64_t used = 0;
  std::int64_t most = 0;  ///< 0: as much as the machine has
};

/// Of the reply to `INFO memory`; nothing when it has not both.
std::optional<redis_memory> read_memory(std::string_view info);

/// What all live output may take.
struct memory_share {
  int percent = 50;                      ///< of Redis's `maxmemory`
  std::int64_t otherwise = 268'435'456;  ///< bytes, where Redis has no limit or does not tell it
};

/// The whole room for live output.
std::int64_t room_of(memory_share const& share, std::optional<redis_memory> const& told);
/// Half of what the share leaves to everything else is taken, whoever took it: output takes nothing more.
bool runs_short(memory_share const& share, std::optional<redis_memory> const& told);

}  // namespace svc::output
