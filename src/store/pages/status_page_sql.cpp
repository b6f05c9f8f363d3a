#include "store/pages/status_page_sql.hpp"

#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"

#include <boost/json.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace svc::store {
namespace {

constexpr auto unusable_page_providers = "The page's notification providers cannot be used.";

constexpr postgres::statement lock_page{"page_lock", R"(
SELECT clock_timestamp(), version FROM status_pages
 WHERE project_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE)"};

constexpr postgres::statement raise_shown{"page_raise_shown", R"(
UPDATE status_pages SET shown_version = shown_version + 1 WHERE id = $1)"};

constexpr postgres::statement insert_status_page{"page_insert", R"(
INSERT INTO status_pages (id, project_id, created_by, domain_token, name, headline, description, status, visibility,
                          allowed_cidrs, language, time_zone, accent_color, support_url, allow_feeds,
                          allow_subscribers, auto_incidents, auto_incident_minutes, custom_domain)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19))"};

// A new domain needs a new proof.
constexpr postgres::statement update_status_page{"page_update", R"(
UPDATE status_pages
   SET name = $3, headline = $4, description = $5, status = $6, visibility = $7, allowed_cidrs = $8, language = $9,
       time_zone = $10, accent_color = $11, support_url = $12, allow_feeds = $13, allow_subscribers = $14,
       auto_incidents = $15, auto_incident_minutes = $16, custom_domain = $17,
       domain_verified_at = CASE WHEN custom_domain IS NOT DISTINCT FROM $17 THEN domain_verified_at END,
       domain_checked_at = CASE WHEN custom_domain IS NOT DISTINCT FROM $17 THEN domain_checked_at END,
       domain_failing_since = CASE WHEN custom_domain IS NOT DISTINCT FROM $17 THEN domain_failing_since END,
       shown_version = shown_version + 1, version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

// Another zone has other days, so the time of the next finished day is computed again.
constexpr postgres::statement compute_days_again{"page_compute_days", R"(
UPDATE page_components SET days_due_at = clock_timestamp() WHERE page_id = $1)"};

constexpr postgres::statement insert_page_providers{"page_insert_providers", R"(
INSERT INTO page_providers (project_id, page_id, slot, provider_id)
SELECT $1, $2, t.slot, t.id FROM unnest($3::uuid[]) WITH ORDINALITY t (id, slot))"};
constexpr postgres::statement delete_page_providers{"page_delete_providers",
                                                    "DELETE FROM page_providers WHERE page_id = $1"};
constexpr postgres::statement find_page_providers{"page_find_providers", R"(
SELECT id FROM notification_providers WHERE project_id = $1 AND id = ANY ($2) AND type <> 'pagerduty')"};

constexpr postgres::statement free_slug{"page_free_slug", R"(
DELETE FROM page_slugs
 WHERE slug = $2 AND (ends_at <= clock_timestamp() OR (project_id = $1 AND slot IS DISTINCT FROM 0)))"};
constexpr postgres::statement end_former_slugs{"page_end_former_slugs", R"(
DELETE FROM page_slugs WHERE page_id = $1 AND ends_at <= clock_timestamp())"};
constexpr postgres::statement free_former_slot{"page_free_former_slot", R"(
SELECT min(n)::int8 FROM generate_series(1, 5) n
 WHERE NOT EXISTS (SELECT FROM page_slugs g WHERE g.page_id = $1 AND g.slot = n))"};
constexpr postgres::statement retire_slug{"page_retire_slug", R"(
UPDATE page_slugs SET slot = $2, ends_at = clock_timestamp() + $3::bigint * interval '1 day'
 WHERE page_id = $1 AND slot = 0)"};
constexpr postgres::statement insert_slug{"page_insert_slug", R"(
INSERT INTO page_slugs (slug, project_id, page_id, slot) VALUES ($3, $1, $2, 0))"};

template <class Value>
Value page_word(std::optional<Value> const& parsed) {
  if (!parsed) throw std::logic_error("unknown word in a row of a status page");
  return *parsed;
}

/// Adds the columns from `name` to `custom_domain`, in the order of both statements above.
void add_page_settings(postgres::parameters& values, pages::page_settings const& set) {
  values.add(set.name);
  values.add(set.headline);
  values.add(set.description);
  values.add(to_text(set.status));
  values.add(to_text(set.visible));
  values.add(set.allowed_cidrs);
  values.add(to_text(set.language));
  values.add(set.time_zone);
  values.add(set.accent_color);
  values.add(set.support_url);
  values.add(set.feeds);
  values.add(set.subscribers);
  values.add(set.automatic_incidents);
  values.add(static_cast<std::int64_t>(set.automatic_after.count()));
  values.add(set.custom_domain);
}

pages::page_settings read_page_settings(postgres::row r, int first) {
  return {.name = std::string(r.text(first)),
          .slug = r.maybe_text(first + 1).value_or(""),
          .headline = r.maybe_text(first + 2),
          .description = r.maybe_text(first + 3),
          .status = page_word(pages::page_status_of(r.text(first + 4))),
          .visible = page_word(pages::visibility_of(r.text(first + 5))),
          .allowed_cidrs = r.texts(first + 6),
          .language = page_word(pages::page_language_of(r.text(first + 7))),
          .time_zone = std::string(r.text(first + 8)),
          .accent_color = r.maybe_text(first + 9),
          .support_url = r.maybe_text(first + 10),
          .feeds = r.boolean(first + 11),
          .subscribers = r.boolean(first + 12),
          .automatic_incidents = r.boolean(first + 13),
          .automatic_after = std::chrono::minutes(r.integer(first + 14)),
          .providers = r.ids(first + 15),
          .custom_domain = r.maybe_text(first + 16)};
}

}  // namespace

pages::status_page read_status_page(postgres::row r, int first) {
  return {.id = r.id(first),
          .set = read_page_settings(r, first + 1),
          .proof = {.token = std::string(r.text(first + 18)), .verified_at = r.maybe_time(first + 19)},
          .logo_type = r.maybe_text(first + 20),
          .component_count = r.integer(first + 21),
          .created_by = r.id(first + 22),
          .version = r.integer(first + 23),
          .created_at = r.time(first + 24),
          .updated_at = r.time(first + 25)};
}

postgres::query lock_page_query(uuid project, uuid page) {
  return {lock_page, postgres::parameters(project, page)};
}

postgres::query raise_shown_query(uuid page) {
  return {raise_shown, postgres::parameters(page)};
}

void insert_page(uuid project, uuid page, uuid owner, pages::page_settings const& set,
                 std::string const& domain_token, std::vector<postgres::query>& queries) {
  postgres::parameters values(page, project, owner, domain_token);
  add_page_settings(values, set);
  queries.push_back({insert_status_page, std::move(values)});
  queries.push_back({insert_page_providers, postgres::parameters(project, page, set.providers)});
  queries.push_back(free_slug_query(project, set.slug));
  queries.push_back(insert_slug_query(project, page, set.slug));
}

void update_page(uuid project, pages::status_page const& current, pages::page_settings const& wanted,
                 std::vector<postgres::query>& queries) {
  postgres::parameters values(project, current.id);
  add_page_settings(values, wanted);
  queries.push_back({update_status_page, std::move(values)});
  if (wanted.time_zone != current.set.time_zone)
    queries.push_back({compute_days_again, postgres::parameters(current.id)});
  if (wanted.providers == current.set.providers) return;
  queries.push_back({delete_page_providers, postgres::parameters(current.id)});
  queries.push_back({insert_page_providers, postgres::parameters(project, current.id, wanted.providers)});
}

postgres::query free_slug_query(uuid project, std::string const& slug) {
  return {free_slug, postgres::parameters(project, slug)};
}

postgres::query end_former_slugs_query(uuid page) {
  return {end_former_slugs, postgres::parameters(page)};
}

postgres::query free_former_slot_query(uuid page) {
  return {free_former_slot, postgres::parameters(page)};
}

postgres::query retire_slug_query(uuid page, std::int64_t slot) {
  return {retire_slug, postgres::parameters(page, slot, static_cast<std::int64_t>(pages::slug_reservation.count()))};
}

postgres::query insert_slug_query(uuid project, uuid page, std::string const& slug) {
  return {insert_slug, postgres::parameters(project, page, slug)};
}

postgres::query find_page_providers_query(uuid project, std::vector<uuid> const& providers) {
  return {find_page_providers, postgres::parameters(project, providers)};
}

result<> check_page_providers(std::vector<uuid> const& wanted, postgres::rows const& known) {
  auto wrong = check_known(wanted, known, "/notificationProviders/", "",
                           "is not a provider of this project, or is PagerDuty, which takes no posts");
  if (wrong.empty()) return {};
  return error(errc::validation_failed, unusable_page_providers, std::move(wrong));
}

postgres::query audited_page(editor const& editor, std::string_view verb, uuid id, std::string_view name) {
  return audit_query(editor.entry("status_page." + std::string(verb), "status_page", id,
                                  boost::json::serialize(boost::json::object{{"name", name}})));
}

error refusal_of_page(postgres::server_error const& failure) {
  if (failure.constraint == "page_slugs_pkey") return {errc::slug_taken};
  if (failure.constraint == "page_providers_provider_exists")
    return {errc::validation_failed, unusable_page_providers};
  reject(failure);
}

}  // namespace svc::store
