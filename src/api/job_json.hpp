#pragma once

#include "svc/core/result.hpp"
#include "svc/domain/job.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The contract's `Job`.
boost::json::object job_json(job const& of);

/// A whole job as a client describes it, absent members by default. `validation_failed` with every fault but
/// those that only the database knows (which tests and providers exist).
result<job_settings> read_job(boost::json::object const& body);

/// The settings behind a merge patch. `validation_failed` also when it changes `jobType`.
result<job_settings> patch_job(job const& current, boost::json::object const& patch);

}  // namespace svc::api
