#include "store/pages/component_sql.hpp"

#include "store/sql/change_sql.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace svc::store {
namespace {

constexpr postgres::statement free_component_slot{"component_free_slot", R"(
SELECT min(n)::int8 FROM generate_series(1, 100) n
 WHERE NOT EXISTS (SELECT FROM page_components c WHERE c.page_id = $1 AND c.slot = n))"};

constexpr postgres::statement insert_component{"component_insert", R"(
INSERT INTO page_components (id, project_id, page_id, slot, name, description, group_name, position, aggregation,
                             show_uptime, status_override, override_until)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12))"};

constexpr postgres::statement update_component{"component_update", R"(
UPDATE page_components
   SET name = $3, description = $4, group_name = $5, position = $6, aggregation = $7, show_uptime = $8,
       status_override = $9, override_until = $10, version = version + 1, updated_at = clock_timestamp()
 WHERE page_id = $1 AND id = $2)"};

constexpr postgres::statement delete_component{"component_delete",
                                               "DELETE FROM page_components WHERE page_id = $1 AND id = $2"};

constexpr postgres::statement find_component_monitors{"component_find_monitors", R"(
SELECT m.id FROM monitors m WHERE m.project_id = $1 AND m.id = ANY ($3) AND m.deleted_at IS NULL
UNION
SELECT t.monitor_id FROM page_component_monitors t WHERE t.component_id = $2 AND t.monitor_id = ANY ($3))"};

constexpr postgres::statement delete_component_monitors{
    "component_delete_monitors", "DELETE FROM page_component_monitors WHERE component_id = $1"};

constexpr postgres::statement insert_component_monitors{"component_insert_monitors", R"(
INSERT INTO page_component_monitors (page_id, component_id, slot, page_slot, monitor_id)
SELECT $1, $2, w.slot, f.n, w.id
  FROM unnest($3::uuid[]) WITH ORDINALITY w (id, slot)
  JOIN (SELECT n, row_number() OVER (ORDER BY n) AS turn FROM generate_series(1, 1000) n
         WHERE NOT EXISTS (SELECT FROM page_component_monitors t WHERE t.page_id = $1 AND t.page_slot = n)
         ORDER BY n LIMIT 50) f ON f.turn = w.slot)"};

/// Adds the columns from `name` to `override_until`, in the order of both statements above.
void add_component_settings(postgres::parameters& values, pages::component_settings const& set) {
  std::optional<std::string_view> override_word;
  if (set.override_status) override_word = to_text(*set.override_status);
  values.add(set.name);
  values.add(set.description);
  values.add(set.group);
  values.add(set.position);
  values.add(to_text(set.rule));
  values.add(set.show_uptime);
  values.add(override_word);
  values.add(set.override_until);
}

}  // namespace

pages::component read_component_row(postgres::row r, int first) {
  auto const rule = pages::aggregation_of(r.text(first + 7));
  if (!rule) throw std::logic_error("unknown aggregation of a component");
  pages::component out{.id = r.id(first),
                       .page = r.id(first + 1),
                       .set = {.name = std::string(r.text(first + 2)),
                               .description = r.maybe_text(first + 3),
                               .group = r.maybe_text(first + 4),
                               .position = r.integer(first + 5),
                               .monitors = r.ids(first + 6),
                               .rule = *rule,
                               .show_uptime = r.boolean(first + 8)}};
  if (auto const word = r.maybe_text(first + 9)) out.set.override_status = pages::component_status_of(*word);
  out.set.override_until = r.maybe_time(first + 10);
  out.missing_monitors = r.integer(first + 11);
  out.version = r.integer(first + 12);
  out.created_at = r.time(first + 13);
  out.updated_at = r.time(first + 14);
  return out;
}

postgres::query free_component_slot_query(uuid page) {
  return {free_component_slot, postgres::parameters(page)};
}

postgres::query insert_component_query(uuid project, uuid page, uuid id, std::int64_t slot,
                                       pages::component_settings const& set) {
  postgres::parameters values(id, project, page, slot);
  add_component_settings(values, set);
  return {insert_component, std::move(values)};
}

postgres::query update_component_query(uuid page, uuid id, pages::component_settings const& set) {
  postgres::parameters values(page, id);
  add_component_settings(values, set);
  return {update_component, std::move(values)};
}

postgres::query delete_component_query(uuid page, uuid id) {
  return {delete_component, postgres::parameters(page, id)};
}

postgres::query find_component_monitors_query(uuid project, uuid id, std::vector<uuid> const& monitors) {
  return {find_component_monitors, postgres::parameters(project, id, monitors)};
}

result<> check_component_monitors(std::vector<uuid> const& wanted, postgres::rows const& known) {
  auto wrong = check_known(wanted, known, "/monitorIds/", "", "is not a monitor of this project");
  if (wrong.empty()) return {};
  return error(errc::validation_failed, "The component's monitors cannot be used.", std::move(wrong));
}

void replace_component_monitors(uuid page, uuid id, std::vector<uuid> const& monitors,
                                std::vector<postgres::query>& queries) {
  queries.push_back({delete_component_monitors, postgres::parameters(id)});
  queries.push_back({insert_component_monitors, postgres::parameters(page, id, monitors)});
}

}  // namespace svc::store
