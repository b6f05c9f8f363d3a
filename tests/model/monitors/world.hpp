#pragma once

#include "model/monitors/state.hpp"
#include "svc/domain/monitoring/alerting/decide.hpp"

#include <string>
#include <vector>

namespace svc::model::monitors {

/// All hold; a mutation turns one off.
struct rules {
  bool decision_locks = true;              ///< a decision has the monitor's row locked from its first statement on
  bool decision_locks_results = true;      ///< and from its second one on all rows of votes
  bool edit_locks = true;                  ///< an edit too, before it reads what it ends
  bool edit_ends_outage = true;            ///< in its own transaction
  bool edit_changes_version = true;        ///< so that what ran before counts no more
  bool count_checks_version = true;        ///< of the result against the monitor's
  bool count_once = true;                  ///< only slots after the newest that was counted
  bool count_from_row = true;              ///< not from what the worker remembers
  bool count_with_decision = true;         ///< in one transaction
  bool count_alone_only_if_agreed = true;  ///< must_decide, and not only a changed vote
  bool decision_skips_old_results = true;  ///< those of another version
  bool decision_skips_paused = true;
  bool decision_finds_open = true;        ///< an outage that is open is the same one, whatever the verdict between
  bool recovery_to_notified = true;       ///< not to who is configured now
  bool recovery_only_to_notified = true;  ///< and not to who was only muted
  bool recovery_despite_mute = true;
  bool mute_releases = true;      ///< muted failures are reported when the mute ends
  bool release_keeps_key = true;  ///< as the row that there is
  bool reminder_counts_on = true;
  // Windows, parents and the limit of changes.
  bool window_holds = true;             ///< failures inside are suppressed
  bool window_keeps_sent = true;        ///< a new window takes no failure back that was sent
  bool window_writes_look = true;       ///< an edit of windows brings a decision
  bool hold_looks_at_end = true;        ///< the end of a window by the clock brings a decision
  bool hold_releases = true;            ///< failures that outlive a hold are sent
  bool release_checks_again = true;     ///< only after one more failing check
  bool hold_pauses_reminders = true;    ///< also of failures that were sent before
  bool recovery_despite_hold = true;    ///< inside a window, and while a parent is down
  bool period_stays_suppressed = true;  ///< also its end
  bool all_reasons_hold = true;         ///< and not only the first one
  bool parent_holds = true;             ///< a parent that is down suppresses
  bool parent_is_awaited = true;        ///< a parent that may be found down soon suppresses, too
  bool parent_is_cause = true;          ///< its outage is named
  bool parent_brings_decision = true;   ///< a change of the parent makes the monitor decide
  bool parent_is_looked_at = true;      ///< a decision finds a change that the parent's transaction missed
  bool limit_holds = true;              ///< after too many changes no failure is sent
  bool limit_spares_ends = true;        ///< but the end of a failure that was sent is
};

/// A setting to explore.
struct world {
  std::string name;
  std::string outcomes = "+-";  ///< of checks: + good, - bad, e none
  u8 ticks = 2;                 ///< at 0 and each until this one, checks are due
  u8 workers = worker_count;
  u8 crashes = 1;
  u8 locations = 1;
  u8 failure = 1, recovery = 1;  ///< thresholds
  alerting::strategy strategy = alerting::strategy::majority;
  bool looks = false;  ///< decisions only by the clock, at any time
  bool due = false;    ///< decisions only by the clock, when the last decision or an edit said
  u8 reminder = 0;     ///< ticks
  u8 muted_until = 0;  ///< tick + 1
  u8 providers = 0b11;
  bool notifies_errors = false;
  std::vector<edit> edits{};            ///< by one user, in order
  u8 window_start = 0, window_end = 0;  ///< tick + 1 of the first occurrence; 0: none
  std::string parent{};                 ///< the outcomes of the parent's checks; empty: there is no parent
  u8 parent_failure = 1;                ///< its threshold
  bool limited = false;                 ///< `limit_changes` in `limit_ticks` are too many
};

std::vector<world> const& worlds();
world const& world_named(std::string_view name);

struct outcome {
  std::uint64_t states = 0;
  std::uint32_t events = 0;  ///< what happened in some of them
  char const* broken = nullptr;
  std::string trace{};  ///< of a broken invariant, readable
};

/// Explores every interleaving, depth first; does not enter a state twice.
outcome explore(world const& where, rules const& rules);

// The invariants, by the names in the tables.
inline constexpr char const* one_open = "at most one outage is open";
inline constexpr char const* fitting =
    "an outage is open while down, or in error after it, and never of a paused monitor";
inline constexpr char const* one_alert = "one alert for an outage, its number and a provider";
inline constexpr char const* notified_begin =
    "who is configured is told when an outage begins, or when its mute ends";
inline constexpr char const* reported_end = "who was told of an outage is told of its end once, and nobody else";
inline constexpr char const* no_old = "nothing old decides";
inline constexpr char const* once = "a slot counts once";
inline constexpr char const* no_lost = "a vote is what the counted results make";
inline constexpr char const* decided = "what was counted is decided";
inline constexpr char const* untouched = "a paused monitor has no verdict";
inline constexpr char const* silent =
    "nothing is sent about a failure inside a window, below a parent that is or may be down, or before one more "
    "check";
inline constexpr char const* limited = "after too many changes no failure is sent";
inline constexpr char const* kept_sent = "what was sent stays sent";
inline constexpr char const* for_good = "what starts suppressed and is no outage is never sent";
inline constexpr char const* cause = "the outage of a parent that silences a failure is its cause";
inline constexpr char const* woken = "what time, a window or a parent changes is decided";

}  // namespace svc::model::monitors
