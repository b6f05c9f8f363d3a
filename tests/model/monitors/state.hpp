#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

/// Two workers that count results of one monitor and decide, a user who edits it, and a parent that it may depend on,
/// on one database: every interleaving of their statements, with crashes between them. The decisions are the real
/// ones of `alerting`.
namespace svc::model::monitors {

using u8 = std::uint8_t;

inline constexpr u8 worker_count = 2, max_locations = 2, max_outages = 4, max_alerts = 16, max_edits = 3;
/// Providers are 1 and 2, in sets as bits 0 and 1.
inline constexpr u8 provider_count = 2;
/// One tick is the monitor's interval; slot k is due at tick k. A moment that may be missing is stored as its tick +
/// 1.
inline constexpr int tick_seconds = 60;
/// Ticks for which a requested check, and the results of a parent, are waited for: their attempts and the slack.
inline constexpr u8 recheck_ticks = 1, parent_ticks = 2;
/// In worlds with a limit, this many changes of the verdict in this time reach it.
inline constexpr u8 limit_changes = 2, limit_ticks = 3;

// Everything below is bytes without padding, all zero when unused: states are copied, compared and hashed as bytes.

/// alerting::location_state.
struct kept {
  u8 says, fails, oks, errors, failing, good, conclusion, seen;
  friend bool operator==(kept const&, kept const&) = default;
};

/// A row of check_states.
struct check_row {
  u8 version, last_slot;
  kept state;
  friend bool operator==(check_row const&, check_row const&) = default;
};

/// Rows have `touched` set while their transaction has not committed.
struct outage_row {
  u8 id, started, ended, acknowledged, notified_at, touched;
  u8 detected, held, hold_ended, caused_by;
};
struct alert_row {
  u8 type, about, number, target, suppressed, used, touched;
  u8 first;  ///< `suppressed` of the new row
};

struct monitor_row {
  u8 live, version, muted_until, providers;  // the settings of users
  u8 verdict, since, period, last_ended;     // the values that decisions write
  u8 look_at;                                ///< the time of the next decision without a result
  u8 asked;                                  ///< a check was requested and has no result
  std::array<u8, limit_changes> changes;     ///< of the verdict, the newest ones, the oldest first
  u8 limit_recorded, left_out;
};

/// The occurrence of a maintenance window; `end` 0: there is none.
struct window_row {
  u8 start, end;
};

/// The parent, as far as a decision reads it. Its own transactions are single steps.
struct parent_row {
  u8 there, down, failing, seen, outage, last_ended;
};

struct database {
  monitor_row monitor;
  window_row window;
  parent_row parent;
  std::array<check_row, max_locations> checks;
  std::array<outage_row, max_outages> outages;
  std::array<alert_row, max_alerts> alerts;
};

enum class doing : u8 {
  idle,
  holding,   ///< has a result, and no transaction
  locked,    ///< has the monitor's row locked
  counted,   ///< has counted the result in its transaction
  decided,   ///< has written the decision
  reported,  ///< its COMMIT is done, but the worker does not know that
  owing      ///< has counted in a separate transaction, and decides next (only if a rule is off)
};

struct worker {
  doing phase;
  u8 requested;                                ///< the result is of a requested check
  u8 location, slot, version, outcome, began;  ///< the result; outcome 0: no result, the worker only looks
  std::array<u8, max_locations> probed;        ///< for each location the newest slot that the worker has checked
  std::array<kept, max_locations> memory;      ///< the rows as the worker knows them (only if a rule is off)
  database draft;                              ///< the writes of its transaction
};

enum class edit : u8 {
  none,
  pause,
  resume,
  change,
  mute,
  unmute,
  take_provider,
  acknowledge,
  remove,
  open_window,
  end_window,
  drop_parent
};

struct editor {
  doing phase;
  u8 next;  ///< the next of the world's edits
  u8 half;  ///< the edit is committed, but its endings are not (only if a rule is off)
  database draft;
};

struct state {
  u8 now, locked_by;  ///< 0 none, 1 and 2 the workers, 3 the editor
  u8 crashes;         ///< crashes that may still happen
  u8 ids;             ///< ids of outages and periods; a sequence, which also counts on without a commit
  database rows;
  std::array<worker, worker_count> workers;
  editor user;
  // No program knows the following members; the invariants use them.
  std::array<kept, max_locations> truth;  ///< the votes that follow from the counted results
  std::array<u8, max_locations> truth_version;
  std::array<u8, max_locations> slots;  ///< set of the counted slots
  u8 seen_version;                      ///< the newest version with a counted result
  u8 hold_over;                         ///< end of the time in which a window or the parent last held failures back
  u8 parent_unseen;                     ///< the newest check of the parent that found nothing to wake
};
static_assert(std::has_unique_object_representations_v<state> && std::is_trivially_copyable_v<state>);

}  // namespace svc::model::monitors
