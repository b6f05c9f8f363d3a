#pragma once

#include "attack_fixture.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace svc::test {

/// The observations of a tenant that does nothing wrong.
struct bystander_figures {
  std::size_t requests = 0, server_errors = 0, refused = 0, broken = 0, wrong = 0;
  double p50_ms = 0, p99_ms = 0;
  std::size_t triggered = 0, lost_claims = 0;
  std::vector<std::string> complaints{};  ///< the first few, as text

  std::size_t failures() const { return server_errors + refused + broken + wrong; }
};

/// The traffic of the honest tenant while others attack: reads, changes, triggers with keys, and two slots of the
/// runners that it shares with its neighbour. Each answer is checked. An unexpected or missing answer is a failure,
/// because the tenant's own requests stay far below its limits.
class bystander {
 public:
  using clock = std::chrono::steady_clock;

  /// `neighbours_runs` is the time that a runner is busy with a run of another project.
  explicit bystander(attack_fixture& fixture,
                     std::chrono::milliseconds neighbours_runs = std::chrono::milliseconds(50),
                     bool with_runners = true);
  ~bystander();
  bystander(bystander const&) = delete;
  bystander& operator=(bystander const&) = delete;

  void begin();
  /// Stops reading and triggering; runners continue.
  void stop_asking();
  /// Returns the number of its own runs that have not ended well.
  std::size_t unfinished() const;
  /// Returns the longest time from a trigger to the end of its run, so far.
  double slowest_run_ms() const;
  /// Sends a request on a new connection, like a new client. Returns its duration, or `std::nullopt` if it failed.
  std::optional<std::chrono::milliseconds> probe() const;
  void end();
  bystander_figures figures() const;

 private:
  using answered = std::function<answer()>;
  void read_pages();
  void change_and_trigger();
  void execute(int number);
  void execute_one(runner_client& client, boost::json::value const& claim);
  /// Sends the request and counts the result; returns true if it was the `wanted` one.
  bool ask(api_client& client, std::string const& subject, int wanted, answered const& settings,
           std::string const& holding = {});
  void complain(std::size_t bystander_figures::* count, std::string const& reason);

  attack_fixture& fixture_;
  std::chrono::milliseconds const neighbours_runs_;
  bool const with_runners_;
  tenant writer_;  ///< its requests have a separate limit
  std::string job_, test_, project_id_, began_;
  std::atomic<bool> over_ = false, runners_over_ = false;
  mutable std::mutex mutex_;  ///< protects everything below
  bystander_figures seen_;
  std::vector<double> took_ms_;
  std::string last_ended_;  ///< run
  std::vector<std::thread> asking_, executing_;
};

}  // namespace svc::test
