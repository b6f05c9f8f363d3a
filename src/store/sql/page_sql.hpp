#pragma once

#include "store/sql/settled.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/page.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <algorithm>
#include <utility>

// What reading shares: pages of lists, and one row.
//
// What all lists share: one statement, and so one snapshot, gives a page, whether others follow, and a total that
// costs no more than max_numbered_rows. `page` ends with `LIMIT <limit + 1> OFFSET <offset>`; a page past the end
// still has the total, in one row of NULLs. `guess` is asked only where counting gives up. `more` is ", column" or
// nothing.
#define SVC_PAGED(counted, guess, more, page)                             \
  "SELECT n.counted, CASE WHEN n.counted > 10000 THEN " guess " END" more \
  ", page.*"                                                              \
  " FROM (SELECT count(*) AS counted FROM (SELECT FROM " counted          \
  "  LIMIT 10001) few) n"                                                 \
  " LEFT JOIN LATERAL (SELECT " page ") page ON true"
// For lists that are short by themselves.
#define SVC_NO_GUESS "NULL::bigint"

// The filter that lets a page begin behind a key, for both orders; parameters of NULL let all pass. The bounds are
// there even then, so that every plan can start at them.
#define SVC_BEFORE(columns, time, id)    \
  " AND (" columns ") < (coalesce(" time \
  "::timestamptz, 'infinity'), "         \
  "coalesce(" id "::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))"
#define SVC_BEHIND(columns, time, id)    \
  " AND (" columns ") > (coalesce(" time \
  "::timestamptz, '-infinity'), "        \
  "coalesce(" id "::uuid, '00000000-0000-0000-0000-000000000000'))"

namespace svc::store {

/// Fills in what columns 0 and 1 say; `shown` rows are on the page.
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

/// The key of whatever is listed by its time of creation.
template <class T>
page_key created_key(T const& of) {
  return {.time = of.created_at, .id = of.id};
}

/// The rows of a SVC_PAGED statement whose page begins at column `first`.
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

/// The one row that `ask` finds, as `read` takes it from its columns from 0 on. not_found.
template <class T, class Read>
task<result<T>> read_one(postgres::pool& db, postgres::query ask, Read read, deadline until) {
  postgres::rows const found = settled(co_await db.run(std::move(ask), until));
  if (found.empty()) co_return errc::not_found;
  co_return read(found.front(), 0);
}

}  // namespace svc::store
