#pragma once

namespace svc::postgres {

/// What a session of that connection string asks for beside it, as libpq's `target_session_attrs`; null: nothing.
/// Of several hosts one may be a standby, which answers from the past: without a word of the operator's (in the
/// string or in PGTARGETSESSIONATTRS) only a primary will do.
char const* default_session_target(char const* url);

/// How soon each side of a session notices that the other has vanished, if the URL does not choose: an idle one by
/// keepalives, after so many seconds and probes; one that is sent something by what is not acknowledged for so many
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
