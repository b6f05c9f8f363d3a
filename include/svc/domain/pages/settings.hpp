#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/pages/snapshot.hpp"
#include "svc/domain/pages/status.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Status pages, components, incidents and posts as their editors write and read them.

namespace svc::pages {

/// Limits that the database's schema enforces (V069 to V071).
inline constexpr std::int64_t most_component_monitors = 1000;  ///< monitors of all components of a page
inline constexpr std::int64_t most_monitors_of_component = 50;
inline constexpr std::int64_t most_open_incidents = 50;    ///< of a page
inline constexpr std::int64_t most_kept_incidents = 1000;  ///< of a page, open ones included
inline constexpr std::int64_t most_posts_of_parent = 100;
inline constexpr std::int64_t most_former_slugs = 5;
inline constexpr std::int64_t most_slugs_without_page = 100;  ///< reserved slugs of a project's deleted pages
inline constexpr std::chrono::days slug_reservation{90};
inline constexpr std::int64_t most_kept_days = 95;  ///< stored days of a component
inline constexpr std::chrono::days oldest_incident_start{90};
/// Posts of a page that notify, and incidents that automation opens on it.
inline constexpr std::int64_t most_mailed_posts_an_hour = 20, most_mailed_posts_a_day = 100,
                              most_automatic_incidents_a_day = 10;

enum class page_status : std::uint8_t { draft, published, archived };

/// Returns the contract's word.
std::string_view to_text(page_status value);
std::optional<page_status> page_status_of(std::string_view text);

/// The settings of a page that its editors choose. A value.
struct page_settings {
  std::string name;
  std::string slug;
  std::optional<std::string> headline{}, description{};
  page_status status = page_status::draft;
  visibility visible = visibility::listed;
  std::vector<std::string> allowed_cidrs{};  ///< for `restricted`: at most 24
  page_language language = page_language::en;
  std::string time_zone = "UTC";
  std::optional<std::string> accent_color{}, support_url{};
  bool feeds = true, subscribers = false;
  bool automatic_incidents = false;
  std::chrono::minutes automatic_after{5};
  std::vector<uuid> providers{};               ///< notification providers: at most 10, no PagerDuty
  std::optional<std::string> custom_domain{};  ///< as `page_domain` returns it
};

/// The proof of a page's custom domain. A value.
struct domain_proof {
  std::string token;  ///< the value of the TXT record `domain_record(custom_domain)`
  std::optional<timestamp> verified_at{};
};

/// A stored page. A value.
struct status_page {
  uuid id{};
  page_settings set;
  domain_proof proof{};
  std::optional<component_status> status{};  ///< none for a page without components
  std::optional<timestamp> evidence_at{};
  std::optional<std::string> logo_type{};
  std::int64_t component_count = 0;
  uuid created_by{};
  std::int64_t version = 1;
  timestamp created_at{}, updated_at{};
};

/// The settings of a component that its editors choose. A value.
struct component_settings {
  std::string name;
  std::optional<std::string> description{}, group{};
  std::int64_t position = 0;  ///< components are shown by position, then by creation
  std::vector<uuid> monitors{};
  aggregation rule = aggregation::worst_case;
  bool show_uptime = true;
  std::optional<component_status> override_status{};
  std::optional<timestamp> override_until{};
};

/// A stored component. A value.
struct component {
  uuid id{}, page{};
  component_settings set;
  component_status status = component_status::unknown;
  std::int64_t missing_monitors = 0;  ///< deleted and purged ones
  std::int64_t version = 1;
  timestamp created_at{}, updated_at{};
};

/// A logo. `bytes` are what the editor sent; nothing decodes them.
struct logo {
  std::string content_type;
  std::string bytes;
  timestamp changed_at{};
};

/// A stored post of an incident or of a window. A value.
struct stored_post {
  uuid id{};
  post_status status = post_status::investigating;
  std::string body;  ///< of an automatic post: in the page's language for an incident, empty for a window
  timestamp display_at{};
  std::optional<timestamp> edited_at{};
  bool automatic = false;
  bool notify = true;
  std::optional<uuid> created_by{};
  std::optional<uuid> occurrence{};  ///< of a window's post
  timestamp created_at{};
};

/// Returns the version of a post, which changes with each correction.
inline std::int64_t version_of(stored_post const& post) {
  return post.edited_at ? post.edited_at->micros : 1;
}

/// A new post. `display_at`: empty for the time of the write.
struct new_post {
  post_status status = post_status::investigating;
  std::string body;
  std::optional<timestamp> display_at{};
  bool notify = true;
};

/// A correction of a post. Notifies nobody.
struct post_correction {
  std::optional<std::string> body{};
  std::optional<timestamp> display_at{};
};

/// The settings of an incident that its editors may change later. A value.
struct incident_settings {
  std::string name;
  impact effect = impact::none;
  std::vector<affected_component> components{};  ///< at most 100, of the same page
  timestamp started_at{};
};

/// A new incident with its first post. `started_at`: empty for the time of the write, at most 90 days ago.
struct new_incident {
  std::string name;
  impact effect = impact::none;
  std::vector<affected_component> components{};
  std::optional<timestamp> started_at{};
  new_post first{};
};

/// A stored incident. A value.
struct incident {
  uuid id{}, page{};
  incident_settings set;
  post_status status = post_status::investigating;  ///< one of the first four
  std::optional<timestamp> resolved_at{};
  bool automatic = false;
  std::optional<uuid> outage{};
  std::vector<stored_post> posts{};  ///< the newest first
  std::optional<uuid> created_by{};
  std::int64_t version = 1;
  timestamp created_at{}, updated_at{};
};

enum class subscriber_state : std::uint8_t { pending, active };
std::string_view to_text(subscriber_state value);

/// A subscriber as editors see it. A value.
struct subscriber {
  uuid id{};
  std::string email;
  subscriber_state state = subscriber_state::pending;
  std::vector<uuid> components{};  ///< empty: all
  timestamp created_at{};
  std::optional<timestamp> confirmed_at{};
};

/// Returns what an automatic post says in this language: `investigating` and `resolved` of incidents, `cancelled` and
/// `ended_early` of maintenance. Empty for other statuses.
std::string_view automatic_text(page_language language, post_status status);

}  // namespace svc::pages
