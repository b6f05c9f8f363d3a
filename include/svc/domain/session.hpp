#pragma once

#include "svc/core/hash.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/role.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc {

/// The part of the service in which a session acts during one request. The values are those of the statement
/// `session_read`.
enum class session_scope_kind : std::uint8_t {
  user = 0,          ///< the user's own account
  organization = 1,  ///< an organisation, named in the path
  project = 2,       ///< a project, named by the header `Svc-Project`
};

struct session_scope {
  session_scope_kind kind = session_scope_kind::user;
  uuid id{};  ///< of the organisation or project; nil for the user's own account

  friend bool operator==(session_scope const&, session_scope const&) = default;
};

/// The secret of a session as a request presents it, and the scope of the request. One session has one record for
/// each scope, because its rights differ. A value.
struct presented_session {
  sha256_digest digest{};
  session_scope scope{};

  friend bool operator==(presented_session const&, presented_session const&) = default;
};

/// Returns the key of the record: SHA-256 of the digest, the kind and the id. Workers and Redis keep records of
/// sessions under these keys as they keep those of tokens under digests.
sha256_digest session_record_key(presented_session const& session);

/// The facts that the record of a session has in addition to that of a token. Immutable once read.
struct session_facts {
  presented_session presented{};
  organization_role in_organization = organization_role::none;
  timestamp authenticated_at{};  ///< the user's last sign-in
  std::string method{};
  std::string provider{};  ///< empty: none
};

/// The times of sessions. Immutable, shared.
struct session_times {
  std::chrono::seconds idle{std::chrono::hours(12)};       ///< unused time after which a session ends
  std::chrono::seconds absolute{std::chrono::hours(168)};  ///< time after the sign-in at which a session ends
  std::chrono::seconds fresh{std::chrono::minutes(15)};    ///< time for which a sign-in counts as fresh
};

/// Reasons in `sessions.ended_reason`, in audit rows and in `svc_sessions_ended_total`.
namespace session_end {
inline constexpr std::string_view sign_out = "sign_out", replaced = "replaced", surplus = "surplus",
                                  password = "password", banned = "banned", ended = "ended", reset = "reset",
                                  provider = "provider";
}  // namespace session_end

}  // namespace svc
