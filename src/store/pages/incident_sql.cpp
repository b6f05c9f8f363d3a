#include "store/pages/incident_sql.hpp"

#include "store/pages/post_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace svc::store {
namespace {

constexpr auto incident_posts_sql =
    sql("SELECT o.parent_id,", post_columns,
        "FROM page_posts o WHERE o.parent_id = ANY ($1) ORDER BY o.parent_id, o.display_at DESC, o.id DESC");
constexpr postgres::statement read_incident_posts{"incident_posts", incident_posts_sql};

constexpr auto newest_posts_sql =
    sql("SELECT o.parent_id,", post_columns,
        "FROM unnest($1::uuid[]) w (id) CROSS JOIN LATERAL (SELECT * FROM page_posts n WHERE n.parent_id = w.id"
        " ORDER BY n.display_at DESC, n.id DESC LIMIT 1) o");
constexpr postgres::statement read_newest_posts{"incident_newest_posts", newest_posts_sql};

constexpr postgres::statement free_incident_slot{"incident_free_slot", R"(
SELECT min(n)::int8 FROM generate_series(1, 50) n
 WHERE NOT EXISTS (SELECT FROM incidents i WHERE i.page_id = $1 AND i.slot = n))"};

constexpr postgres::statement open_slot{"incident_open_slot", R"(
SELECT coalesce((SELECT i.slot::int8 FROM incidents i WHERE i.id = $2),
                (SELECT min(n)::int8 FROM generate_series(1, 50) n
                  WHERE NOT EXISTS (SELECT FROM incidents i WHERE i.page_id = $1 AND i.slot = n))))"};

constexpr postgres::statement find_affected{"incident_find_components",
                                            "SELECT id FROM page_components WHERE page_id = $1 AND id = ANY ($2)"};

constexpr postgres::statement insert_incident{"incident_insert", R"(
INSERT INTO incidents (id, project_id, page_id, created_by, name, impact, started_at, status, resolved_at, slot,
                       person_posted)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, true))"};

constexpr postgres::statement update_incident{"incident_update", R"(
UPDATE incidents
   SET name = $2, impact = $3, started_at = $4, version = version + 1, updated_at = clock_timestamp()
 WHERE id = $1)"};

constexpr postgres::statement set_incident_state{"incident_set_state", R"(
UPDATE incidents
   SET status = $2, resolved_at = $3, slot = $4, person_posted = true, good_since = NULL, version = version + 1,
       updated_at = clock_timestamp()
 WHERE id = $1)"};

constexpr postgres::statement delete_affected{"incident_delete_components",
                                              "DELETE FROM incident_components WHERE incident_id = $1"};
constexpr postgres::statement insert_affected{"incident_insert_components", R"(
INSERT INTO incident_components (page_id, incident_id, slot, component_id, status)
SELECT $1, $2, t.slot, t.id, t.status
  FROM unnest($3::uuid[], $4::text[]) WITH ORDINALITY t (id, status, slot))"};

constexpr postgres::statement delete_incident{"incident_delete", "DELETE FROM incidents WHERE id = $1"};

// $2 the limit, open incidents included.
constexpr postgres::statement trim_incidents{"incident_trim", R"(
DELETE FROM incidents
 WHERE id = ANY (ARRAY(
   SELECT i.id FROM incidents i WHERE i.page_id = $1 AND i.resolved_at IS NOT NULL
    ORDER BY i.resolved_at DESC, i.id DESC
   OFFSET greatest(0, $2::bigint - (SELECT count(*) FROM incidents n WHERE n.page_id = $1 AND n.slot IS NOT NULL)))))"};

std::vector<pages::affected_component> read_affected(std::vector<uuid> const& ids,
                                                     std::vector<std::string> const& words) {
  std::vector<pages::affected_component> out;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto const status = pages::component_status_of(words.at(i));
    if (!status) throw std::logic_error("unknown status of an affected component");
    out.push_back({ids[i], *status});
  }
  return out;
}

std::vector<uuid> ids_of_affected(std::vector<pages::affected_component> const& components) {
  return postgres::column<uuid>(components, [](pages::affected_component const& each) { return each.id; });
}

void add_repeated(std::vector<uuid> const& ids, std::vector<field_error>& wrong) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    auto const end = ids.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(ids.begin(), end, ids[i]) != end)
      wrong.push_back({"/components/" + std::to_string(i) + "/id", "is named twice"});
  }
}

}  // namespace

pages::incident read_incident_row(postgres::row r, int first) {
  auto const effect = pages::impact_of(r.text(first + 3));
  auto const status = pages::post_status_of(r.text(first + 5));
  if (!effect || !status) throw std::logic_error("unknown word in a row of an incident");
  return {.id = r.id(first),
          .page = r.id(first + 1),
          .set = {.name = std::string(r.text(first + 2)),
                  .effect = *effect,
                  .components = read_affected(r.ids(first + 13), r.texts(first + 14)),
                  .started_at = r.time(first + 4)},
          .status = *status,
          .resolved_at = r.maybe_time(first + 6),
          .automatic = r.boolean(first + 7),
          .outage = r.maybe_id(first + 8),
          .created_by = r.maybe_id(first + 9),
          .version = r.integer(first + 10),
          .created_at = r.time(first + 11),
          .updated_at = r.time(first + 12)};
}

postgres::query incident_posts_query(std::vector<uuid> const& incidents) {
  return {read_incident_posts, postgres::parameters(incidents)};
}

postgres::query newest_posts_query(std::vector<uuid> const& incidents) {
  return {read_newest_posts, postgres::parameters(incidents)};
}

void add_incident_posts(postgres::rows const& found, std::vector<pages::incident>& into) {
  std::map<uuid, pages::incident*> by_id;
  for (auto& each : into) by_id.emplace(each.id, &each);
  for (int i = 0; i < found.size(); ++i) {
    if (auto const incident = by_id.find(found[i].id(0)); incident != by_id.end())
      incident->second->posts.push_back(read_post_row(found[i], 1));
  }
}

postgres::query free_incident_slot_query(uuid page) {
  return {free_incident_slot, postgres::parameters(page)};
}

postgres::query open_slot_query(uuid page, uuid id) {
  return {open_slot, postgres::parameters(page, id)};
}

postgres::query find_affected_query(uuid page, std::vector<pages::affected_component> const& components) {
  return {find_affected, postgres::parameters(page, ids_of_affected(components))};
}

result<> check_incident(pages::incident_settings const& wanted, postgres::rows const& known, timestamp now) {
  auto const ids = ids_of_affected(wanted.components);
  auto wrong = check_known(ids, known, "/components/", "/id", "is not a component of this page");
  add_repeated(ids, wrong);
  if (wanted.started_at > now + std::chrono::minutes(1)) wrong.push_back({"/startedAt", "is in the future"});
  if (wanted.started_at + pages::oldest_incident_start < now)
    wrong.push_back({"/startedAt", "is more than 90 days ago"});
  if (wrong.empty()) return {};
  return error(errc::validation_failed, "The incident cannot be used.", std::move(wrong));
}

postgres::query insert_incident_query(uuid project, uuid page, uuid id, uuid owner,
                                      pages::incident_settings const& set, incident_state const& state) {
  return {insert_incident,
          postgres::parameters(id, project, page, owner, set.name, to_text(set.effect), set.started_at,
                               to_text(state.status), state.resolved_at, state.slot)};
}

postgres::query update_incident_query(uuid id, pages::incident_settings const& set) {
  return {update_incident, postgres::parameters(id, set.name, to_text(set.effect), set.started_at)};
}

postgres::query set_incident_state_query(uuid id, incident_state const& state) {
  return {set_incident_state, postgres::parameters(id, to_text(state.status), state.resolved_at, state.slot)};
}

void replace_affected(uuid page, uuid id, std::vector<pages::affected_component> const& components,
                      std::vector<postgres::query>& queries) {
  postgres::parameters values(page, id, ids_of_affected(components));
  values.add_array(components, [](pages::affected_component const& each) { return to_text(each.status); });
  queries.push_back({delete_affected, postgres::parameters(id)});
  queries.push_back({insert_affected, std::move(values)});
}

postgres::query delete_incident_query(uuid id) {
  return {delete_incident, postgres::parameters(id)};
}

postgres::query trim_incidents_query(uuid page) {
  return {trim_incidents, postgres::parameters(page, pages::most_kept_incidents)};
}

postgres::query audited_incident(editor const& editor, std::string_view verb, uuid page, uuid id,
                                 std::string_view name) {
  boost::json::object const details{{"statusPageId", page.to_string()}, {"name", name}};
  return audit_query(editor.entry("incident." + std::string(verb), "incident", id, boost::json::serialize(details)));
}

}  // namespace svc::store
