#pragma once

#include "integration/system/balancer.hpp"
#include "integration/system/runner.hpp"
#include "stores.hpp"
#include "support/store_probe.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace svc::test {

/// Instances behind HAProxy on stores of their own, as processes, with a gate between any two parties: clients and
/// HAProxy, runners and HAProxy, HAProxy and each instance, each instance and each store, the parts of each store.
/// The instances have the shipped deadlines. Create and use it on the main thread; all ends with it.
class rig {
 public:
  struct options {
    topology stores = replicated_stores;
    std::size_t instances = 3;
    std::vector<std::string> environment{};  ///< of the instances, takes precedence
    int last_clock_apart = 0;                ///< seconds by which the clock of the last instance is ahead
    std::string first{};  ///< the svcd that each instance is until it is replaced; empty: this build's
  };

  rig() : rig(options{}) {}
  explicit rig(options chosen);

  topology const& stores() const { return chosen_.stores; }
  redis_side& redis() { return *redis_; }
  postgres_side& postgres() { return postgres_; }
  std::size_t size() const { return instances_.size(); }
  pid_t pid_of(std::size_t instance) const { return instances_[instance].process->pid(); }
  /// All lines that the instance has logged; the last of them are kept for a failure.
  std::size_t log_lines_of(std::size_t instance) const { return log_of(instance).lines(); }
  std::string ca_file() const { return files_.path() + "/ca.pem"; }

  void let_clients(passage passage) { to_balancer_->let(passage); }
  void let_runners(passage passage) { runners_to_balancer_->let(passage); }
  /// Between HAProxy and the instance, users and runners.
  void let_balancer(passage passage, std::size_t instance);

  /// Through HAProxy, as everybody does. `within`: patience for each byte.
  api_client client(std::string token, std::chrono::seconds within = support::usual_patience) const;
  runner_client runner(std::string token) const;
  api_client pages(std::size_t instance) const { return {instances_[instance].admin, {}, {}}; }
  /// `svcd admin ... --json`; throws when it fails.
  boost::json::object admin(std::vector<std::string> arguments) const;
  /// An owner of the project acme/shop with a token.
  std::string make_owner(std::string const& name);
  sql_rows sql(std::string const& statements) const { return ask_postgres(postgres_.direct_url(), statements); }
  std::string decision_log() const { return files_.path() + "/decisions"; }

  /// True if each instance reports that it reaches both stores and shares limits, and is served by HAProxy.
  bool is_normal() const;
  /// Waits until the stores agree and `is_normal`; throws after a minute and a half.
  void await_normal();
  /// Replaces an instance as a service manager does: SIGTERM, wait, start this build's svcd. Returns its exit code.
  int replace(std::size_t instance);

 private:
  struct instance {
    balanced_ports own{}, shown{};
    std::unique_ptr<gate> api{}, runners{};
    std::unique_ptr<service> process{};
    std::string admin{};
  };

  void start(std::size_t number, std::string const& program = service_binary());
  collected_output const& log_of(std::size_t instance) const { return instances_[instance].process->err(); }
  std::vector<std::string> environment() const;

  options chosen_;
  temporary_directory files_{};
  std::unique_ptr<redis_side> redis_;
  postgres_side postgres_;
  std::vector<instance> instances_{};
  std::unique_ptr<balancer> balancer_{};
  std::unique_ptr<gate> to_balancer_{}, runners_to_balancer_{};
};

}  // namespace svc::test
