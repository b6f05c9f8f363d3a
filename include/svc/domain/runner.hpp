#pragma once

#include "svc/core/secret.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc {

/// The scope of a runner's token. A value.
struct runner_scope {
  uuid token;
  uuid organization;
  std::optional<uuid> project{};  ///< empty: all projects of the organisation
};

/// The data that a runner registers with.
struct runner_registration {
  std::string name{};
  std::string version{};
  std::vector<std::string> labels{};  ///< job types that it can execute
  std::int64_t slots = 1;             ///< maximum number of concurrent runs
};

/// A variable in the form that a script receives.
struct revealed_variable {
  std::string key;
  secret_string value;
  bool is_secret = false;
};

/// A run that a runner has just claimed. The JSON texts have the contract's shape.
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
  std::string tests = "[]";  ///< [{id, title, type, script or version}], without tests that were deleted since
  timestamp queued_at{};
  std::optional<std::string> trace_parent{};  ///< trace of the request that created the run (W3C Trace Context)
};

/// The result of a run, as its runner reports it.
struct run_completion {
  uuid run;
  uuid claim;
  std::string status;
  std::optional<std::string> error_details{};
  std::string tests = "[]";  ///< [{id, status, durationMs?, errorDetails?}]
};

/// Number of runs that can be claimed, with the properties that decide which runners can claim them.
struct queued_work {
  uuid organization;
  uuid project;
  std::string job_type;
  std::int64_t count = 1;
};

}  // namespace svc
