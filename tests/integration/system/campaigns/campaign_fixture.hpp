#pragma once

#include "campaign_alerts.hpp"
#include "campaign_check.hpp"
#include "campaign_fixture.hpp"
#include "integration/system/faults/freezer.hpp"
#include "support/fleet.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// On a busy machine a store may be unavailable for a moment.
inline answer until_there(std::function<answer()> const& ask) {
  constexpr int most = 20;
  auto got = ask();
  for (int i = 1; i < most && got.status == 503; ++i) got = ask();
  return got;
}

struct campaign_plan {
  int runs = 0;
  int runners = 8, slots = 6;
  int instances = 2;  ///< in addition to dev, which is sometimes stopped but never killed, because the stores are its
                      ///< children
  std::chrono::seconds chaos{};
  int least_pause = 100, most_pause = 500;  ///< milliseconds between two faults
  /// Stops stores and instances too, with the shipped deadlines. The fixture itself then only kills and ends
  /// instances.
  bool freezes = false;
  std::string webhook{};  ///< receives the alerts of the runs; empty: their jobs have no alerts
  unsigned seed = 0;
};

/// Instances and runners that are killed, ended and stopped at random while they process a queue. Create and use it
/// on the main thread.
class campaign_fixture {
 public:
  explicit campaign_fixture(campaign_plan const& plan);
  ~campaign_fixture();
  campaign_fixture(campaign_fixture const&) = delete;
  campaign_fixture& operator=(campaign_fixture const&) = delete;

  /// Triggers all runs, one in twenty of a job with a limit. Returns how many were acknowledged.
  std::size_t fill_queue();
  void open_doors();
  /// Kills at random until the time is over. Everything continues afterwards.
  void kill_at_random();
  /// Returns false if some runs have not ended or some output is not stored in time.
  bool drain(std::chrono::seconds within);
  /// Returns the facts. Ends the runners first, so that their records are complete.
  campaign_facts facts();
  /// Returns the alerts of the runs, once the runs have ended.
  run_alert_facts reported() { return read_alerted_runs(fleet_, reported_); }
  /// Adds runs that clients triggered during the faults.
  void acknowledge(std::set<std::string> const& runs) { known_.acknowledged.insert(runs.begin(), runs.end()); }
  /// Returns the requests of all clients and runners; the records are complete after `facts`.
  std::vector<timed_request> requests();

  /// Returns the number of instances: dev, which is number 0, and the others. A killed instance is replaced by
  /// another.
  int instances() const { return plan_.instances + 1; }
  /// Returns a client with an address that outlasts the instance. Thread-safe.
  api_client client_of(int instance, std::string token) const;
  api_client pages_of(int instance) const;
  class fleet& fleet() { return fleet_; }
  tenant const& owner() const { return owner_; }
  std::string const& job() const { return job_; }

  struct fault_counts {
    int runners_killed = 0, runners_ended = 0, runners_stopped = 0;
    int instances_killed = 0, instances_ended = 0, instances_stopped = 0;
  };
  fault_counts const& counted() const { return counts_; }
  std::array<int, freezer::kinds> counted_freezes() const { return freezer_->counted(); }
  /// Freezes: the process that stood still, and the time.
  shared_book<freeze>& freezes() { return freezes_; }
  shared_book<timed_request>& asked() { return asked_; }

 private:
  using clock = std::chrono::steady_clock;
  struct pause {
    service* process;
    freeze as;  ///< `end` is the planned end
  };

  std::string socket(int instance) const { return directory_.path() + "/s" + std::to_string(instance); }
  std::string public_socket(int instance) const { return directory_.path() + "/p" + std::to_string(instance); }
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(dice_); }
  void start_instance(int number);
  void start_runner(int number);
  void strike();
  void strike_runner();
  void strike_instance();
  void replace_runner(int number, bool kill);
  void replace_instance(int number, bool kill);
  void stop_for_a_while(service& process, freeze as, int least_millis, int most_millis);
  void wake(service const* only, bool all);
  void cancel_some();
  void read_output(std::vector<last_state>& rows);
  void read_streams(std::vector<last_state>& rows);
  void watch_stream(last_state& row);

  campaign_plan plan_;
  std::mt19937 dice_;
  class fleet fleet_;
  temporary_directory directory_;
  tenant owner_;
  std::string job_, limited_job_, runner_token_;
  std::map<std::string, alert_thresholds> reported_{};
  std::vector<std::string> runs_{};
  campaign_facts known_{};
  std::vector<std::unique_ptr<configured_service>> instances_;
  std::vector<std::unique_ptr<service>> runners_;
  std::list<std::unique_ptr<service>> leaving_{};
  std::vector<pause> pauses_{};
  shared_book<freeze> freezes_{};
  shared_book<timed_request> asked_{};
  int started_ = 0;
  fault_counts counts_{};
  std::atomic<bool> over_ = false;
  std::thread canceller_{};
  std::optional<freezer> freezer_{};  ///< declared last: it continues everything before the other members end
};

/// Empty when everything works after a campaign: each instance is ready and has both stores, each of its loops takes
/// steps again, and no transaction of the service keeps a lock. Otherwise the remaining problem when the time is
/// over.
std::string recovered(campaign_fixture& fixture, std::chrono::seconds within);

}  // namespace svc::test
