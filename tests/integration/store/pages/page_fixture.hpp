#pragma once

#include "integration/store/windows/window_fixture.hpp"

#include "svc/store/pages/component_store.hpp"
#include "svc/store/pages/incident_store.hpp"
#include "svc/store/pages/page_maintenance_store.hpp"
#include "svc/store/pages/page_store.hpp"
#include "svc/store/pages/snapshot_source.hpp"
#include "svc/store/pages/subscriber_directory.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

/// The shop with monitors, maintenance windows and status pages.
struct paged_shop : windowed_shop {
  static pages::page_settings page_named(std::string slug) {
    return {.name = "Page " + slug, .slug = std::move(slug), .status = pages::page_status::published};
  }
  result<pages::status_page> create_page(pages::page_settings set) {
    return wait(status_pages.create(as_ed(), ed, std::move(set), soon()));
  }
  pages::status_page make_page(std::string slug = "acme") {
    auto made = create_page(page_named(std::move(slug)));
    REQUIRE(made.has_value());
    return *made;
  }
  result<pages::status_page> change_page(uuid id, std::function<void(pages::page_settings&)> const& agent) {
    auto const edit = [&](pages::status_page const& current) {
      auto out = current.set;
      agent(out);
      return result<pages::page_settings>(std::move(out));
    };
    return wait(status_pages.update(as_ed(), id, edit, soon()));
  }
  result<pages::status_page> rename_page(uuid id, std::string slug) {
    return change_page(id, [&](auto& set) { set.slug = slug; });
  }
  result<pages::component> create_component(uuid page_id, pages::component_settings set) {
    return wait(components.create(as_ed(), page_id, std::move(set), soon()));
  }
  pages::component make_component(uuid page_id, std::vector<uuid> ids = {}, std::string label = "web") {
    auto made = create_component(page_id, {.name = std::move(label), .monitors = std::move(ids)});
    REQUIRE(made.has_value());
    return *made;
  }
  pages::component read_component(uuid page_id, uuid id) {
    auto found = wait(components.get(project, page_id, id, soon()));
    REQUIRE(found.has_value());
    return *found;
  }
  static pages::new_incident incident_named(std::string label, bool notify = false) {
    return {
        .name = std::move(label), .effect = pages::impact::major, .first = {.body = "We look.", .notify = notify}};
  }
  result<pages::incident> create_incident(uuid page_id, pages::new_incident wanted) {
    return wait(incidents.create(as_ed(), ed, page_id, std::move(wanted), soon()));
  }
  pages::incident make_incident(uuid page_id, std::string label = "Checkout fails") {
    auto made = create_incident(page_id, incident_named(std::move(label)));
    REQUIRE(made.has_value());
    return *made;
  }
  result<pages::stored_post> post(uuid page_id, uuid incident, pages::post_status status, bool notify = false) {
    pages::new_post wanted{.status = status, .body = "More.", .notify = notify};
    return wait(incidents.add_post(as_ed(), ed, page_id, incident, std::move(wanted), soon()));
  }
  pages::incident read_incident(uuid page_id, uuid id) {
    auto found = wait(incidents.get(project, page_id, id, soon()));
    REQUIRE(found.has_value());
    return *found;
  }
  /// Gives the monitor a verdict with evidence of this moment.
  void judge(uuid monitor, std::string const& verdict) {
    as_owner("UPDATE monitor_status SET verdict = '" + verdict + "', since = now() WHERE monitor_id = '" +
             monitor.to_string() + "'; UPDATE check_states SET evidence_at = now() WHERE monitor_id = '" +
             monitor.to_string() + "'");
  }
  /// Opens an outage of the monitor that started that long ago, and gives it the verdict.
  void break_down(uuid monitor, std::string const& ago) {
    judge(monitor, "down");
    as_owner(
        "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, cause, cause_message,"
        " cause_location, locations_down) SELECT gen_random_uuid(), project_id, id, now() - interval '" +
        ago + "', now() - interval '" + ago + "', 1, 'refused', 'default', '{default}' FROM monitors WHERE id = '" +
        monitor.to_string() +
        "'; UPDATE monitor_status s SET outage_id = o.id FROM outages o"
        " WHERE o.monitor_id = s.monitor_id AND o.ended_at IS NULL");
  }
  /// Ends the open outage of the monitor.
  void mend(uuid monitor) {
    as_owner(
        "UPDATE outages SET ended_at = now(), end_reason = 'recovered' WHERE ended_at IS NULL AND monitor_id = '" +
        monitor.to_string() + "'; UPDATE monitor_status SET outage_id = NULL WHERE monitor_id = '" +
        monitor.to_string() + "'");
    judge(monitor, "up");
  }
  std::int64_t shown_version(uuid page_id) { return wait(snapshots.version(page_id, soon())).version.value_or(0); }
  store::served_page serve(uuid page_id) {
    auto found = wait(snapshots.read(page_id, soon()));
    REQUIRE(found.has_value());
    return *found;
  }
  /// A window like `single` that is on this page, with an announcement.
  windows::window_settings shown_window(uuid page_id, std::vector<uuid> ids = {}) {
    auto out = single("upgrade");
    out.shown = {.status_pages = {page_id},
                 .components = std::move(ids),
                 .announcement = windows::window_announcement{.title = "Upgrade", .body = "We upgrade."}};
    return out;
  }

  quota_table quotas{};
  store::page_store status_pages{pool, quotas};
  store::component_store components{pool};
  store::incident_store incidents{pool, quotas};
  store::window_post_store window_posts{pool, quotas};
  store::subscriber_directory subscribers{pool};
  store::snapshot_source snapshots{pool};
  store::page_maintenance_store upkeep{pool};
  store::page_admin_store page_admin{pool};
};

}  // namespace svc::test
