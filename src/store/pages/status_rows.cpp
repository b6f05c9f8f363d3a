#include "store/pages/status_rows.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace svc::store {
namespace {

constexpr postgres::statement read_status_time{"page_status_time", "SELECT clock_timestamp()"};

// One row for each component and monitor; a component without monitors has one row. A monitor that was purged has no
// row in `monitors`, and counts as one without evidence. The newest signal of a heartbeat that is down may be older
// than the decision that it is down, which is evidence as well.
constexpr postgres::statement read_evidence{"page_evidence", R"(
SELECT c.page_id, c.id, c.name, c.description, c.group_name, c.aggregation, c.show_uptime, c.status_override,
       c.override_until, t.monitor_id IS NOT NULL,
       CASE WHEN m.id IS NULL OR m.deleted_at IS NOT NULL OR NOT m.enabled THEN 'none' ELSE s.verdict END,
       m.interval_seconds, m.type = 'heartbeat',
       CASE WHEN m.type = 'heartbeat' THEN greatest(h.last_beat_at, CASE WHEN s.verdict = 'down' THEN s.since END)
            ELSE (SELECT max(e.evidence_at) FROM check_states e WHERE e.monitor_id = m.id) END,
       h.deadline_at, t.monitor_id
  FROM page_components c
  LEFT JOIN page_component_monitors t ON t.component_id = c.id
  LEFT JOIN monitors m ON m.id = t.monitor_id
  LEFT JOIN monitor_status s ON s.monitor_id = m.id
  LEFT JOIN heartbeats h ON h.monitor_id = m.id
 WHERE c.page_id = ANY ($1)
 ORDER BY c.page_id, c.position, c.created_at, c.id, t.slot)"};

constexpr postgres::statement read_open_effects{"page_open_effects", R"(
SELECT i.page_id, k.component_id, k.status
  FROM incidents i JOIN incident_components k ON k.incident_id = i.id
 WHERE i.page_id = ANY ($1) AND i.slot IS NOT NULL
 GROUP BY i.page_id, k.component_id, k.status)"};

constexpr postgres::statement read_active_maintenance{"page_active_maintenance", R"(
SELECT p.page_id, p.components, p.starts_at, p.ends_at FROM page_occurrences p
 WHERE p.page_id = ANY ($1) AND p.ends_at > statement_timestamp() AND p.starts_at <= statement_timestamp()
   AND p.cancelled_at IS NULL)"};

pages::monitor_verdict verdict_of(std::string_view word) {
  if (word == "up") return pages::monitor_verdict::up;
  if (word == "degraded") return pages::monitor_verdict::degraded;
  return word == "down" ? pages::monitor_verdict::down : pages::monitor_verdict::none;
}

pages::monitor_evidence read_evidence_of(postgres::row r) {
  auto const verdict = verdict_of(r.text(10));
  if (verdict == pages::monitor_verdict::none) return {};
  if (r.boolean(12)) return pages::heartbeat_evidence(verdict, r.maybe_time(13), r.maybe_time(14));
  return pages::checked_evidence(verdict, r.maybe_time(13), std::chrono::seconds(r.integer(11)));
}

pages::aggregation rule_of(postgres::row r) {
  auto const found = pages::aggregation_of(r.text(5));
  if (!found) throw std::logic_error("unknown aggregation of a component");
  return *found;
}

pages::page_component read_component_of(postgres::row r) {
  pages::page_component out{.id = r.id(1),
                            .name = std::string(r.text(2)),
                            .description = r.maybe_text(3).value_or(""),
                            .group = r.maybe_text(4).value_or("")};
  out.show_uptime = r.boolean(6);
  if (auto const word = r.maybe_text(7)) out.override_status = pages::component_status_of(*word);
  out.override_until = r.maybe_time(8);
  return out;
}

/// Reads the components from row `first` on, up to the last row of the same page. Moves `first` behind it.
std::vector<pages::page_component> read_page_components(postgres::rows const& found, int& first, timestamp now) {
  std::vector<pages::page_component> out;
  auto const page = found[first].id(0);
  while (first < found.size() && found[first].id(0) == page) {
    auto component = read_component_of(found[first]);
    auto const rule = rule_of(found[first]);
    std::vector<pages::monitor_evidence> monitors;
    for (; first < found.size() && found[first].id(1) == component.id; ++first)
      if (found[first].boolean(9)) monitors.push_back(read_evidence_of(found[first]));
    component.measured = pages::measure(monitors, rule, now);
    out.push_back(std::move(component));
  }
  return out;
}

void read_open_incidents(postgres::rows const& found, page_statuses& into) {
  for (int i = 0; i < found.size(); ++i) {
    auto const status = pages::component_status_of(found[i].text(2));
    pages::page_incident incident{
        .name = {}, .components = {{found[i].id(1), status.value_or(pages::component_status::unknown)}}};
    into.pages[found[i].id(0)].incidents.push_back(std::move(incident));
  }
}

void read_active_occurrences(postgres::rows const& found, page_statuses& into) {
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    pages::page_maintenance active{.name = {}, .starts_at = r.time(2), .ends_at = r.time(3), .components = r.ids(1)};
    into.pages[r.id(0)].maintenance.push_back(std::move(active));
  }
}

}  // namespace

postgres::query evidence_query(std::vector<uuid> const& pages) {
  return {read_evidence, postgres::parameters(pages)};
}

std::map<uuid, component_monitors> read_component_monitors(postgres::rows const& evidence) {
  std::map<uuid, component_monitors> out;
  for (int i = 0; i < evidence.size(); ++i) {
    auto const r = evidence[i];
    auto& component = out[r.id(1)];
    component.rule = rule_of(r);
    if (auto const monitor = r.maybe_id(15)) component.monitors.push_back(*monitor);
  }
  return out;
}

void ask_statuses(std::vector<uuid> const& pages, std::vector<postgres::query>& queries) {
  queries.push_back(evidence_query(pages));
  queries.push_back({read_open_effects, postgres::parameters(pages)});
  queries.push_back({read_active_maintenance, postgres::parameters(pages)});
  queries.push_back({read_status_time, {}});
}

std::vector<pages::page_component> read_components(postgres::rows const& evidence, timestamp now) {
  if (evidence.empty()) return {};
  int first = 0;
  return read_page_components(evidence, first, now);
}

page_statuses read_statuses(std::span<postgres::rows const> found) {
  page_statuses out{.now = found[3].front().time(0)};
  for (int first = 0; first < found[0].size();) {
    auto& snapshot = out.pages[found[0][first].id(0)];
    snapshot.components = read_page_components(found[0], first, out.now);
    pages::set_evidence_time(snapshot);
  }
  read_open_incidents(found[1], out);
  read_active_occurrences(found[2], out);
  for (auto const& [id, snapshot] : out.pages) out.tables.emplace(id, pages::status_table(snapshot, out.now));
  return out;
}

pages::component_status page_statuses::status(uuid page) const {
  auto const found = tables.find(page);
  return found == tables.end() ? pages::component_status::unknown : found->second.worst();
}

pages::component_status page_statuses::status(uuid page, uuid component) const {
  auto const found = tables.find(page);
  return found == tables.end() ? pages::component_status::unknown : found->second.status(component);
}

std::optional<timestamp> page_statuses::evidence_at(uuid page) const {
  auto const found = pages.find(page);
  return found == pages.end() ? std::nullopt : found->second.evidence_at;
}

}  // namespace svc::store
