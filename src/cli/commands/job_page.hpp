#pragma once

#include "cli/commands/context.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <vector>

namespace svc::cli {

/// Puts the titles of a job's tests and the names of its providers in place of their ids, and its alerts into words.
/// Ids that cannot be looked up stay.
void complete_job(context& cx, boost::json::object& job);

/// Puts the alerts of a job or monitor into words, with the names of their providers.
void name_alert_providers(context& cx, boost::json::object& target);

/// Puts the names of masked members in place of their JSON pointers: `config.url`.
void name_masked_members(boost::json::object& object);

/// Returns warnings about a job that cannot be triggered, or whose schedule never occurs.
std::vector<std::string> job_warnings(boost::json::object const& job, bool creates);

/// Puts ids in place of the names of providers in the `alertConfig` of a job or monitor.
void resolve_alert_providers(context& cx, boost::json::value& alerts);

/// Says which job runs a test that was refused because of its type; empty for other refusals.
std::string job_remedy(failure const& refusal, bool creates);

/// An `alertConfig` in words: `to on-call; on failure, timeout; after 2 failures in a row`.
std::string alerts_in_words(boost::json::object const& alerts);

}  // namespace svc::cli
