#pragma once

#include "svc/core/hash.hpp"
#include "svc/core/time.hpp"
#include "svc/store/tokens/token_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::store {

enum class secret_state : std::uint8_t {
  current,   ///< the valid secret, though a pending one may be about to replace it
  pending,   ///< created by a rotation and not used yet: the response with it may be lost
  previous,  ///< replaced by a secret that has been used; good until its `valid_until`
  dead,
};

std::string_view to_string(secret_state state);
std::optional<secret_state> parse_secret_state(std::string_view text);

/// One secret of a token that is not dead. A value.
struct live_secret {
  sha256_digest digest{};
  secret_state state = secret_state::current;
  std::string start{};
  std::optional<timestamp> valid_until{};
  bool ends_previous = false;  ///< if pending: its first use ends the secret before it
};

/// A token's secrets and how a change affects them, without I/O. At most one secret is in each state, except dead,
/// and there is no previous secret next to a pending one, so at most two are good. Belongs to one transaction.
class secret_ledger {
 public:
  /// A change of one row. Moves must be written in order, so that two secrets never share a state.
  struct move {
    secret_state state;
    secret_state secret_state;
    std::optional<timestamp> valid_until{};

    friend bool operator==(move const&, move const&) = default;
  };
  /// A secret that this change ended, for the audit log.
  struct ended_token {
    std::string start;
    std::string reason;  ///< rotated_again, first_use, no_grace

    friend bool operator==(ended_token const&, ended_token const&) = default;
  };

  /// `now` is by the database's clock, read after the token was locked.
  secret_ledger(std::vector<live_secret> alive, timestamp now) : alive_(std::move(alive)), now_(now) {}

  /// Records the first use of this secret. False, with no effect, unless it is the pending one.
  bool confirm(sha256_digest const& used);
  /// Makes room for a new pending secret. `latest`: the latest time at which the current secret ends.
  void rotate(timestamp latest);

  std::vector<move> const& moves() const { return moves_; }
  std::vector<ended_token> const& endings() const { return endings_; }
  /// The secret before the newest one, while it is still valid.
  std::optional<previous_secret> previous() const;

 private:
  live_secret* find(secret_state state);
  void kill(secret_state state, std::string_view reason);
  void change(live_secret& which, secret_state state);

  std::vector<live_secret> alive_;
  timestamp now_;
  std::vector<move> moves_{};
  std::vector<ended_token> endings_{};
};

/// Returns the time at which the previous secret ends: after the grace period, but no later than the token's old or
/// new expiry.
timestamp end_of_grace(rotation const& rotation, std::optional<timestamp> expired_before,
                       std::optional<timestamp> expires_now, timestamp now);

}  // namespace svc::store
