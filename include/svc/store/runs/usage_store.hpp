#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/quota.hpp"

#include <cstdint>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A project's use of one resource, and the limit.
struct quota_use {
  std::int64_t used = 0;
  std::int64_t limit = 0;  ///< 0: unlimited
};

/// A project's use of each limited resource, all from one snapshot.
struct project_usage {
  quota_use cli_tokens, trigger_keys;  ///< for trigger keys: the job that has the most
  quota_use jobs, monitors, tests, script_bytes, tags, variables, variable_bytes, providers;
  quota_use maintenance_windows;  ///< unfinished ones
  quota_use status_pages;
  quota_use page_bytes;    ///< of the posts of all status pages
  quota_use output_bytes;  ///< stored, compressed
  quota_use queued_runs;   ///< counted up to the limit, or up to 10 000 if that is more
};

/// Reads a project's use of each limited resource. Worker-local; the pool outlives it.
class usage_store {
 public:
  explicit usage_store(postgres::pool& db, quota_table quotas = {}) : db_(db), quotas_(quotas) {}

  /// Throws `unavailable` when the database is gone or late.
  task<project_usage> read(uuid project, deadline until);

 private:
  postgres::pool& db_;
  quota_table quotas_;
};

}  // namespace svc::store
