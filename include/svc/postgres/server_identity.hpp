#pragma once

#include <cstddef>
#include <cstdint>

namespace svc::postgres {

/// Identifies the database and the history that a server writes. A promotion starts a new timeline with a higher
/// number; a former primary that still runs writes the lower one. A value.
struct server_identity {
  std::int64_t system = 0;    ///< the cluster's `system_identifier`, the same on its standbys; 0: unknown
  std::int64_t timeline = 0;  ///< 0 on a standby
  bool standby = false;

  bool known() const { return system != 0; }
  /// Returns true if both belong to one cluster and this timeline predates the other one, so that nobody may
  /// use this server.
  bool is_before(server_identity const& other) const {
    return known() && system == other.system && timeline != 0 && timeline < other.timeline;
  }
  friend bool operator==(server_identity const&, server_identity const&) = default;
};

/// The primary among the servers of a connection string.
struct primary_server {
  std::size_t server = 0;  ///< its index in the string
  server_identity identity{};

  friend bool operator==(primary_server const&, primary_server const&) = default;
};

}  // namespace svc::postgres
