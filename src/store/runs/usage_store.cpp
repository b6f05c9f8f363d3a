#include "svc/store/runs/usage_store.hpp"

#include "store/sql/settled.hpp"
#include "svc/domain/monitoring/windows/window.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>

namespace svc::store {

namespace {

// $2: the number up to which queued runs are counted.
constexpr postgres::statement read_usage{"usage_read", R"(
SELECT (SELECT count(*) FROM tokens t WHERE t.project_id = $1 AND t.job_id IS NULL AND t.revoked_at IS NULL),
       (SELECT coalesce(max(keys.held), 0) FROM jobs j CROSS JOIN LATERAL (
          SELECT count(*) AS held FROM tokens t WHERE t.job_id = j.id AND t.revoked_at IS NULL) keys
         WHERE j.project_id = $1 AND j.deleted_at IS NULL),
       coalesce(jobs.used, 0), coalesce(tests.used, 0), coalesce(tests.bytes, 0),
       (SELECT count(*) FROM tags g WHERE g.project_id = $1),
       coalesce(variables.used, 0), coalesce(variables.bytes, 0),
       coalesce((SELECT o.bytes FROM project_output o WHERE o.project_id = $1), 0), queued_runs($1, $2),
       coalesce(monitors.used, 0), coalesce(providers.used, 0),
       (SELECT count(*) FROM maintenance_windows w WHERE w.project_id = $1 AND w.slot IS NOT NULL
           AND (w.over_at IS NULL OR w.over_at > statement_timestamp())),
       coalesce(pages.used, 0), coalesce(posts.bytes, 0)
  FROM (VALUES (1)) one
  LEFT JOIN project_usage jobs ON jobs.project_id = $1 AND jobs.kind = 'jobs'
  LEFT JOIN project_usage tests ON tests.project_id = $1 AND tests.kind = 'tests'
  LEFT JOIN project_usage variables ON variables.project_id = $1 AND variables.kind = 'variables'
  LEFT JOIN project_usage monitors ON monitors.project_id = $1 AND monitors.kind = 'monitors'
  LEFT JOIN project_usage providers ON providers.project_id = $1 AND providers.kind = 'notification_providers'
  LEFT JOIN project_usage pages ON pages.project_id = $1 AND pages.kind = 'status_pages'
  LEFT JOIN project_usage posts ON posts.project_id = $1 AND posts.kind = 'page_posts')"};

constexpr std::int64_t counted_at_least = 10'000;

}  // namespace

task<project_usage> usage_store::read(uuid project, deadline until) {
  auto const limit = [](std::size_t count) { return static_cast<std::int64_t>(count); };
  quota_table const& most = quotas_;
  std::int64_t const counted = std::max(counted_at_least, limit(most.queued_runs));
  postgres::query ask{read_usage, postgres::parameters(project, counted)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  auto const r = found.front();
  co_return project_usage{.cli_tokens = {r.integer(0), most_cli_tokens},
                          .trigger_keys = {r.integer(1), most_trigger_keys},
                          .jobs = {r.integer(2), limit(most.jobs)},
                          .monitors = {r.integer(10), limit(most.monitors)},
                          .tests = {r.integer(3), limit(most.tests)},
                          .script_bytes = {r.integer(4), limit(most.script_bytes)},
                          .tags = {r.integer(5), most_tags},
                          .variables = {r.integer(6), limit(most.variables)},
                          .variable_bytes = {r.integer(7), limit(most.variable_bytes)},
                          .providers = {r.integer(11), limit(most.providers)},
                          .maintenance_windows = {r.integer(12), windows::most_unfinished},
                          .status_pages = {r.integer(13), limit(most.status_pages)},
                          .page_bytes = {r.integer(14), limit(most.page_bytes)},
                          .output_bytes = {r.integer(8), limit(most.output_bytes)},
                          .queued_runs = {r.integer(9), limit(most.queued_runs)}};
}

}  // namespace svc::store
