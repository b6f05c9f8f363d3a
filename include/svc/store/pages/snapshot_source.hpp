#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/domain/pages/snapshot.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A published page with all that serving it needs. A value.
struct served_page {
  uuid id{}, project{};
  std::string slug;
  std::optional<std::string> domain{};       ///< a verified domain
  std::vector<std::string> allowed_cidrs{};  ///< for visibility `restricted`
  std::int64_t version = 0;                  ///< rises with every change that visitors can see
  pages::page_snapshot snapshot{};
};

/// A name that leads to a published page.
struct page_name {
  uuid id{};
  std::string slug;     ///< the current one
  bool former = false;  ///< the name is a former slug, which redirects
};

/// The version of a page at a moment.
struct page_version {
  std::optional<std::int64_t> version{};  ///< none: there is no published page with this id
  timestamp now{};                        ///< the database's time of the read
};

/// Reads published pages for visitors. Drafts, archived and deleted pages do not exist here, and neither do pages of
/// archived projects. Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone
/// or late.
class snapshot_source {
 public:
  explicit snapshot_source(postgres::pool& db) : db_(db) {}

  /// Finds a page by its slug, or by one of its former slugs within 90 days.
  task<std::optional<page_name>> find_slug(std::string slug, deadline until);
  task<std::optional<page_name>> find(uuid id, deadline until);
  /// Finds a page by its verified domain, in lower case and without a port.
  task<std::optional<page_name>> find_domain(std::string domain, deadline until);
  /// Costs one read by a primary key.
  task<page_version> version(uuid id, deadline until);
  /// Builds the page's snapshot within the bounds of `bound_snapshot`. The version is read first, so a change during
  /// the build has a later version.
  task<std::optional<served_page>> read(uuid id, deadline until);
  /// Returns at most `most` ids of published pages after this one, in their order.
  task<std::vector<uuid>> published(uuid after, std::int64_t most, deadline until);
  task<std::optional<pages::logo>> logo(uuid id, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
