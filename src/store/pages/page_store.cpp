#include "svc/store/pages/page_store.hpp"

#include "store/pages/status_page_sql.hpp"
#include "store/pages/status_rows.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/random.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>
#include <utility>

namespace svc::store {
namespace {

// $2 limit + 1, $3 offset, $4 and $5 the key to start after, $6 status, $7 part of name or slug.
constexpr auto wanted_status_pages =
    sql("p.project_id = $1 AND p.deleted_at IS NULL AND ($6::text IS NULL OR p.status = $6)"
        " AND ($7::text IS NULL OR position(lower($7) IN lower(p.name)) > 0 OR EXISTS (SELECT FROM page_slugs g"
        " WHERE g.page_id = p.id AND g.slot = 0 AND position(lower($7) IN g.slug) > 0))");
constexpr auto list_status_pages_sql = paged_sql(
    sql("status_pages p WHERE ", wanted_status_pages), no_estimate, "",
    sql(status_page_columns, "FROM status_pages p WHERE ", wanted_status_pages,
        rows_before("p.created_at, p.id", "$4", "$5"), " ORDER BY p.created_at DESC, p.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_status_pages{"page_list", list_status_pages_sql};

constexpr postgres::statement hide_page{"page_hide", R"(
UPDATE status_pages SET deleted_at = clock_timestamp(), shown_version = shown_version + 1
 WHERE project_id = $1 AND id = $2)"};
constexpr postgres::statement reserve_slugs{"page_reserve_slugs", R"(
UPDATE page_slugs SET page_id = NULL, slot = NULL,
       ends_at = coalesce(ends_at, clock_timestamp() + $2::bigint * interval '1 day')
 WHERE page_id = $1)"};
constexpr postgres::statement trim_reserved_slugs{"page_trim_reserved_slugs", R"(
DELETE FROM page_slugs
 WHERE slug = ANY (ARRAY(SELECT g.slug FROM page_slugs g WHERE g.project_id = $1 AND g.page_id IS NULL
                          ORDER BY g.ends_at DESC, g.slug DESC OFFSET $2)))"};
// Its components leave as well, because a window has only components of its pages.
constexpr postgres::statement leave_windows{"page_leave_windows", R"(
WITH components AS (
  DELETE FROM maintenance_window_components t USING page_components c WHERE c.page_id = $1 AND t.component_id = c.id
)
DELETE FROM maintenance_window_pages WHERE page_id = $1)"};

constexpr postgres::statement write_logo{"page_write_logo", R"(
INSERT INTO page_logos (page_id, content_type, content) VALUES ($1, $2, $3)
ON CONFLICT (page_id) DO UPDATE
   SET content_type = excluded.content_type, content = excluded.content, changed_at = clock_timestamp())"};
constexpr postgres::statement delete_logo{"page_delete_logo", "DELETE FROM page_logos WHERE page_id = $1"};
constexpr postgres::statement raise_page{"page_raise", R"(
UPDATE status_pages
   SET shown_version = shown_version + 1, version = version + 1, updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

/// The value of the TXT record that proves a domain for one page: 24 random characters.
std::string new_domain_token() {
  return "svc-verify=" + random_alphanumeric(24);
}

growth page_growth(uuid project, quota_table const& quotas) {
  return {project, counted_pages, {.count = static_cast<std::int64_t>(quotas.status_pages)}, {.count = 1}};
}

/// Reads the statuses of these pages and sets them.
task<> set_page_statuses(postgres::pool& db, std::vector<pages::status_page>& all, deadline until) {
  if (all.empty()) co_return;
  std::vector<postgres::query> ask;
  ask_statuses(postgres::column<uuid>(all, [](pages::status_page const& each) { return each.id; }), ask);
  auto const found = settled(co_await db.run(std::move(ask), until));
  auto const statuses = read_statuses(found);
  for (auto& each : all) {
    each.status = statuses.status(each.id);
    each.evidence_at = statuses.evidence_at(each.id);
  }
}

/// Returns a page with its status, which is read after the page's COMMIT.
task<pages::status_page> complete_page(postgres::pool& db, pages::status_page written, deadline until) {
  std::vector<pages::status_page> all{std::move(written)};
  co_await set_page_statuses(db, all, until);
  co_return std::move(all.front());
}

/// A page under its lock and that of its project.
struct locked_page {
  bool archived = false;
  pages::status_page current;
};

/// Errors: not_found, precondition_failed.
task<result<locked_page>> lock_page_of(postgres::unit_of_work& work, editor editor, uuid id) {
  std::vector<postgres::query> reads{lock_project_query(editor.project),
                                     lock_page_query(editor.project, id),
                                     {get_status_page, postgres::parameters(editor.project, id)}};
  auto const found = settled(co_await work.run(std::move(reads)));
  if (found[1].empty() || found[2].empty()) co_return errc::not_found;
  locked_page out{.archived = found[0].empty(), .current = read_status_page(found[2].front())};
  if (!editor.expects(out.current.version)) co_return errc::precondition_failed;
  co_return out;
}

std::string_view verb_of_update(pages::page_settings const& current, pages::page_settings const& wanted) {
  if (current.status == wanted.status || wanted.status == pages::page_status::draft) return "updated";
  return wanted.status == pages::page_status::published ? "published" : "archived";
}

/// Frees the wanted slug as far as the project may have it, and appends the writes of a change of slugs. Errors:
/// slug_change_limit_reached.
task<result<>> change_slug(postgres::unit_of_work& work, uuid project, pages::status_page const& current,
                           std::string const& wanted, std::vector<postgres::query>& writes) {
  if (wanted == current.set.slug) co_return result<>();
  std::vector<postgres::query> reads{end_former_slugs_query(current.id), free_slug_query(project, wanted),
                                     free_former_slot_query(current.id)};
  auto const found = settled(co_await work.run(std::move(reads)));
  auto const slot = found[2].front().maybe_integer(0);
  if (!slot) co_return errc::slug_change_limit_reached;
  writes.push_back(retire_slug_query(current.id, *slot));
  writes.push_back(insert_slug_query(project, current.id, wanted));
  co_return result<>();
}

}  // namespace

task<page<pages::status_page>> page_store::list(uuid project, status_page_filter filter, page_request wanted,
                                                deadline until) {
  std::optional<std::string_view> status;
  if (filter.status) status = to_text(*filter.status);
  postgres::query ask{list_status_pages,
                      postgres::parameters(project, wanted.limit + 1, wanted.offset(), wanted.after_time(),
                                           wanted.after_id(), status, filter.search)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  auto out = read_page<pages::status_page>(found, wanted, 2, read_status_page, created_key<pages::status_page>);
  co_await set_page_statuses(db_, out.rows, until);
  co_return out;
}

task<result<pages::status_page>> page_store::get(uuid project, uuid id, deadline until) {
  std::vector<postgres::query> ask{{get_status_page, postgres::parameters(project, id)}};
  ask_statuses({id}, ask);
  auto const found = settled(co_await db_.run(std::move(ask), until));
  if (found[0].empty()) co_return errc::not_found;
  auto out = read_status_page(found[0].front());
  auto const statuses = read_statuses(std::span(found).subspan(1));
  out.status = statuses.status(id);
  out.evidence_at = statuses.evidence_at(id);
  co_return out;
}

task<result<pages::status_page>> page_store::create(editor editor, uuid owner, pages::page_settings wanted,
                                                    deadline until) {
  uuid const id = uuid::generate_v7();
  auto work = co_await db_.begin(until);
  auto const more = page_growth(editor.project, quotas_);
  std::vector<postgres::query> reads{lock_project_query(editor.project), more.look(),
                                     find_page_providers_query(editor.project, wanted.providers)};
  auto const found = settled(co_await work.run(std::move(reads)));
  if (found[0].empty()) co_return errc::project_archived;
  if (auto ok = check_page_providers(wanted.providers, found[2]); !ok) co_return ok.error();
  if (auto ok = more.fits(found[1]); !ok) co_return ok.error();
  std::vector<postgres::query> writes;
  insert_page(editor.project, id, owner, wanted, new_domain_token(), writes);
  auto const made = co_await work.run(std::move(writes));
  if (!made) co_return refusal_of_page(made.error());
  std::vector<postgres::query> last{more.assertion(),
                                    audited_page(editor, "created", id, wanted.name),
                                    {get_status_page, postgres::parameters(editor.project, id)}};
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return more.refusal(done.error());
  auto out = read_status_page(done.value().back().front());
  out.status = pages::component_status::unknown;
  co_return out;
}

task<result<pages::status_page>> page_store::update(editor editor, uuid id, status_page_edit edit, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_page_of(work, editor, id);
  if (!locked) co_return locked.error();
  if (locked->archived) co_return errc::project_archived;
  auto const& current = locked->current;
  auto const wanted = edit(current);
  if (!wanted) co_return wanted.error();
  auto const known = settled(co_await work.run(find_page_providers_query(editor.project, wanted->providers)));
  if (auto ok = check_page_providers(wanted->providers, known); !ok) co_return ok.error();
  std::vector<postgres::query> last;
  if (auto ok = co_await change_slug(work, editor.project, current, wanted->slug, last); !ok) co_return ok.error();
  update_page(editor.project, current, *wanted, last);
  last.push_back(audited_page(editor, verb_of_update(current.set, *wanted), id, wanted->name));
  last.push_back({get_status_page, postgres::parameters(editor.project, id)});
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return refusal_of_page(done.error());
  co_return co_await complete_page(db_, read_status_page(done.value().back().front()), until);
}

task<result<>> page_store::remove(editor editor, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_page_of(work, editor, id);
  if (!locked) co_return locked.error();
  std::vector<postgres::query> last{
      {hide_page, postgres::parameters(editor.project, id)},
      {reserve_slugs, postgres::parameters(id, static_cast<std::int64_t>(pages::slug_reservation.count()))},
      {trim_reserved_slugs, postgres::parameters(editor.project, pages::most_slugs_without_page)},
      {leave_windows, postgres::parameters(id)},
      audited_page(editor, "deleted", id, locked->current.set.name)};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

task<result<pages::status_page>> page_store::set_logo(editor editor, uuid id, pages::logo wanted, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_page_of(work, editor, id);
  if (!locked) co_return locked.error();
  if (locked->archived) co_return errc::project_archived;
  std::vector<postgres::query> changes{
      {write_logo, postgres::parameters(id, wanted.content_type, as_bytes(wanted.bytes))},
      {raise_page, postgres::parameters(editor.project, id)}};
  auto const now =
      co_await commit_change(work, std::move(changes), audited_page(editor, "updated", id, locked->current.set.name),
                             {get_status_page, postgres::parameters(editor.project, id)});
  co_return co_await complete_page(db_, read_status_page(now.front()), until);
}

task<result<>> page_store::remove_logo(editor editor, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_page_of(work, editor, id);
  if (!locked) co_return locked.error();
  if (!locked->current.logo_type) co_return result<>();
  std::vector<postgres::query> last{{delete_logo, postgres::parameters(id)},
                                    {raise_page, postgres::parameters(editor.project, id)},
                                    audited_page(editor, "updated", id, locked->current.set.name)};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
