#pragma once

#include "integration/system/runner.hpp"
#include "support/fleet.hpp"

#include <map>
#include <string>
#include <vector>

namespace svc::test {

/// Counts of the service's histogram of turns.
struct turn_figures {
  double all = 0, above_20_ms = 0, above_50_ms = 0;
  double stalls = 0;           ///< reported by the watchdog, also for turns that have not ended
  double longest_seconds = 0;  ///< since the start of the process
};

/// The target of attacks: `svcd serve` as shipped, with the shipped limits, a public listener and one for runners,
/// and its own stores. It has three tenants: an honest one, a neighbour in the same organisation, which shares its
/// runners, and a stranger in another one. Requires no build with failpoints.
class attack_fixture {
 public:
  /// `environment` of the service takes precedence. Must be called on the main thread.
  explicit attack_fixture(std::vector<std::string> const& environment = {});

  std::string url() const { return "https://" + address(); }
  std::string const& address() const { return target_.address(0); }
  std::string runners_url() const { return "https://" + target_.address(1); }
  std::string ca_file() const { return fleet_.text("caFile"); }
  api_client client(tenant const& tenant) const { return {url(), ca_file(), tenant.token}; }
  api_client pages() const { return {target_.admin_url(), {}, {}}; }
  /// Tokens of the honest tenant's organisation, and of the stranger's.
  std::string shared_runner_token() const { return shared_token_; }
  std::string strangers_runner_token() const { return strangers_token_; }

  turn_figures turns() const;
  /// Returns the resident memory in bytes.
  long memory() const;
  fleet const& stores() const { return fleet_; }

  tenant const& honest() const { return honest_; }
  /// Another member of the honest tenant's project, with separate limits.
  tenant const& second() const { return second_; }
  tenant const& neighbour() const { return neighbour_; }
  tenant const& stranger() const { return stranger_; }
  /// Another editor of the stranger's project, with separate limits, so that attackers do not limit each other.
  tenant make_stranger() { return fleet_.make_member(stranger_, "project_editor"); }

 private:
  tenant make_neighbour();
  std::string make_runner(tenant const& tenant);

  fleet fleet_;
  tenant honest_, second_, neighbour_, stranger_;
  std::string shared_token_, strangers_token_;
  mutable configured_service target_;  ///< reading from its process changes nothing
};

}  // namespace svc::test
