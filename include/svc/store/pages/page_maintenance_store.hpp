#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Keeps status pages up to date in the background. Every instance may do this; locks prevent doing it twice. A
/// failed batch is repeated row by row. Worker-local; the pool outlives it. Every method throws `unavailable` when
/// the database is gone or late.
class page_maintenance_store {
 public:
  static constexpr std::int64_t most_at_once = 20;

  explicit page_maintenance_store(postgres::pool& db) : db_(db) {}

  /// Announces due occurrences of windows on their pages. Returns the number of windows.
  task<std::int64_t> announce_due(deadline until);
  /// Stores finished local days of components, at most 90 back. Returns the number of components.
  task<std::int64_t> store_days(deadline until);
  /// Opens and resolves automatic incidents of a batch of pages. Returns the page to continue after, or nothing after
  /// the last page.
  task<std::optional<uuid>> follow_outages(std::optional<uuid> after, deadline until);
  /// Deletes rows of deleted pages, ended slugs, and posts without a parent, each at most 1 000. Returns true if
  /// there is more to delete.
  task<bool> drop_old(deadline until);

 private:
  postgres::pool& db_;
};

/// Commands of the operator on pages of any project. Worker-local; the pool outlives it.
class page_admin_store {
 public:
  explicit page_admin_store(postgres::pool& db) : db_(db) {}

  /// Frees a former slug, or one of a deleted page. Returns false if no row has it or a page uses it.
  task<bool> release_slug(std::string slug, deadline until);
  /// Archives the page with this slug or id; visitors get 404 within 2 s. Returns false if there is none.
  task<bool> archive_page(std::string slug_or_id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
