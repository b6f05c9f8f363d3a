#pragma once

#include "svc/domain/pages/snapshot.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <vector>

// The rows from which the statuses of components are computed.

namespace svc::store {

/// Appends the statements that `read_statuses` reads.
void ask_statuses(std::vector<uuid> const& pages, std::vector<postgres::query>& queries);
inline constexpr std::size_t status_queries = 4;

/// The statuses of pages at a moment: snapshots with components, open incidents and active maintenance, without
/// texts.
struct page_statuses {
  timestamp now{};
  std::map<uuid, pages::page_snapshot> pages{};  ///< a page without components may be missing
  std::map<uuid, pages::status_table> tables{};  ///< of the same pages

  pages::component_status status(uuid page) const;
  pages::component_status status(uuid page, uuid component) const;
  std::optional<timestamp> evidence_at(uuid page) const;
};
/// `found`: the rows of the statements above.
page_statuses read_statuses(std::span<postgres::rows const> found);

/// Reads the components of one page with names and measurements from the rows of the first of these statements.
std::vector<pages::page_component> read_components(postgres::rows const& evidence, timestamp now);

/// The monitors of a component, also deleted and purged ones.
struct component_monitors {
  pages::aggregation rule = pages::aggregation::worst_case;
  std::vector<uuid> monitors{};
};
/// Reads them from the same rows.
std::map<uuid, component_monitors> read_component_monitors(postgres::rows const& evidence);
/// Returns only the first of these statements.
postgres::query evidence_query(std::vector<uuid> const& pages);

}  // namespace svc::store
