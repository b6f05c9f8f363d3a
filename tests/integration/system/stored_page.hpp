#pragma once

#include "support/fleet.hpp"
#include "svc/core/uuid.hpp"

#include <string>
#include <vector>

namespace svc::test {

/// A published page with one component, an incident and planned work, written as the service writes them.
struct stored_page {
  std::string id = uuid::generate_v7().to_string(), component = uuid::generate_v7().to_string(),
              incident = uuid::generate_v7().to_string();
  std::string slug;

  stored_page(fleet const& fleet, tenant const& owner, std::string name) : slug(std::move(name)) {
    auto const project = fleet.word("SELECT project_id FROM tokens WHERE id = '" + owner.token_id + "'");
    auto const user = "'" + owner.user_id + "'";
    auto const of_page = "'" + project + "', '" + id + "'";
    fleet.sql("INSERT INTO status_pages (id, project_id, name, status, domain_token, created_by) VALUES ('" + id +
              "', '" + project + "', 'Acme', 'published', 'svc-verify=0123456789abcdef', " + user + ")");
    fleet.sql("INSERT INTO page_slugs (slug, project_id, page_id, slot) VALUES ('" + slug + "', " + of_page + ", 0)");
    fleet.sql("INSERT INTO page_components (id, project_id, page_id, slot, position, name) VALUES ('" + component +
              "', " + of_page + ", 1, 0, 'Checkout')");
    fleet.sql(
        "INSERT INTO incidents (id, project_id, page_id, slot, name, impact, status, started_at, created_by) VALUES "
        "('" +
        incident + "', " + of_page + ", 1, 'Payments fail', 'minor', 'investigating', now(), " + user + ")");
  }

  std::vector<std::string> paths() const {
    auto const data = "/api/status-pages/" + slug + "/", page = "/status/" + slug;
    return {page,
            page + "/history",
            page + "/incidents/" + incident,
            data + "summary",
            data + "rss",
            data + "feed.json",
            data + "ical",
            data + "badge.svg"};
  }
};

}  // namespace svc::test
