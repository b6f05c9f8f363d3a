#include "model/monitors/steps.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc::model::monitors;

namespace {

/// One rule is off; in the given world the model must find it, and name the right invariant.
struct mutation {
  char const* name;
  bool rules::* rule;
  char const* world;
  char const* expected;
};

constexpr mutation mutations[] = {
    {"two decide at once", &rules::decision_locks, "reminders", one_open},
    {"a result is counted beside a decision", &rules::decision_locks_results, "nobody checks", decided},
    {"an edit reads before it locks", &rules::edit_locks, "pause and resume", fitting},
    {"an edit commits before what it ends", &rules::edit_ends_outage, "pause and resume", untouched},
    {"an edit leaves the version", &rules::edit_changes_version, "an edit", decided},
    {"a result of an old version counts", &rules::count_checks_version, "an edit", no_old},
    {"a slot counts again", &rules::count_once, "fails and recovers", once},
    {"a vote is made from memory", &rules::count_from_row, "thresholds of two", no_lost},
    {"a result is committed before its decision", &rules::count_with_decision, "fails and recovers", decided},
    {"only a changed vote is decided", &rules::count_alone_only_if_agreed, "nobody checks", decided},
    {"old votes decide", &rules::decision_skips_old_results, "an edit of a monitor that nobody checks", no_old},
    {"a paused monitor is decided", &rules::decision_skips_paused, "paused, nobody checks", untouched},
    {"an outage is forgotten in an error", &rules::decision_finds_open, "nobody checks", fitting},
    {"a recovery goes to who is configured", &rules::recovery_to_notified, "a provider is taken off", reported_end},
    {"a recovery goes to who was only muted", &rules::recovery_only_to_notified, "muted from the start",
     reported_end},
    {"a mute swallows recoveries", &rules::recovery_despite_mute, "muted and not muted", reported_end},
    {"a muted failure is never told", &rules::mute_releases, "muted from the start", notified_begin},
    {"a muted failure is told by another row", &rules::release_keeps_key, "muted from the start", one_alert},
    {"each reminder is the first", &rules::reminder_counts_on, "reminders", one_alert},
    // Windows, parents and the limit of changes: at least one for each situation of the contract's table.
    {"a failure inside a window is sent", &rules::window_holds, "down inside a window", silent},
    {"a failure that outlives its window is never sent", &rules::hold_releases, "down inside a window",
     notified_begin},
    {"the end of a window sends the failure without a check", &rules::release_checks_again, "down inside a window",
     silent},
    {"nobody decides when a window ends", &rules::hold_looks_at_end, "down inside a window", woken},
    {"reminders go on inside a window", &rules::hold_pauses_reminders, "down before a window", silent},
    {"a window swallows the end of a failure that was sent", &rules::recovery_despite_hold, "down before a window",
     reported_end},
    {"a new window takes back a failure that was sent", &rules::window_keeps_sent, "a window is opened and ended",
     kept_sent},
    {"nobody decides when a window is edited", &rules::window_writes_look, "a window is opened and ended", woken},
    {"a pause inside a window notifies of the end of a suppressed failure", &rules::recovery_only_to_notified,
     "paused inside a window", reported_end},
    {"the end of an error that started inside a window is sent", &rules::period_stays_suppressed,
     "nobody checks inside a window", for_good},
    {"a parent that is down silences nobody", &rules::parent_holds, "below a parent", silent},
    {"a child does not wait for its parent", &rules::parent_is_awaited, "below a parent", silent},
    {"a child does not wait for a parent that fails once", &rules::parent_is_awaited,
     "below a parent that fails twice", silent},
    {"the cause of an outage is not named", &rules::parent_is_cause, "below a parent", cause},
    {"a parent's recovery sends the child's failure without a check", &rules::release_checks_again, "below a parent",
     silent},
    {"a child that stays down after its parent is never sent", &rules::hold_releases, "below a parent",
     notified_begin},
    {"a parent's change does not make its child decide", &rules::parent_brings_decision, "below a parent", woken},
    {"a parent's change is missed by a decision next to it", &rules::parent_is_looked_at, "below a parent", woken},
    {"reminders go on below a parent that is down", &rules::hold_pauses_reminders, "reminders below a parent",
     silent},
    {"a parent that is down swallows its child's recovery", &rules::recovery_despite_hold, "reminders below a parent",
     reported_end},
    {"the end of a mute sends a failure inside a window", &rules::all_reasons_hold,
     "muted, inside a window, below a parent", silent},
    {"too many changes are all sent", &rules::limit_holds, "too many changes", limited},
    {"the limit swallows the end of a failure that was sent", &rules::limit_spares_ends, "too many changes",
     reported_end},
};

}  // namespace

TEST_CASE("no interleaving of results, decisions, edits and crashes breaks an invariant") {
  std::uint64_t states = 0;
  std::uint32_t events = 0;
  std::string per_world;
  for (auto const& w : worlds()) {
    auto const found = explore(w, {});
    INFO(found.trace);
    CHECK(found.broken == nullptr);
    per_world += '\n' + w.name + ": " + std::to_string(found.states);
    states += found.states;
    events |= found.events;
  }
  MESSAGE("states: " << states << per_world);
  CHECK(states >= 1'000'000);
  // Everything must have happened, or the states prove nothing.
  CHECK(events == all_events);
}

TEST_CASE("each rule of monitors is needed: without it the model finds the broken invariant") {
  int caught = 0;
  for (auto const& m : mutations) {
    INFO(std::string(m.name));
    rules without;
    without.*m.rule = false;
    auto const found = explore(world_named(m.world), without);
    INFO(found.trace);
    CHECK(found.broken != nullptr);
    if (found.broken == nullptr) continue;
    CHECK(std::string_view(found.broken) == m.expected);
    ++caught;
  }
  MESSAGE(caught << " of " << std::size(mutations) << " mutations caught");
}
