#pragma once

#include "app/configuration/configuration.hpp"

#include <string>
#include <vector>

namespace svc::app {

/// What an operator is told about the databases of a configuration, in sentences. A value.
struct database_findings {
  std::vector<std::string> facts{};
  std::vector<std::string> problems{};
};

/// Connects to every server of `postgres.url` and `postgres.migrate_url` as the service and `svcd migrate` would:
/// role, timeline, TLS, pooler, schema. Changes nothing. Blocks for a few seconds when a server does not answer.
database_findings check_database(configuration const& with);

}  // namespace svc::app
