#pragma once

#include "svc/core/ip_address.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/role.hpp"
#include "svc/domain/session.hpp"
#include "svc/domain/token.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// The caller after authentication and admission, as of the moment of admission. A value.
struct principal {
  token_kind kind = token_kind::cli;
  uuid token_id;
  std::string token_name;
  uuid owner_id;
  std::string owner_name;
  role owner_role = role::none;
  uuid project_id;
  uuid organization_id;
  std::optional<uuid> job_id{};  ///< trigger keys only
  uuid subject;                  ///< owner for CLI tokens, the key itself for trigger keys
  std::int64_t epoch = 0;        ///< epoch of the subject at admission
  std::optional<timestamp> expires_at{};
  std::string project_slug{};
  std::string organization_slug{};
  std::shared_ptr<session_facts const> session{};  ///< set if the credential is a session; its id is `token_id`
};

/// The reason why a stored token is refused, as of the snapshot of its read. Expiry is checked at use.
enum class token_state : std::uint8_t {
  usable,
  disabled,
  revoked,
  secret_rotated,
  owner_removed,
  owner_disabled,
  owner_without_role,
  project_archived,
  session_ended,
  session_expired,  ///< not used for too long
  session_rotated,
  project_not_found,       ///< the project is unknown, foreign or archived, or the user has no role in it
  organization_not_found,  ///< the organisation is unknown, or the user is no member
  policy_not_met,
};

/// The result of one auth read, from one snapshot. Worker memory and Redis cache it. It is valid only while its
/// subject's epoch in Redis equals `caller.epoch`, and for at most `max_age_micros`.
struct token_record {
  principal caller;
  token_state state = token_state::usable;
  timestamp read_at;                           ///< database time of the read
  std::int64_t max_age_micros = 30'000'000;    ///< 30 s +- 10 %, drawn at the read
  std::optional<timestamp> valid_until{};      ///< end of this secret's validity after a rotation
  bool pending = false;                        ///< true: a rotated secret that has not been used yet
  std::optional<std::uint32_t> rate_limit{};   ///< per-key limit
  std::optional<std::uint32_t> rate_window{};  ///< seconds
  std::optional<std::vector<cidr>> allowed{};  ///< addresses that may use the key; empty: all

  friend bool newer(token_record const& a, token_record const& b) {
    return a.caller.epoch != b.caller.epoch ? a.caller.epoch > b.caller.epoch : a.read_at > b.read_at;
  }
};

/// The effect of a change on one subject: the epoch that Redis must hold before the change is announced.
struct subject_epoch {
  uuid subject;
  std::int64_t epoch;
};

/// The caller's knowledge of its subject's epoch. schema/redis/admit.lua and docs/protocol.md give the rules.
enum class epoch_mode : std::uint8_t {
  none,    ///< the subject has no epoch: an address, a refused token
  cached,  ///< the record was read before this request arrived; only an equal epoch confirms it
  fresh,   ///< the record was read after this request arrived; bumps the epoch, unless Redis holds a higher one
  forced,  ///< the record was read after a STALE reply; bumps the epoch likewise, and is never stale again
};

/// Returns `svc:{<subject>}:epoch`. The braces put all keys of a subject into one slot of a Redis Cluster.
std::string epoch_key(std::string_view subject);

/// Returns the lifetime of an epoch in Redis in milliseconds: 24 h +- 10 %, so that keys set together do not expire
/// together.
std::string epoch_life_millis();

/// Returns the subject of an address: IPv4 unchanged, IPv6 reduced to its /64 (one customer's share), mapped IPv4 as
/// IPv4. Text that is not an address (a Unix socket's peer) is returned unchanged.
std::string address_subject(std::string_view address);

}  // namespace svc
