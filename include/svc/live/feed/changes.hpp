#pragma once

#include "svc/core/uuid.hpp"
#include "svc/domain/role.hpp"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace svc::feed {

// The kinds of things whose changes a project's pages learn of, as audit rows name them, each with the permission
// that a viewer needs. `run` stands for runs that were deleted or cancelled by a request; new states of runs are
// reported separately.
// clang-format off
#define SVC_FEED_RESOURCES(X) \
  X(job, job_view) X(test, test_view) X(run, run_view) X(tag, tag_view) X(variable, variable_view) \
  X(monitor, monitor_view) X(outage, monitor_view) X(alert, monitor_view) X(maintenance_window, monitor_view) \
  X(status_page, status_page_view) X(component, status_page_view) X(incident, status_page_view) \
  X(post, status_page_view) X(subscriber, status_page_update) \
  X(notification_provider, notification_view) X(cli_token, token_view) X(trigger_key, token_view) \
  X(member, project_view) X(project, project_view) X(runner, project_runners)
// clang-format on

#define SVC_FEED_RESOURCE(name, permission) name,
enum class resource : std::uint8_t { SVC_FEED_RESOURCES(SVC_FEED_RESOURCE) };
#undef SVC_FEED_RESOURCE

#define SVC_FEED_RESOURCE(name, permission) +1
inline constexpr std::size_t resources = 0 SVC_FEED_RESOURCES(SVC_FEED_RESOURCE);
#undef SVC_FEED_RESOURCE

std::string_view to_string(resource name);
/// Returns nothing for a kind that no page of a project shows.
std::optional<resource> parse_resource(std::string_view name);
/// Returns the permission of a viewer who may learn of changes of this kind.
permission permission_of(resource name);

/// The step of a run's life that a state belongs to; later states of a run have a higher `run_order`.
enum class run_step : std::uint8_t { running = 1, queued = 2, ended = 3 };

/// Orders the states of one run: by attempt, and within an attempt running, queued again, ended.
constexpr std::int64_t run_order(std::int64_t attempt, run_step step) {
  return attempt * 4 + static_cast<std::int64_t>(step);
}

/// A state of a run after a change. A value.
struct run_state {
  uuid run;
  std::optional<uuid> job{};  ///< empty: the run of a single test
  std::string status{};       ///< as runs show it
  std::int64_t order = 0;     ///< `run_order`; the highest one of a run is its newest state

  friend bool operator==(run_state const&, run_state const&) = default;
};

/// Bounds of a set of changes.
struct change_bounds {
  std::size_t all;   ///< entries in the set
  std::size_t kind;  ///< entries of one kind
};

/// The most entries that a project collects for one message, and the most ids in one event.
inline constexpr std::size_t most_collected = 1000, most_named = 200;
inline constexpr change_bounds collector_bounds{most_collected, most_collected};

/// The changes of one project since some moment: each thing once, a run with its newest state. If a kind has reached
/// a bound, the set only records that it has further changes. Decides and does no I/O. A value.
class change_set {
 public:
  explicit change_set(change_bounds most) : most_(most) {}

  void add(run_state state);
  void add(resource kind, uuid id);
  /// Records that further things of this kind have changed.
  void add_more(resource kind) { more_.set(static_cast<std::size_t>(kind)); }
  void add_more_runs() { more_runs_ = true; }
  /// Adds the things of another set whose kinds are resources.
  void add_all_but_runs(change_set const& others);

  bool empty() const { return count_ == 0 && more_.none() && !more_runs_; }
  /// Returns the number of named things.
  std::size_t size() const { return count_; }

  std::map<uuid, run_state> const& runs() const { return runs_; }
  bool more_runs() const { return more_runs_; }
  std::set<uuid> const& ids(resource kind) const { return ids_[static_cast<std::size_t>(kind)]; }
  bool more(resource kind) const { return more_.test(static_cast<std::size_t>(kind)); }

  /// Removes the changes of one kind and returns them as a set.
  change_set take_runs();
  change_set take(resource kind);

 private:
  change_bounds most_;
  std::size_t count_ = 0;
  std::map<uuid, run_state> runs_{};
  std::array<std::set<uuid>, resources> ids_{};
  std::bitset<resources> more_{};
  bool more_runs_ = false;
};

/// Returns the channel of a project, whose braces keep it in one slot of a Redis Cluster.
std::string channel_of(uuid const& project);
/// Returns the project of a channel; nothing if it is no project's channel.
std::optional<uuid> project_of_channel(std::string_view channel);

/// Writes a message: a line for each new state of a run (`s <run> <job or -> <status> <order>`), for the ids of each
/// kind (`c <resource> <id>...`), and for a kind with further changes (`m <resource>`, `m` alone for states of runs).
std::string write_changes(change_set const& changes);
/// Total: a line that cannot be read counts as nothing, because a newer version may have written it.
change_set read_changes(std::string_view message);

}  // namespace svc::feed
