#include "store/pages/post_sql.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <utility>

namespace svc::store {
namespace {

/// Clocks of clients may be wrong by this much.
constexpr std::chrono::minutes post_clock_fault{1};

constexpr postgres::statement insert_post{"post_insert", R"(
INSERT INTO page_posts (id, project_id, parent_id, page_id, window_id, created_by, status, body, display_at, notify, slot)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, f.slot FROM free_post_slot($3) f (slot) WHERE f.slot IS NOT NULL)"};

constexpr postgres::statement queue_post{"post_queue", "SELECT queue_page_post($1, $2, clock_timestamp())"};

constexpr postgres::statement correct_post{"post_correct", R"(
UPDATE page_posts SET body = coalesce($2, body), display_at = coalesce($3, display_at), edited_at = clock_timestamp()
 WHERE id = $1)"};

}  // namespace

pages::stored_post read_post_row(postgres::row r, int first) {
  auto const status = pages::post_status_of(r.text(first + 1));
  if (!status) throw std::logic_error("unknown status of a post");
  pages::stored_post out{.id = r.id(first),
                         .status = *status,
                         .body = std::string(r.text(first + 2)),
                         .display_at = r.time(first + 3),
                         .edited_at = r.maybe_time(first + 4),
                         .automatic = r.boolean(first + 5),
                         .notify = r.boolean(first + 6),
                         .created_by = r.maybe_id(first + 7),
                         .occurrence = r.maybe_id(first + 9),
                         .created_at = r.time(first + 8)};
  if (!out.body.empty() || r.is_null(first + 10)) return out;
  if (auto const language = pages::page_language_of(r.text(first + 10)))
    out.body = pages::automatic_text(*language, out.status);
  return out;
}

result<timestamp> shown_time(std::optional<timestamp> wanted, timestamp now) {
  if (!wanted) return now;
  if (*wanted > now + post_clock_fault)
    return error(errc::validation_failed, "The update's time cannot be used.", {{"/displayAt", "is in the future"}});
  return std::min(*wanted, now);
}

postgres::query insert_post_query(post_row const& row, pages::new_post const& post) {
  return {insert_post, postgres::parameters(row.id, row.project, row.parent, row.page, row.window, row.author,
                                            to_text(post.status), post.body, row.display_at, post.notify)};
}

postgres::query queue_post_query(uuid page, uuid post) {
  return {queue_post, postgres::parameters(page, post)};
}

postgres::query correct_post_query(uuid post, pages::post_correction const& wanted) {
  return {correct_post, postgres::parameters(post, wanted.body, wanted.display_at)};
}

growth post_growth(uuid project, quota_table const& quotas, std::int64_t bytes) {
  return {project, counted_posts, {.bytes = static_cast<std::int64_t>(quotas.page_bytes)}, {.bytes = bytes}};
}

postgres::query audited_post(editor const& editor, std::string_view verb, uuid parent, uuid id) {
  return audit_query(editor.entry("post." + std::string(verb), "post", id,
                                  boost::json::serialize(boost::json::object{{"parentId", parent.to_string()}})));
}

}  // namespace svc::store
