#pragma once

#include "svc/core/secret.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc {

/// What a runner's token gives access to. A value.
struct runner_scope {
  uuid token;
  uuid organization;
  std::optional<uuid> project{};  ///< nothing: all projects of the organisation
};

/// What a runner says of itself.
struct runner_registration {
  std::string name{};
  std::string version{};
  std::vector<std::string> labels{};  ///< types of job that it can execute
  std::int64_t slots = 1;             ///< runs at a time
};

/// A variable as a script gets it.
struct revealed_variable {
  std::string key;
  secret_string value;
  bool is_secret = false;
};

/// A run that a runner holds from now on. The JSON texts have the contract's shape.
struct claimed_run {
  uuid run;
  uuid claim;
  std::int64_t attempt = 1;
  uuid project;
  std::optional<uuid> job{};
  std::optional<std::string> job_name{};
  std::string job_type;
  std::int64_t timeout_seconds = 0;
  std::string parameters = "{}";
  std::string tests = "[]";  ///< [{id, title, type, script or version}], without those that were deleted since
  timestamp queued_at{};
  std::optional<std::string> trace_parent{};  ///< of the request that made the run (W3C Trace Context)
};

/// How a run ended, as its runner reports it.
struct run_completion {
  uuid run;
  uuid claim;
  std::string status;
  std::optional<std::string> error_details{};
  std::string tests = "[]";  ///< [{id, status, durationMs?, errorDetails?}]
};

/// Runs that can be claimed: how many, and what decides which runners can take them.
struct queued_work {
  uuid organization;
  uuid project;
  std::string job_type;
  std::int64_t count = 1;
};

}  // namespace svc
