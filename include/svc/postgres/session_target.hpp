#pragma once

namespace svc::postgres {

/// The `target_session_attrs` that libpq gets in addition to this connection string; null: none. One of several hosts
/// may be a standby, which answers from the past: unless the operator chooses (in the string or in
/// PGTARGETSESSIONATTRS), only a primary will do.
char const* default_session_target(char const* url);

/// How soon each side of a session notices that the other has vanished, unless the URL chooses: on an idle session by
/// keepalives, after this many seconds and probes; otherwise by data that stays unacknowledged for this many
/// milliseconds.
struct tcp_setting {
  char const* client;  ///< libpq's keyword
  char const* server;  ///< the setting of the server's side
  char const* value;
};
inline constexpr tcp_setting tcp_settings[] = {{"keepalives_idle", "tcp_keepalives_idle", "5"},
                                               {"keepalives_interval", "tcp_keepalives_interval", "2"},
                                               {"keepalives_count", "tcp_keepalives_count", "3"},
                                               {"tcp_user_timeout", "tcp_user_timeout", "5000"}};

}  // namespace svc::postgres
