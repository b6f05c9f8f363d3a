#include "svc/domain/pages/snapshot.hpp"

#include "domain/pages/names.hpp"

#include <algorithm>
#include <utility>

namespace svc::pages {
namespace {

/// Bytes for incidents and maintenance in the JSON; 100 components with the longest texts take the rest.
constexpr std::size_t most_weight = most_snapshot_bytes / 2;

constexpr enum_names<4> visibility_names{"public", "unlisted", "restricted", "members"};
constexpr enum_names<4> impact_names{"none", "minor", "major", "critical"};
constexpr enum_names<9> post_status_names{"investigating", "identified", "monitoring", "resolved",   "postmortem",
                                          "scheduled",     "note",       "cancelled",  "ended_early"};
constexpr enum_names<language_count> language_names{"de", "en", "es", "fr", "it", "ja", "nl", "pl", "pt", "zh"};

template <class Parent>
Parent const* find_by_id(std::vector<Parent> const& all, uuid const& id) {
  auto const found = std::ranges::find(all, id, &Parent::id);
  return found == all.end() ? nullptr : &*found;
}

/// A text with the thing that it belongs to.
struct dated_text {
  timestamp published_at;
  std::size_t number;
  std::string* body;
  bool* shortened;

  /// The newest comes first, whatever the order in memory is.
  std::pair<std::int64_t, std::size_t> order() const { return {-published_at.micros, number}; }
};

template <class Parent>
void collect_texts(std::vector<Parent>& parents, std::vector<dated_text>& out) {
  for (auto& parent : parents)
    for (auto& each : parent.posts) out.push_back({each.published_at, out.size(), &each.body, &parent.shortened});
}

template <class Value>
void keep_first(std::vector<Value>& all, std::size_t most) {
  if (all.size() > most) all.erase(all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
}

/// The newest posts stay, and the announcement of a window, which is the last one.
template <class Parent>
void bound_posts(std::vector<Parent>& parents) {
  for (auto& parent : parents) {
    if (parent.posts.size() <= most_posts) continue;
    parent.posts.erase(parent.posts.begin() + static_cast<std::ptrdiff_t>(most_posts - 1), parent.posts.end() - 1);
    parent.shortened = true;
  }
}

void bound_counts(page_snapshot& snapshot) {
  keep_first(snapshot.components, most_components);
  keep_first(snapshot.incidents, most_incidents);
  auto& maintenance = snapshot.maintenance;
  if (maintenance.size() > most_maintenance)
    maintenance.erase(maintenance.begin(), maintenance.end() - static_cast<std::ptrdiff_t>(most_maintenance));
  for (auto& each : snapshot.components)
    if (each.days.size() > most_days)
      each.days.erase(each.days.begin(), each.days.end() - static_cast<std::ptrdiff_t>(most_days));
  for (auto& each : snapshot.incidents) keep_first(each.components, most_affected);
  for (auto& each : maintenance) keep_first(each.components, most_affected);
  bound_posts(snapshot.incidents);
  bound_posts(maintenance);
}

/// Returns an upper bound of the bytes that the JSON of an incident or an occurrence takes. A character of a text
/// takes two at most, because texts have no controls but line ends.
template <class Parent>
std::size_t weight_of(Parent const& parent) {
  std::size_t out = 400 + 2 * parent.name.size() + 100 * parent.components.size();
  for (auto const& each : parent.posts) out += 200 + 2 * each.body.size();
  return out;
}

/// Removes the oldest resolved incidents, then the oldest occurrences, until the rest fits.
void bound_weight(page_snapshot& snapshot) {
  std::size_t weight = 0;
  for (auto const& each : snapshot.incidents) weight += weight_of(each);
  for (auto const& each : snapshot.maintenance) weight += weight_of(each);
  auto& incidents = snapshot.incidents;
  for (auto each = incidents.size(); each > 0 && weight > most_weight; --each) {
    auto const position = incidents.begin() + static_cast<std::ptrdiff_t>(each - 1);
    if (is_open(*position)) continue;
    weight -= weight_of(*position);
    incidents.erase(position);
  }
  auto& maintenance = snapshot.maintenance;
  while (weight > most_weight && !maintenance.empty()) {
    weight -= weight_of(maintenance.front());
    maintenance.erase(maintenance.begin());
  }
}

/// Returns the status that wins over maintenance and incidents.
std::optional<component_status> decisive_status(page_component const& component, timestamp now) {
  if (component.measured.valid_until <= now) return component_status::unknown;
  bool const over = component.override_until && *component.override_until <= now;
  return over ? std::nullopt : component.override_status;
}

}  // namespace

std::string_view to_text(page_language language) {
  return name_of(language_names, language);
}
std::optional<page_language> page_language_of(std::string_view text) {
  return named<page_language>(language_names, text);
}
std::string_view to_text(visibility value) {
  return name_of(visibility_names, value);
}
std::string_view to_text(impact value) {
  return name_of(impact_names, value);
}
std::string_view to_text(post_status value) {
  return name_of(post_status_names, value);
}
std::optional<visibility> visibility_of(std::string_view text) {
  return named<visibility>(visibility_names, text);
}
std::optional<impact> impact_of(std::string_view text) {
  return named<impact>(impact_names, text);
}
std::optional<post_status> post_status_of(std::string_view text) {
  return named<post_status>(post_status_names, text);
}

void set_evidence_time(page_snapshot& snapshot) {
  snapshot.evidence_at.reset();
  for (auto const& component : snapshot.components) {
    auto const& evidence = component.measured.evidence_at;
    if (evidence && (!snapshot.evidence_at || *evidence < *snapshot.evidence_at)) snapshot.evidence_at = evidence;
  }
}

void bound_snapshot(page_snapshot& snapshot, std::size_t most) {
  bound_counts(snapshot);
  std::vector<dated_text> texts;
  collect_texts(snapshot.incidents, texts);
  collect_texts(snapshot.maintenance, texts);
  std::ranges::sort(texts, [](dated_text const& a, dated_text const& b) { return a.order() < b.order(); });
  std::size_t used = 0;
  for (auto const& each : texts) {
    used += each.body->size();
    if (used <= most || each.body->empty()) continue;
    each.body->clear();
    *each.shortened = true;
  }
  bound_weight(snapshot);
}

bool is_open(page_incident const& incident) {
  return incident.status != post_status::resolved && incident.status != post_status::postmortem;
}

bool is_active(page_maintenance const& maintenance, timestamp now) {
  return !maintenance.cancelled && maintenance.starts_at <= now && now < maintenance.ends_at;
}

bool is_coming(page_maintenance const& maintenance, timestamp now) {
  return !maintenance.cancelled && now < maintenance.starts_at;
}

status_table::status_table(page_snapshot const& snapshot, timestamp now) {
  for (auto const& each : snapshot.components) statuses_.emplace(each.id, each.measured.status);
  auto const change = [this](uuid const& id, auto status_after) {
    if (auto const found = statuses_.find(id); found != statuses_.end()) found->second = status_after(found->second);
  };
  for (auto const& each : snapshot.maintenance) {
    if (!is_active(each, now)) continue;
    for (auto const& id : each.components)
      change(id, [](component_status) { return component_status::under_maintenance; });
  }
  for (auto const& incident : snapshot.incidents) {
    if (!is_open(incident)) continue;
    for (auto const& affected : incident.components)
      change(affected.id, [&](component_status before) { return std::max(before, affected.status); });
  }
  for (auto const& each : snapshot.components)
    if (auto const status = decisive_status(each, now)) statuses_[each.id] = *status;
  if (snapshot.components.empty()) return;
  worst_ = component_status::operational;
  for (auto const& [id, status] : statuses_) worst_ = std::max(worst_, status);
}

component_status status_table::status(uuid const& component) const {
  auto const found = statuses_.find(component);
  return found == statuses_.end() ? component_status::unknown : found->second;
}

std::optional<timestamp> valid_until(page_snapshot const& snapshot) {
  std::optional<timestamp> out;
  for (auto const& component : snapshot.components)
    if (!out || component.measured.valid_until < *out) out = component.measured.valid_until;
  return out;
}

bool is_stale(page_snapshot const& snapshot, timestamp now) {
  return !snapshot.components.empty() && std::ranges::all_of(snapshot.components, [&](page_component const& each) {
    return each.measured.valid_until <= now;
  });
}

std::vector<component_group> groups_of(page_snapshot const& snapshot) {
  std::vector<component_group> out;
  for (auto const& component : snapshot.components) {
    auto found = std::ranges::find(out, std::string_view(component.group), &component_group::name);
    if (found == out.end()) found = out.insert(out.end(), {.name = component.group, .components = {}});
    found->components.push_back(&component);
  }
  return out;
}

page_component const* find_component(page_snapshot const& snapshot, uuid const& id) {
  return find_by_id(snapshot.components, id);
}

page_incident const* find_incident(page_snapshot const& snapshot, uuid const& id) {
  return find_by_id(snapshot.incidents, id);
}

page_maintenance const* find_maintenance(page_snapshot const& snapshot, uuid const& id) {
  return find_by_id(snapshot.maintenance, id);
}

std::optional<double> uptime_of(page_component const& component) {
  std::int64_t up = 0, down = 0;
  for (auto const& day : component.days) {
    up += day.up_seconds;
    down += day.down_seconds;
  }
  if (up + down <= 0) return std::nullopt;
  return static_cast<double>(up) / static_cast<double>(up + down);
}

}  // namespace svc::pages
