#pragma once

#include "svc/core/metrics.hpp"
#include "svc/domain/instance.hpp"
#include "svc/http/contract.hpp"

#include <memory>
#include <string>

namespace svc::app {

/// Forbids core dumps and debuggers in a release build, because both would show every secret in memory.
void forbid_dumps();

/// Ignores SIGPIPE, and SIGHUP until the application handles it: a terminal that is closed must not end a service.
void ignore_signals();

/// Reads the variable SVC_FAILPOINTS. Returns false if it cannot be read. A build without failpoints ignores it.
bool set_failpoints();

/// Makes the identity of this process as an instance that is reached at `address`.
instance_identity make_identity(std::string address);

/// Shows the version and the commit of this program as a metric.
void show_build(metrics& counters);

/// Loads the public contract that this program embeds. Throws `std::runtime_error` if an operation has no handler.
std::shared_ptr<http::contract const> load_public_contract();

/// The same for the contract of runners.
std::shared_ptr<http::contract const> load_internal_contract();

}  // namespace svc::app
