#pragma once

#include "campaign_judge.hpp"
#include "support/fleet.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// On a busy machine a store may be missed.
inline answer until_there(std::function<answer()> const& ask) {
  constexpr int most = 20;
  auto got = ask();
  for (int i = 1; i < most && got.status == 503; ++i) got = ask();
  return got;
}

struct campaign_plan {
  int runs = 0;
  int executors = 8, slots = 6;
  int instances = 2;  ///< besides dev, which is stopped at times, but not killed: the stores are its children
  std::chrono::seconds chaos{};
  unsigned seed = 0;
};

/// Instances and executors that are killed, ended and stopped at random while they work a queue off. Make and use it
/// on the main thread.
class campaign_stage {
 public:
  explicit campaign_stage(campaign_plan const& plan);
  ~campaign_stage();
  campaign_stage(campaign_stage const&) = delete;
  campaign_stage& operator=(campaign_stage const&) = delete;

  /// Triggers all runs, one of twenty of a job with a limit. How many were acknowledged.
  std::size_t fill_queue();
  void open_doors();
  /// Until the time is over; everything goes on behind it.
  void kill_at_random();
  /// False when not all runs have ended and all output is stored in time.
  bool drain(std::chrono::seconds within);
  /// Ends the executors, so that their records are whole.
  campaign_facts facts();

  struct toll {
    int executors_killed = 0, executors_ended = 0, executors_stopped = 0;
    int instances_killed = 0, instances_ended = 0, instances_stopped = 0;
  };
  toll const& counted() const { return toll_; }

 private:
  using clock = std::chrono::steady_clock;
  struct pause {
    service* process;
    clock::time_point until;
  };

  std::string socket(int instance) const { return directory_.path() + "/s" + std::to_string(instance); }
  int pick(int least, int most) { return std::uniform_int_distribution<int>(least, most)(dice_); }
  void start_instance(int number);
  void start_executor(int number);
  void strike();
  void strike_executor();
  void strike_instance();
  void replace_executor(int number, bool kill);
  void replace_instance(int number, bool kill);
  void stop_for_a_while(service& process, int least_millis, int most_millis);
  void wake(service const* only, bool all);
  void cancel_some();
  void read_output(std::vector<last_state>& rows);
  void read_streams(std::vector<last_state>& rows);

  campaign_plan plan_;
  std::mt19937 dice_;
  std::vector<std::string> environment_;
  class fleet fleet_;
  temporary_directory directory_;
  tenant owner_;
  std::string job_, limited_job_, runner_token_;
  std::vector<std::string> runs_{};
  campaign_facts known_{};
  std::vector<std::unique_ptr<configured_service>> instances_;
  std::vector<std::unique_ptr<service>> executors_;
  std::list<std::unique_ptr<service>> leaving_{};
  std::vector<pause> pauses_{};
  int started_ = 0;
  toll toll_{};
  std::atomic<bool> over_ = false;
  std::thread canceller_{};
};

}  // namespace svc::test
