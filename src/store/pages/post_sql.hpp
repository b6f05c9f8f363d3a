#pragma once

#include "store/sql/change_sql.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/domain/quota.hpp"

#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/change.hpp"

#include <optional>
#include <string>
#include <vector>

// Shared parts of the statements that read and write posts of incidents and of occurrences.

namespace svc::store {

/// The columns that `read_post_row` reads, in its order, of post `o`. Without a page the text of an automatic post is
/// empty.
inline constexpr auto post_columns =
    sql(" o.id, o.status, o.body, o.display_at, o.edited_at, o.automatic, o.notify, o.created_by, o.created_at,"
        " CASE WHEN o.window_id IS NOT NULL THEN o.parent_id END,"
        " (SELECT p.language FROM status_pages p WHERE p.id = o.page_id) ");

/// Reads the columns above, starting at column `first`.
pages::stored_post read_post_row(postgres::row r, int first = 0);

/// The key of a post in a list, the newest first.
inline page_key key_of_post(pages::stored_post const& post) {
  return {.time = post.display_at, .id = post.id};
}

/// Returns the time that a post shows. Errors: validation_failed (in the future by more than a minute).
result<timestamp> shown_time(std::optional<timestamp> wanted, timestamp now);

/// A new post with its parent. `page`: the page of an incident. `window`: the window of an occurrence.
struct post_row {
  uuid id{}, project{}, parent{};
  std::optional<uuid> page{}, window{};
  uuid author{};
  timestamp display_at{};
};
/// Inserts the post into a free slot. No row is inserted if the parent has 100 posts.
postgres::query insert_post_query(post_row const& row, pages::new_post const& post);
/// Column 0: false if the page has queued too many posts. Requires the lock of the page.
postgres::query queue_post_query(uuid page, uuid post);
/// Changes a post of this parent; an empty member stays.
postgres::query correct_post_query(uuid post, pages::post_correction const& wanted);

/// A change of the bytes that a project's posts take.
growth post_growth(uuid project, quota_table const& quotas, std::int64_t bytes);

postgres::query audited_post(editor const& editor, std::string_view verb, uuid parent, uuid id);

}  // namespace svc::store
