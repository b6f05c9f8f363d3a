#pragma once

#include "app/configuration/connection_checks.hpp"

namespace svc::app {

/// Connects to every server of `postgres.url` and `postgres.migrate_url` as the service and `svcd migrate` would:
/// role, timeline, TLS, pooler, schema. Changes nothing. Blocks for a few seconds when a server does not answer.
check_findings check_database(configuration const& config);

}  // namespace svc::app
