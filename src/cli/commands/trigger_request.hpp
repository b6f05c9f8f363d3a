#pragma once

#include <boost/json/value.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// Values of a job's parameters by name.
using job_parameters = std::map<std::string, std::string>;

/// Returns the parameters from `NAME=VALUE` texts and from the text of a file: a JSON object of strings, integers and
/// booleans; empty: no file. The `NAME=VALUE` texts override the file. Throws `bad_usage`.
job_parameters parameters_of(std::vector<std::string> const& assignments, std::string_view file);

/// Throws `bad_usage` when a name is not one that the job declares, or a required one without a default is missing.
/// If a part of `job` does not follow the contract, only the service checks it.
void check_parameters(job_parameters const& given, boost::json::value const& job);

/// Throws `bad_usage` for an empty key: a script has given a variable that is not set.
void check_idempotency_key(std::string_view key);

/// The body of the trigger (`TriggerJob`).
std::string trigger_body(job_parameters const& parameters, std::string const& dedup_key);

}  // namespace svc::cli
