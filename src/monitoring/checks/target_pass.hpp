#pragma once

#include "monitoring/checks/target_gate.hpp"
#include "svc/monitoring/checks/engine.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::checks {

/// Time that a check waits at the gates of its targets.
struct gate_patience {
  deadline first;        ///< for the first connection
  milliseconds each{0};  ///< for each further one
  milliseconds all{0};   ///< for all further ones together
  /// Set if a requester waits for the check. The waits are then part of the check's time and end before its last
  /// retry.
  std::optional<check_limits> fixed{};
};

/// The gate of one check: takes a permit at each address that the check connects to. It holds no permit while it
/// waits, because a check that holds a permit and waits for another could wait for ever. Worker-local; the gate of
/// the worker outlives it.
class target_pass final : public check_gate {
 public:
  target_pass(scheduler::target_gate& gate, scheduler::target_gate::owner owner, gate_patience patience)
      : gate_(gate), owner_(owner), patience_(patience) {}

  task<std::optional<admission>> enter(ip_address address, std::uint16_t port, deadline until) override;
  bool try_enter(ip_address const& address, std::uint16_t port) override;
  void leave() override { permits_.clear(); }
  steady::duration take_wait() override { return std::exchange(wait_, {}); }
  bool refused() const override { return refused_; }

 private:
  using held_permit = std::pair<std::string, scheduler::target_gate::permit>;

  held_permit* find(std::string const& where);
  deadline next_deadline() const;

  scheduler::target_gate& gate_;
  scheduler::target_gate::owner owner_;
  gate_patience patience_;
  std::vector<held_permit> permits_{};
  std::vector<std::string> visited_{};  ///< targets that let this check through before
  steady::duration wait_{};
  bool refused_ = false;
};

}  // namespace svc::checks
