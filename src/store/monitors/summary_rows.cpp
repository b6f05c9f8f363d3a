#include "store/monitors/summary_rows.hpp"

#include <algorithm>
#include <stdexcept>

namespace svc::store {
namespace {

std::optional<std::uint32_t> maybe_ms(postgres::row r, int column) {
  auto const found = r.maybe_integer(column);
  return found ? std::optional(static_cast<std::uint32_t>(*found)) : std::nullopt;
}

}  // namespace

void observed_sum::add(observed_sum const& other) {
  summary.add(other.summary);
  observed += other.observed;
}

observed_sum read_sum(postgres::row r, int first) {
  auto times = checks::response_times::read(r.bytes(first + 7));
  if (!times) throw std::logic_error("a stored histogram is not valid");
  observed_sum out;
  out.summary.checks = static_cast<std::uint64_t>(r.integer(first));
  out.summary.up = static_cast<std::uint64_t>(r.integer(first + 1));
  out.summary.down = static_cast<std::uint64_t>(r.integer(first + 2));
  out.observed = r.integer(first + 3);
  out.summary.sum_ms = static_cast<std::uint64_t>(r.integer(first + 4));
  out.summary.min_ms = maybe_ms(r, first + 5);
  out.summary.max_ms = maybe_ms(r, first + 6);
  out.summary.times = std::move(*times);
  return out;
}

std::int64_t bounded_observed(std::int64_t observed, std::int64_t first, std::int64_t until) {
  auto const passed = (until - first + 999'999) / 1'000'000;
  return std::min(observed, std::max<std::int64_t>(1, passed));
}

checks::kept_result read_raw(byte_view bytes) {
  auto const found = checks::read_packed(bytes);
  if (!found || found->size() != 1) throw std::logic_error("a stored result is not valid");
  return found->front();
}

}  // namespace svc::store
