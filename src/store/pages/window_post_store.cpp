// Updates of maintenance windows.
#include "store/pages/post_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/windows/occurrence_sql.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/pages/incident_store.hpp"

#include <utility>

namespace svc::store {
namespace {

constexpr postgres::statement find_window_of_posts{
    "window_post_window", "SELECT FROM maintenance_windows WHERE project_id = $1 AND id = $2"};

constexpr auto list_window_posts_sql = paged_sql(
    "page_posts o WHERE o.window_id = $1::uuid", no_estimate, "",
    sql(post_columns, "FROM page_posts o WHERE o.window_id = $1", rows_before("o.display_at, o.id", "$4", "$5"),
        " ORDER BY o.display_at DESC, o.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_window_posts{"window_post_list", list_window_posts_sql};

constexpr auto get_window_post_sql =
    sql("SELECT", post_columns, "FROM page_posts o WHERE o.window_id = $1 AND o.id = $2");
constexpr postgres::statement get_window_post{"window_post_get", get_window_post_sql};

// The active occurrence, otherwise the next one, otherwise the last one.
constexpr postgres::statement find_posted_occurrence{"window_post_occurrence", R"(
SELECT o.id FROM maintenance_occurrences o WHERE o.window_id = $1
 ORDER BY CASE WHEN o.ends_at > statement_timestamp() THEN 0 ELSE 1 END,
          CASE WHEN o.ends_at > statement_timestamp() THEN o.starts_at END,
          o.ends_at DESC
 LIMIT 1)"};

// Locks the pages of the window and of the occurrence, in the order that all writers share.
constexpr postgres::statement raise_pages_of_window{"window_post_raise", R"(
SELECT raise_shown_version(ARRAY(SELECT g.page_id FROM maintenance_window_pages g WHERE g.window_id = $1
                                 UNION SELECT p.page_id FROM page_occurrences p WHERE p.occurrence_id = $2)))"};

// An occurrence with a post is announced, even if its time for that has not come. The post notifies, so the
// announcement need not.
constexpr postgres::statement announce_posted{"window_post_announce", R"(
INSERT INTO page_occurrences (page_id, occurrence_id, window_id, project_id, name, body, components, notify, starts_at,
                              ends_at, announced_at, changed_at)
SELECT g.page_id, o.id, w.id, w.project_id, coalesce(w.announcement_title, w.name), coalesce(w.announcement_body, ''),
       ARRAY(SELECT t.component_id FROM maintenance_window_components t WHERE t.window_id = w.id ORDER BY t.slot),
       w.notify, o.starts_at, o.ends_at, m.now, m.now
  FROM (SELECT clock_timestamp() AS now) m
 CROSS JOIN maintenance_windows w
  JOIN maintenance_window_pages g ON g.window_id = w.id
  JOIN maintenance_occurrences o ON o.window_id = w.id
 WHERE w.id = $1 AND o.id = $2
ON CONFLICT (page_id, occurrence_id) DO NOTHING)"};

constexpr postgres::statement queue_window_post{"window_post_queue", R"(
SELECT coalesce(bool_and(queue_page_post(p.page_id, $2, clock_timestamp())), true)
  FROM page_occurrences p WHERE p.occurrence_id = $1)"};

/// A window under the lock of its project, with the occurrence that a post is about.
struct posted_window {
  bool archived = false;
  timestamp now{};
  uuid occurrence{};
};

/// Errors: not_found (also for a window that has lost all of its occurrences).
task<result<posted_window>> lock_posted_window(postgres::unit_of_work& work, uuid project, uuid window) {
  std::vector<postgres::query> reads{lock_windows_query(project),
                                     {find_window_of_posts, postgres::parameters(project, window)},
                                     {find_posted_occurrence, postgres::parameters(window)},
                                     window_time_query()};
  auto const found = settled(co_await work.run(std::move(reads)));
  if (found[0].empty() || found[1].empty() || found[2].empty()) co_return errc::not_found;
  co_return posted_window{
      .archived = found[0].front().boolean(0), .now = found[3].front().time(0), .occurrence = found[2].front().id(0)};
}

/// Writes a post with its mails. Errors: page_bytes_exceeded, post_limit_reached.
task<result<>> write_window_post(postgres::unit_of_work& work, post_row row, pages::new_post post, growth bytes) {
  std::vector<postgres::query> writes{{raise_pages_of_window, postgres::parameters(row.window, row.parent)},
                                      {announce_posted, postgres::parameters(row.window, row.parent)},
                                      bytes.look(),
                                      insert_post_query(row, post)};
  if (post.notify) writes.push_back({queue_window_post, postgres::parameters(row.parent, row.id)});
  auto const done = settled(co_await work.run(std::move(writes)));
  if (auto ok = bytes.fits(done[2]); !ok) co_return ok.error();
  if (done[3].affected() == 0) co_return errc::post_limit_reached;
  if (post.notify && !done[4].front().boolean(0)) co_return errc::post_limit_reached;
  co_return result<>();
}

}  // namespace

task<result<page<pages::stored_post>>> window_post_store::list(uuid project, uuid window, page_request wanted,
                                                               deadline until) {
  std::vector<postgres::query> ask{{find_window_of_posts, postgres::parameters(project, window)},
                                   {list_window_posts, postgres::parameters(window, wanted.limit + 1, wanted.offset(),
                                                                            wanted.after_time(), wanted.after_id())}};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  if (found[0].empty()) co_return errc::not_found;
  co_return read_page<pages::stored_post>(found[1], wanted, 2, read_post_row, key_of_post);
}

task<result<pages::stored_post>> window_post_store::add(editor editor, uuid owner, uuid window,
                                                        pages::new_post wanted, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_posted_window(work, editor.project, window);
  if (!locked) co_return locked.error();
  if (locked->archived) co_return errc::project_archived;
  auto const shown_at = shown_time(wanted.display_at, locked->now);
  if (!shown_at) co_return shown_at.error();
  wanted.status = pages::post_status::note;
  post_row const row{.id = uuid::generate_v7(),
                     .project = editor.project,
                     .parent = locked->occurrence,
                     .window = window,
                     .author = owner,
                     .display_at = *shown_at};
  auto const bytes = post_growth(editor.project, quotas_, static_cast<std::int64_t>(wanted.body.size()));
  if (auto ok = co_await write_window_post(work, row, wanted, bytes); !ok) co_return ok.error();
  std::vector<postgres::query> last{bytes.assertion(),
                                    audited_post(editor, "created", window, row.id),
                                    {get_window_post, postgres::parameters(window, row.id)}};
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return bytes.refusal(done.error());
  co_return read_post_row(done.value().back().front());
}

task<result<pages::stored_post>> window_post_store::correct(editor editor, uuid window, uuid post_id,
                                                            pages::post_correction wanted, deadline until) {
  auto work = co_await db_.begin(until);
  auto const locked = co_await lock_posted_window(work, editor.project, window);
  if (!locked) co_return locked.error();
  if (locked->archived) co_return errc::project_archived;
  postgres::query const ask{get_window_post, postgres::parameters(window, post_id)};
  auto const found = settled(co_await work.run(ask));
  if (found.empty()) co_return errc::not_found;
  auto const post = read_post_row(found.front());
  if (!editor.expects(version_of(post))) co_return errc::precondition_failed;
  if (wanted.display_at) {
    auto const shown_at = shown_time(wanted.display_at, locked->now);
    if (!shown_at) co_return shown_at.error();
    wanted.display_at = *shown_at;
  }
  auto const more =
      static_cast<std::int64_t>(wanted.body.value_or(post.body).size()) - static_cast<std::int64_t>(post.body.size());
  auto const bytes = post_growth(editor.project, quotas_, more);
  std::vector<postgres::query> last{{raise_pages_of_window, postgres::parameters(window, post.occurrence)},
                                    correct_post_query(post_id, wanted),
                                    bytes.assertion(),
                                    audited_post(editor, "updated", window, post_id),
                                    ask};
  auto const done = co_await work.commit(std::move(last));
  if (!done) co_return bytes.refusal(done.error());
  co_return read_post_row(done.value().back().front());
}

}  // namespace svc::store
