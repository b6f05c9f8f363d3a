#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Keeps status pages up to date in the background. Every instance may do this; locks prevent doing it twice. Each
/// page, component or project has a transaction of its own, so that a failure stops no other one. Worker-local; the
/// pool outlives it. Every method throws `unavailable` when the database is gone or late.
class page_maintenance_store {
 public:
  static constexpr std::int64_t most_at_once = 20;

  explicit page_maintenance_store(postgres::pool& db) : db_(db) {}

  /// Call before the first round. The listener gets the projects whose incidents changed, without ids, after each
  /// COMMIT.
  void when_changed(change_listener changed) { changed_ = std::move(changed); }

  /// Returns projects with windows whose occurrences are due to be announced; the longest due first.
  task<std::vector<uuid>> announcing_projects(deadline until);
  /// Announces the due occurrences of the project on their pages. A project that another transaction holds is left
  /// for the next round.
  task<> announce(uuid project, deadline until);

  /// Returns components with a finished local day that is not stored; the longest due first.
  task<std::vector<uuid>> components_due(deadline until);
  /// Stores the finished days of the component, at most 31 at once and 89 back. A stored day never changes. A
  /// component that another transaction holds is left for the next round.
  task<> store_days(uuid component, deadline until);

  /// Returns published pages with automatic incidents, in the order of their ids, after this one.
  task<std::vector<uuid>> automatic_pages(uuid after, deadline until);
  /// Opens and resolves the automatic incidents of the page. A page that another transaction holds is left for the
  /// next round.
  task<> follow_outages(uuid page_id, deadline until);

  /// Deletes rows of a deleted page, and ended slugs, each at most 1 000. Returns true if there is more to delete.
  task<bool> drop_old(deadline until);

 private:
  postgres::pool& db_;
  change_listener changed_{};
};

/// Commands of the operator on pages of any project. Worker-local; the pool outlives it.
class page_admin_store {
 public:
  explicit page_admin_store(postgres::pool& db) : db_(db) {}

  /// Frees a former slug, or one of a deleted page. Returns false if no row has it or a page uses it.
  task<bool> release_slug(audit_actor actor, std::string slug, deadline until);
  /// Archives the page with this slug or id, so that visitors get 404 within 2 s. Returns false if there is none that
  /// is not archived.
  task<bool> archive_page(audit_actor actor, std::string slug_or_id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
