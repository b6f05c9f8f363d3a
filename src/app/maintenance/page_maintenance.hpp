#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/live/feed/publisher.hpp"
#include "svc/store/pages/page_maintenance_store.hpp"

#include <set>
#include <utility>
#include <vector>

namespace svc::app {

/// Keeps status pages up to date: announces maintenance, stores finished days, opens and resolves automatic
/// incidents, and deletes rows of deleted pages. One worker of each instance does this; the database prevents doing
/// it twice. Worker-local; its dependencies must outlive it.
class page_maintenance {
 public:
  struct parts {
    store::page_maintenance_store& pages;
    feed::publisher& feed;  ///< announces automatic incidents
    loop_starter loops;     ///< asked between two transactions whether to go on
  };
  explicit page_maintenance(parts parts) : parts_(std::move(parts)) {}
  page_maintenance(page_maintenance const&) = delete;
  page_maintenance& operator=(page_maintenance const&) = delete;

  /// On that worker, before its thread runs.
  void start();

 private:
  using step = task<> (store::page_maintenance_store::*)(uuid, deadline);

  task<> announce_due();
  task<> store_days();
  task<> follow_outages();
  task<> drop_old();
  /// Takes the step for each id in `due`, and for those in `failed` last. If a step throws, its id stays in `failed`
  /// for the next round.
  task<> take_each(std::vector<uuid> due, std::set<uuid>& failed, step step);

  parts parts_;
  std::set<uuid> failed_projects_{}, failed_components_{}, failed_pages_{};
};

}  // namespace svc::app
