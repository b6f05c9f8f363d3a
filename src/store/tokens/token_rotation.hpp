#pragma once

#include "svc/core/hash.hpp"
#include "svc/core/time.hpp"
#include "svc/store/token_store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::store {

enum class secret_state : std::uint8_t {
  current,   ///< the one that holds
  pending,   ///< made by a rotation, not used yet: its answer may be lost
  previous,  ///< replaced by a used one, good until its `valid_until`
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
  bool ends_previous = false;  ///< pending: its first use ends the one before it
};

/// A token's secrets and what a change makes of them, without I/O. There is at most one of each state, and no
/// previous one beside a pending one: hence at most two that are good. Belongs to one transaction.
class secret_ledger {
 public:
  /// A change of one row, to be written in the order in which they came: two secrets never share a state.
  struct move {
    secret_state from;
    secret_state to;
    std::optional<timestamp> valid_until{};

    friend bool operator==(move const&, move const&) = default;
  };
  /// A secret that this change ended, for the audit log.
  struct ended {
    std::string start;
    std::string why;  ///< rotated_again, first_use, no_grace

    friend bool operator==(ended const&, ended const&) = default;
  };

  /// `now` by the database's clock, read after the token was locked.
  secret_ledger(std::vector<live_secret> alive, timestamp now) : alive_(std::move(alive)), now_(now) {}

  /// The first use of this secret. False, and nothing happens, unless it is the pending one.
  bool confirm(sha256_digest const& used);
  /// Makes room for a new pending secret. `latest`: when the secret before it ends at the latest.
  void rotate(timestamp latest);

  std::vector<move> const& moves() const { return moves_; }
  std::vector<ended> const& endings() const { return endings_; }
  /// The secret before the newest one, while it is good.
  std::optional<previous_secret> previous() const;

 private:
  live_secret* find(secret_state state);
  void kill(secret_state state, std::string_view why);
  void change(live_secret& which, secret_state to);

  std::vector<live_secret> alive_;
  timestamp now_;
  std::vector<move> moves_{};
  std::vector<ended> endings_{};
};

/// When the secret before a new one ends: after the grace, but no later than the token did or will.
timestamp end_of_grace(rotation const& how, std::optional<timestamp> expired_before,
                       std::optional<timestamp> expires_now, timestamp now);

}  // namespace svc::store
