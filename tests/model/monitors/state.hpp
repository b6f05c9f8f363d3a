#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

/// Two workers that count results of one monitor and decide, and a user who edits it, on one database: every
/// interleaving of their statements, with crashes between them. The decisions are the real ones of `alerting`.
namespace svc::model::monitors {

using u8 = std::uint8_t;

inline constexpr u8 worker_count = 2, max_locations = 2, max_outages = 4, max_alerts = 16, max_edits = 3;
/// Providers are 1 and 2, in sets as bits 0 and 1.
inline constexpr u8 provider_count = 2;
/// One tick is the monitor's interval; slot k is due at tick k. Where a moment may be missing, it is its tick + 1.
inline constexpr int tick_seconds = 60;

// Everything below is bytes without padding, all zero when unused: states are copied, compared and hashed as bytes.

/// alerting::location_state.
struct kept {
  u8 says, fails, oks, errors, failing, good, evidence, seen;
  friend bool operator==(kept const&, kept const&) = default;
};

/// A row of check_states.
struct check_row {
  u8 version, last_slot;
  kept state;
  friend bool operator==(check_row const&, check_row const&) = default;
};

/// Rows bear `touched` while their transaction has not committed.
struct outage_row {
  u8 id, started, ended, acknowledged, told_at, touched;
};
struct alert_row {
  u8 type, about, number, target, suppressed, used, touched;
};

struct monitor_row {
  u8 live, version, muted_until, providers;  // what users set
  u8 verdict, since, period, last_ended;     // what decisions write
};

struct database {
  monitor_row monitor;
  std::array<check_row, max_locations> checks;
  std::array<outage_row, max_outages> outages;
  std::array<alert_row, max_alerts> alerts;
};

enum class doing : u8 {
  idle,
  holding,   ///< has a result, and no transaction
  locked,    ///< has the monitor's row locked
  counted,   ///< has counted the result in its transaction
  decided,   ///< has written what was decided
  reported,  ///< its COMMIT is done, and it has not heard of that
  owing      ///< has counted in a transaction of its own, and decides next (only where a rule is off)
};

struct worker {
  doing phase;
  u8 location, slot, version, outcome, began;  ///< the result; outcome 0: nothing, it only looks
  std::array<u8, max_locations> probed;        ///< the newest slot of each location that it has checked
  std::array<kept, max_locations> memory;      ///< what it believes the rows to be (only where a rule is off)
  database draft;                              ///< what its transaction has written
};

enum class edit : u8 { none, pause, resume, change, mute, unmute, take_provider, acknowledge, remove };

struct editor {
  doing phase;
  u8 next;  ///< of the world's edits
  u8 half;  ///< the edit is committed, and what it ends is not (only where a rule is off)
  database draft;
};

struct state {
  u8 now, locked_by;  ///< 0 nobody, 1 and 2 the workers, 3 the editor
  u8 crashes;         ///< that may still happen
  u8 ids;             ///< of outages and periods; a sequence, which counts on also for who does not commit
  database rows;
  std::array<worker, worker_count> workers;
  editor user;
  // What no program knows, to judge by.
  std::array<kept, max_locations> truth;  ///< what the counted results make
  std::array<u8, max_locations> truth_version;
  std::array<u8, max_locations> slots;  ///< set of those that were counted
  u8 seen_version;                      ///< the newest version with a counted result
};
static_assert(std::has_unique_object_representations_v<state> && std::is_trivially_copyable_v<state>);

}  // namespace svc::model::monitors
