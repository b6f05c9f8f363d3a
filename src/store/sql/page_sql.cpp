#include "store/sql/page_sql.hpp"

#include <algorithm>

namespace svc::store {

void read_facts(postgres::rows const& found, page_request const& wanted, std::int64_t shown, bool more,
                page_facts& into) {
  auto const counted = found.front().integer(0);
  into.total = counted;
  into.total_is_estimate = counted > max_numbered_rows;
  into.too_deep = into.total_is_estimate && wanted.too_deep();
  if (!into.total_is_estimate) return;
  auto const visible = into.too_deep ? counted : wanted.rows_before() + shown + (more ? 1 : 0);
  into.total = std::max({counted, visible, found.front().maybe_integer(1).value_or(0)});
}

}  // namespace svc::store
