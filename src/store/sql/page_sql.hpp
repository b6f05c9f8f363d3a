#pragma once

#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/page.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <algorithm>
#include <utility>

namespace svc::store {

// Shared parts of reads: pages of lists, and single rows.
//
// The statement of a list. One statement, and so one snapshot, returns a page, a flag for further rows, and a total.
// The total counts at most max_numbered_rows + 1 rows. `page` ends with `LIMIT <limit + 1> OFFSET <offset>`; a page
// past the end still has the total, in one row of NULLs. `estimate` is evaluated only if there are more rows than are
// counted. `more` is ", column" or empty.
consteval auto paged_sql(auto const& counted, auto const& estimate, auto const& more, auto const& page) {
  return sql("SELECT n.counted, CASE WHEN n.counted > 10000 THEN ", estimate, " END", more,
             ", page.* FROM (SELECT count(*) AS counted FROM (SELECT FROM ", counted,
             "  LIMIT 10001) few) n"
             " LEFT JOIN LATERAL (SELECT ",
             page, ") page ON true");
}
// The `estimate` of lists that have fewer than 10 000 rows in practice. A longer list shows the number that was
// counted.
inline constexpr auto no_estimate = sql("NULL::bigint");

// The filter that starts a page after a key, for descending (`rows_before`) and ascending (`rows_behind`) order. NULL
// parameters let all rows pass. The filter has a bound even then, so that every plan can start its index scan there.
consteval auto rows_before(auto const& columns, auto const& time, auto const& id) {
  return sql(" AND (", columns, ") < (coalesce(", time, "::timestamptz, 'infinity'), coalesce(", id,
             "::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))");
}
consteval auto rows_behind(auto const& columns, auto const& time, auto const& id) {
  return sql(" AND (", columns, ") > (coalesce(", time, "::timestamptz, '-infinity'), coalesce(", id,
             "::uuid, '00000000-0000-0000-0000-000000000000'))");
}

/// Sets the facts from columns 0 (count) and 1 (estimate); `shown` is the number of rows on the page.
inline void read_facts(postgres::rows const& found, page_request const& wanted, std::int64_t shown, bool more,
                       page_facts& into) {
  auto const counted = found.front().integer(0);
  into.total = counted;
  into.total_is_estimate = counted > max_numbered_rows;
  into.too_deep = into.total_is_estimate && wanted.too_deep();
  if (!into.total_is_estimate) return;
  auto const visible = into.too_deep ? counted : wanted.rows_before() + shown + (more ? 1 : 0);
  into.total = std::max({counted, visible, found.front().maybe_integer(1).value_or(0)});
}

/// The key of an item in a list that is ordered by time of creation.
template <class T>
page_key created_key(T const& row) {
  return {.time = row.created_at, .id = row.id};
}

/// Reads the result of a `paged_sql` statement. The page's columns start at column `first`.
template <class T, class Read, class Key>
page<T> read_page(postgres::rows const& found, page_request const& wanted, int first, Read const& read,
                  Key const& key) {
  page<T> out;
  bool const more = found.size() > wanted.limit;
  auto const shown = more ? static_cast<int>(wanted.limit) : found.size();
  for (int i = 0; i < shown; ++i)
    if (!found[i].is_null(first)) out.rows.push_back(read(found[i], first));
  read_facts(found, wanted, static_cast<std::int64_t>(out.rows.size()), more, out);
  if (out.too_deep) out.rows.clear();
  if (more && !out.too_deep) out.next = key(out.rows.back());
  return out;
}

/// Reads the one row of an answer. The answer comes from the pool's `run`, or from its `read` if the row is always
/// small. `read` converts the row, starting at column 0. Errors: not_found.
template <class T, class Read>
task<result<T>> read_one(task<postgres::outcome<postgres::rows>> answer, Read read) {
  postgres::rows const found = settled(co_await std::move(answer));
  if (found.empty()) co_return errc::not_found;
  co_return read(found.front(), 0);
}

}  // namespace svc::store
