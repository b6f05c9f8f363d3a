#include "store/tokens/token_rotation.hpp"

#include <algorithm>
#include <array>

namespace svc::store {

namespace {

constexpr std::array<std::string_view, 4> state_names{"current", "pending", "previous", "dead"};

}  // namespace

std::string_view to_string(secret_state state) {
  return state_names.at(static_cast<std::size_t>(state));
}

std::optional<secret_state> parse_secret_state(std::string_view text) {
  auto const found = std::ranges::find(state_names, text);
  if (found == state_names.end()) return std::nullopt;
  return static_cast<secret_state>(found - state_names.begin());
}

live_secret* secret_ledger::find(secret_state state) {
  auto const found = std::ranges::find(alive_, state, &live_secret::state);
  return found == alive_.end() ? nullptr : &*found;
}

void secret_ledger::change(live_secret& which, secret_state state) {
  moves_.push_back({which.state, state, which.valid_until});
  which.state = state;
}

void secret_ledger::kill(secret_state state, std::string_view reason) {
  live_secret* const which = find(state);
  if (which == nullptr) return;
  endings_.push_back({which->start, std::string(reason)});
  change(*which, secret_state::dead);
}

bool secret_ledger::confirm(sha256_digest const& used) {
  live_secret* const fresh = find(secret_state::pending);
  if (fresh == nullptr || fresh->digest != used) return false;
  // A pending secret excludes a previous one, which would have to end first.
  kill(secret_state::previous, "rotated_again");
  if (fresh->ends_previous) {
    kill(secret_state::current, "first_use");
  } else if (live_secret* const old = find(secret_state::current)) {
    change(*old, secret_state::previous);
  }
  change(*fresh, secret_state::current);
  return true;
}

void secret_ledger::rotate(timestamp latest) {
  kill(secret_state::pending, "rotated_again");
  kill(secret_state::previous, "rotated_again");
  live_secret* const old = find(secret_state::current);
  if (old == nullptr) return;
  // Never later than before: a second rotation must not revive an ended secret.
  old->valid_until = std::min(old->valid_until.value_or(latest), latest);
  // End it by its state, not only by its time: a worker's estimate of the database's time may lag, and "at once" is a
  // promise.
  if (*old->valid_until <= now_) {
    kill(secret_state::current, "no_grace");
  } else {
    change(*old, secret_state::current);
  }
}

std::optional<previous_secret> secret_ledger::previous() const {
  for (live_secret const& secret : alive_) {
    bool const replaced = secret.state == secret_state::previous || secret.state == secret_state::current;
    if (replaced && secret.valid_until && *secret.valid_until > now_)
      return previous_secret{secret.start, *secret.valid_until};
  }
  return std::nullopt;
}

timestamp end_of_grace(rotation const& rotation, std::optional<timestamp> expired_before,
                       std::optional<timestamp> expires_now, timestamp now) {
  timestamp const grace = now + std::chrono::seconds(rotation.grace_seconds);
  return std::min({grace, expired_before.value_or(grace), expires_now.value_or(grace)});
}

}  // namespace svc::store
