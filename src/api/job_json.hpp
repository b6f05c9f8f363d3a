#pragma once

#include "svc/core/result.hpp"
#include "svc/domain/job.hpp"
#include "svc/http/contract.hpp"

#include <boost/json.hpp>

namespace svc::api {

/// The contract's `Job`.
boost::json::object job_json(job const& of);

/// The contract's `CreateJob`, which the contract has checked, absent members by default. `validation_failed` for
/// what only `check_job` knows; the database knows which tests and providers exist.
result<job_settings> read_job(boost::json::object const& body);

/// The settings after a merge patch. `validation_failed` when they are no `CreateJob`.
result<job_settings> patch_job(http::body_validator& contract, job const& current, boost::json::object const& patch);

}  // namespace svc::api
