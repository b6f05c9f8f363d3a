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

/// Number of rows that are counted and can be reached by a page number. Beyond it each page would cost more than the
/// page before. There totals are estimates, and a page starts after a key.
inline constexpr std::int64_t max_numbered_rows = 10'000;

/// The position of a row in its list: the values that order the list, and the id that breaks ties. A value.
struct page_key {
  std::optional<timestamp> time{};
  std::optional<std::string> text{};
  uuid id;

  friend bool operator==(page_key const&, page_key const&) = default;
};

/// The requested part of a list; `number` starts at 1, `limit` is 1..100.
struct page_request {
  std::int64_t number = 1;
  std::int64_t limit = 20;
  std::optional<page_key> after{};  ///< start after that row and ignore `number`

  std::int64_t rows_before() const { return (number - 1) * limit; }
  std::int64_t offset() const { return after ? 0 : std::min(rows_before(), max_numbered_rows); }
  std::optional<timestamp> after_time() const { return after ? after->time : std::nullopt; }
  std::optional<std::string> after_text() const { return after ? after->text : std::nullopt; }
  std::optional<uuid> after_id() const { return after ? std::optional(after->id) : std::nullopt; }
  /// True if the page's rows lie beyond the numbered rows.
  bool too_deep() const { return !after && rows_before() >= max_numbered_rows; }
};

/// The facts about a list that accompany each of its pages.
struct page_facts {
  std::int64_t total = 0;          ///< at least the number of rows up to the end of this page
  bool total_is_estimate = false;  ///< true if the list has more than `max_numbered_rows`
  bool too_deep = false;           ///< true if rows were left out because only a key can reach them
  std::optional<page_key> next{};  ///< key of the last row, if more rows follow
};

/// One page of a list.
template <class T>
struct page : page_facts {
  std::vector<T> rows{};
};

/// Encodes a key that clients carry from one page to the next; `order` names the list's order. The text is opaque and
/// safe in a URL.
std::string write_cursor(std::string_view order, page_key const& key);
/// Returns `std::nullopt` if the text is not a cursor or belongs to another order.
std::optional<page_key> read_cursor(std::string_view order, std::string_view cursor);

}  // namespace svc
