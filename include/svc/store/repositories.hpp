#pragma once

#include "svc/core/async.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/domain/quota.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/accounts/account_store.hpp"
#include "svc/store/accounts/identity_store.hpp"
#include "svc/store/accounts/invitation_store.hpp"
#include "svc/store/accounts/member_store.hpp"
#include "svc/store/accounts/organization_runner_store.hpp"
#include "svc/store/accounts/organization_store.hpp"
#include "svc/store/accounts/project_store.hpp"
#include "svc/store/accounts/session_store.hpp"
#include "svc/store/accounts/sign_in_store.hpp"
#include "svc/store/delivery/alert_store.hpp"
#include "svc/store/delivery/mail_store.hpp"
#include "svc/store/delivery/provider_store.hpp"
#include "svc/store/delivery/provider_test_store.hpp"
#include "svc/store/directory/audit_store.hpp"
#include "svc/store/directory/partition_store.hpp"
#include "svc/store/heartbeats/heartbeat_store.hpp"
#include "svc/store/jobs/job_store.hpp"
#include "svc/store/jobs/tag_store.hpp"
#include "svc/store/jobs/test_store.hpp"
#include "svc/store/jobs/variable_store.hpp"
#include "svc/store/monitors/check_history.hpp"
#include "svc/store/monitors/check_requests.hpp"
#include "svc/store/monitors/monitor_store.hpp"
#include "svc/store/monitors/outage_store.hpp"
#include "svc/store/monitors/shard_store.hpp"
#include "svc/store/pages/component_store.hpp"
#include "svc/store/pages/incident_store.hpp"
#include "svc/store/pages/page_maintenance_store.hpp"
#include "svc/store/pages/page_store.hpp"
#include "svc/store/pages/snapshot_source.hpp"
#include "svc/store/pages/subscriber_directory.hpp"
#include "svc/store/runners/runner_store.hpp"
#include "svc/store/runs/output_store.hpp"
#include "svc/store/runs/overview_store.hpp"
#include "svc/store/runs/queue_gate.hpp"
#include "svc/store/runs/run_store.hpp"
#include "svc/store/runs/trigger_batcher.hpp"
#include "svc/store/runs/usage_store.hpp"
#include "svc/store/tokens/outbox_store.hpp"
#include "svc/store/tokens/token_store.hpp"
#include "svc/store/windows/occurrence_store.hpp"
#include "svc/store/windows/window_store.hpp"

#include <chrono>
#include <cstdint>

namespace svc::store {

/// The dependencies of a worker's repositories. The referenced objects outlive them.
struct repository_needs {
  asio::io_context& io;
  postgres::pool& db;
  master_keys& master;
  quota_table quotas{};
  queue_gate gate{};  ///< used by everything in this worker that queues runs
  std::chrono::seconds lease{};
  std::chrono::seconds first_lease{};
  std::int64_t max_runs_per_project = 0;  ///< slots that one project may hold of a shared runner; 0: all
  session_times sessions{};
};

/// One repository for each aggregate, all on one pool. Worker-local; passed as a whole, so that adding a repository
/// takes one line here and no change elsewhere.
struct repositories {
  repository_needs needs;

  token_store tokens{needs.db};  ///< CLI tokens and trigger keys
  job_store jobs{needs.db, needs.quotas};
  test_store tests{needs.db, needs.quotas};
  tag_store tags{needs.db};
  variable_store variables{needs.db, needs.master, needs.quotas};
  provider_store providers{needs.db, needs.master, needs.quotas};
  provider_test_store provider_tests{needs.db};
  mail_store mails{needs.db};
  monitor_store monitors{needs.db, needs.master, needs.quotas};
  outage_store outages{needs.db};
  window_store windows{needs.db};
  occurrence_store occurrences{needs.db};
  page_store status_pages{needs.db, needs.quotas};
  component_store components{needs.db};
  incident_store incidents{needs.db, needs.quotas};
  window_post_store window_posts{needs.db, needs.quotas};
  subscriber_directory subscriber_lists{needs.db};
  snapshot_source snapshots{needs.db};  ///< published pages, for visitors
  page_maintenance_store page_upkeep{needs.db};
  alert_store alerts{needs.db};
  check_history history{needs.db};
  check_requests requests{needs.db};
  shard_store shards{needs.db};
  heartbeat_store hearts{needs.db, needs.master};
  run_store runs{needs.db, needs.gate};
  trigger_batcher triggers{needs.io, needs.db, needs.gate};
  output_store outputs{needs.db};
  runner_store runners{needs.db, needs.master, needs.lease, needs.first_lease, needs.max_runs_per_project};
  usage_store usage{needs.db, needs.quotas};
  overview_store overviews{needs.db, needs.quotas};
  audit_store audit{needs.db};
  partition_store partitions{needs.db};
  last_use_store last_uses{needs.db};
  outbox_store outbox{needs.db};  ///< epoch changes to deliver to Redis
  account_store accounts{needs.db};
  organization_store organizations{needs.db};
  member_store members{needs.db};
  invitation_store invitations{needs.db, needs.sessions, needs.quotas};
  organization_runner_store organization_runners{needs.db};
  project_store projects{needs.db, needs.quotas};
  session_store sessions{needs.db, needs.sessions};
  sign_in_store sign_ins{needs.db, needs.sessions};
  identity_store identities{needs.db, needs.sessions, needs.quotas};
};

}  // namespace svc::store
