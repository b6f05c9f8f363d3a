#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/monitors/check_history.hpp"

#include <cstdint>
#include <vector>

// Conversions between sums of results and rows of `check_hours` and `check_days`.

namespace svc::store {

/// The columns that `read_sum` reads, in its order.
inline constexpr auto sum_columns = sql(" checks, up, down, observed, sum_ms, min_ms, max_ms, times ");

/// Throws `std::logic_error` if the histogram is malformed.
observed_sum read_sum(postgres::row r, int first);

/// Returns the observed seconds, at most those from `first` to `until` (microseconds; a second at least). Results may
/// cover more time than has passed. This happens if an interval is longer than the period or was restarted, or if
/// heartbeats arrive more often than required.
std::int64_t bounded_observed(std::int64_t observed, std::int64_t first, std::int64_t until);

/// Adds an array for each of the columns; `subject(row)` is the sum of a row.
template <class Rows, class Of>
void add_sums(postgres::parameters& parameters, Rows const& rows, Of const& subject) {
  using row = typename Rows::value_type;
  auto const number = [](auto n) { return static_cast<std::int64_t>(n); };
  auto const maybe = [](auto const& n) { return n ? std::optional<std::int64_t>(*n) : std::nullopt; };
  parameters.add_array(rows, [&](row const& r) { return number(subject(r).summary.checks); });
  parameters.add_array(rows, [&](row const& r) { return number(subject(r).summary.up); });
  parameters.add_array(rows, [&](row const& r) { return number(subject(r).summary.down); });
  parameters.add_array(rows, [&](row const& r) { return subject(r).observed; });
  parameters.add_array(rows, [&](row const& r) { return number(subject(r).summary.sum_ms); });
  parameters.add_array(rows, [&](row const& r) { return maybe(subject(r).summary.min_ms); });
  parameters.add_array(rows, [&](row const& r) { return maybe(subject(r).summary.max_ms); });
  parameters.add_array(rows, [&](row const& r) { return subject(r).summary.times.packed(); });
}

/// Reads the one result of a row of `check_raw`.
checks::kept_result read_raw(byte_view bytes);

}  // namespace svc::store
