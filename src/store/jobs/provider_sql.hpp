#pragma once

#include "svc/core/bytes.hpp"
#include "svc/domain/notification_provider.hpp"
#include "svc/postgres/rows.hpp"

#include <boost/json/object.hpp>

// What reading and changing a provider share.

/// In the order of `read_provider_row`.
#define SVC_PROVIDER_COLUMNS \
  " p.id, p.name, p.type, p.enabled, p.config, p.last_used_at, p.version, p.created_at, p.updated_at "
#define SVC_PROVIDER_BY_ID \
  "SELECT" SVC_PROVIDER_COLUMNS "FROM notification_providers p WHERE p.project_id = $1 AND p.id = $2"

namespace svc::store {

/// The columns above, from `first` on.
notification_provider read_provider_row(postgres::row r, int first = 0);

/// Secrets by their pointers, sealed for one project and row. Opening throws `unavailable` when they were
/// changed or moved.
boost::json::object open_secrets(byte_view key, byte_view sealed, uuid project, uuid id);
byte_vector seal_secrets(byte_view key, boost::json::object const& secrets, uuid project, uuid id);

}  // namespace svc::store
