#pragma once

#include "svc/core/uuid.hpp"
#include "svc/domain/pages/language.hpp"
#include "svc/domain/pages/status.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

// All that a status page shows, as one value. Every format is a pure function of a snapshot and a time.

namespace svc::pages {

/// `unlisted` asks search engines not to list the page; `restricted` is for some addresses, `members` for the
/// project.
enum class visibility : std::uint8_t { listed, unlisted, restricted, members };
enum class impact : std::uint8_t { none, minor, major, critical };
/// The first five are those of incidents, the others those of maintenance. `note` is an update of a window.
enum class post_status : std::uint8_t {
  investigating,
  identified,
  monitoring,
  resolved,
  postmortem,
  scheduled,
  note,
  cancelled,
  ended_early,
};

std::string_view to_text(visibility value);  ///< `listed` is `public`, which C++ reserves
std::string_view to_text(impact value);
std::string_view to_text(post_status value);
std::optional<visibility> visibility_of(std::string_view text);
std::optional<impact> impact_of(std::string_view text);
std::optional<post_status> post_status_of(std::string_view text);

/// The settings of a page that visitors see.
struct page_facts {
  uuid id{};
  std::string slug{}, name{}, headline{}, description{};
  visibility visible = visibility::listed;
  page_language language = page_language::en;
  std::string time_zone = "UTC";
  std::string accent_color{}, support_url{};  ///< empty: none
  std::string logo_type{};                    ///< media type of the logo; empty: the page has none
  bool feeds = true, subscribers = false;
};

/// One local day of a component.
struct day_bar {
  component_status worst = component_status::unknown;  ///< `unknown`: not observed
  std::int32_t up_seconds = 0, down_seconds = 0;
};

struct page_component {
  uuid id{};
  std::string name{}, description{}, group{};  ///< an empty group: none
  measurement measured{};
  std::optional<component_status> override_status{};
  std::optional<timestamp> override_until{};  ///< none: until somebody ends it
  bool show_uptime = true;
  std::vector<day_bar> days{};  ///< the last one is the local day of the snapshot's `as_of`
};

/// One published text. A correction keeps `id` and `published_at`.
struct post {
  uuid id{};
  post_status status = post_status::investigating;
  std::string body{};
  timestamp published_at{};
  std::optional<timestamp> edited_at{};
};

/// A component that an incident affects, with the status that the incident gives it.
struct affected_component {
  uuid id{};
  component_status status = component_status::degraded_performance;
};

struct page_incident {
  uuid id{};
  std::string name{};
  impact effect = impact::none;
  post_status status = post_status::investigating;
  timestamp started_at{};
  std::optional<timestamp> resolved_at{};
  std::vector<affected_component> components{};
  std::vector<post> posts{};  ///< the newest first
  bool shortened = false;     ///< older texts were left out of the snapshot
};

/// One announced occurrence of a maintenance window. Its announcement is the post with the id of the occurrence.
struct page_maintenance {
  uuid id{};
  std::string name{};
  timestamp starts_at{}, ends_at{}, changed_at{};
  std::int32_t sequence = 0;  ///< number of changes
  bool cancelled = false;
  std::vector<uuid> components{};
  std::vector<post> posts{};  ///< the newest first; the announcement is the last one
  bool shortened = false;
};

/// A value; bounded by the limits below.
struct page_snapshot {
  page_facts page{};
  timestamp as_of{};                            ///< when it was made, by the database's clock
  std::optional<timestamp> evidence_at{};       ///< the oldest of the components' evidence
  std::vector<page_component> components{};     ///< in the order of the page
  std::vector<page_incident> incidents{};       ///< the newest first
  std::vector<page_maintenance> maintenance{};  ///< in the order of their starts
};

inline constexpr std::size_t most_days = 90, most_components = 100, most_incidents = 1050, most_maintenance = 400,
                             most_posts = 101, most_affected = 100;
/// Bytes of all bodies in a snapshot, and of its JSON.
inline constexpr std::size_t most_text_bytes = 256 * 1024, most_snapshot_bytes = 2 * 1024 * 1024;

/// Sets `evidence_at` from the components.
void set_evidence_time(page_snapshot& snapshot);
/// Removes the oldest bodies until all bodies have at most `most` bytes, and removes what exceeds the limits above.
void bound_snapshot(page_snapshot& snapshot, std::size_t most = most_text_bytes);

bool is_open(page_incident const& incident);
/// Returns true while the occurrence goes on.
bool is_active(page_maintenance const& maintenance, timestamp now);
/// Returns true before its start.
bool is_coming(page_maintenance const& maintenance, timestamp now);

/// The statuses of a snapshot's components at a time, found in one pass, because a large page asks for each of them
/// several times. A value.
class status_table {
 public:
  status_table(page_snapshot const& snapshot, timestamp now);

  /// Returns the status of a component: unknown after `valid_until`, otherwise the override, active maintenance on
  /// the page, or the measured status raised by open incidents. A component that the snapshot does not have is
  /// unknown.
  component_status status(uuid const& component) const;
  /// Returns the worst status of the components; unknown for a page without components.
  component_status worst() const { return worst_; }

 private:
  std::unordered_map<uuid, component_status, uuid_hash> statuses_{};
  component_status worst_ = component_status::unknown;
};
/// Returns the first moment after which some component turns grey; none for a page without components.
std::optional<timestamp> valid_until(page_snapshot const& snapshot);
/// Returns true if every component is grey because the copy is too old.
bool is_stale(page_snapshot const& snapshot, timestamp now);

/// Consecutive components of one group; `name` is empty for those without a group.
struct component_group {
  std::string_view name;
  std::vector<page_component const*> components;
};
/// Returns the groups in the order of their first components. Points into the snapshot.
std::vector<component_group> groups_of(page_snapshot const& snapshot);

page_component const* find_component(page_snapshot const& snapshot, uuid const& id);
page_incident const* find_incident(page_snapshot const& snapshot, uuid const& id);
page_maintenance const* find_maintenance(page_snapshot const& snapshot, uuid const& id);

/// Returns the uptime of the observed days as a share of 1, or `std::nullopt` if nothing was observed.
std::optional<double> uptime_of(page_component const& component);

/// Returns the JSON form, version 1. The snapshot is within its bounds.
std::string write_snapshot(page_snapshot const& snapshot);
/// Returns `std::nullopt` for any other text, other versions, and a snapshot that exceeds a bound. Total.
std::optional<page_snapshot> read_snapshot(std::string_view json);

}  // namespace svc::pages
