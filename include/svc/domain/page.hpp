#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// Up to here rows are counted, and reached by a page's number. Beyond, each page would cost more than the one
/// before, so totals are estimates there, and pages begin after a key.
inline constexpr std::int64_t max_numbered_rows = 10'000;

/// The place of a row in its list: what the list is ordered by, and the id that breaks ties. A value.
struct page_key {
  std::optional<timestamp> time{};
  std::optional<std::string> text{};
  uuid id;

  friend bool operator==(page_key const&, page_key const&) = default;
};

/// Which part of a list is wanted; `number` from 1, `limit` 1..100.
struct page_request {
  std::int64_t number = 1;
  std::int64_t limit = 20;
  std::optional<page_key> after{};  ///< begin after that row, whatever `number` says

  std::int64_t rows_before() const { return (number - 1) * limit; }
  std::int64_t offset() const { return after ? 0 : std::min(rows_before(), max_numbered_rows); }
  std::optional<timestamp> after_time() const { return after ? after->time : std::nullopt; }
  std::optional<std::string> after_text() const { return after ? after->text : std::nullopt; }
  std::optional<uuid> after_id() const { return after ? std::optional(after->id) : std::nullopt; }
  /// Its rows lie beyond the numbered ones.
  bool too_deep() const { return !after && rows_before() >= max_numbered_rows; }
};

/// What a page says of its list.
struct page_facts {
  std::int64_t total = 0;          ///< never less than the rows up to this page's end
  bool total_is_estimate = false;  ///< there are more than `max_numbered_rows`
  bool too_deep = false;           ///< rows were left out: they can be reached only by a key
  std::optional<page_key> next{};  ///< of the last row, if others follow
};

/// One page of a list.
template <class T>
struct page : page_facts {
  std::vector<T> rows{};
};

/// A key as clients carry it from one page to the next; `order` names the list's order. Opaque text, safe in a URL.
std::string write_cursor(std::string_view order, page_key const& key);
/// Nothing for text that is not a cursor, or is one of another order.
std::optional<page_key> read_cursor(std::string_view order, std::string_view cursor);

}  // namespace svc
