#pragma once

#include "rig.hpp"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// The resources of one process at a moment of a soak.
struct soak_sample {
  pid_t process = 0;
  double minute = 0;  ///< minutes since the soak started
  double resident = 0, descriptors = 0;
};

/// The limits of a soak.
struct soak_bounds {
  double growth = 0.05;          ///< growth of resident memory from the first to the last quarter of the samples
  double settled_after = 0.15;   ///< share of the whole time after a process's start in which samples do not count
  double more_descriptors = 10;  ///< allows for connections that come and go
  double lines_of_a_request = 1.5;
};

struct soak_facts {
  double minutes = 0;
  std::vector<soak_sample> samples{};
  double requests = 0, log_lines = 0;
  std::set<std::string> wrong{};  ///< answers that no client may get
};

/// Returns the broken limits, a line for each; empty if none was broken. A process with fewer than eight samples that
/// count is not judged.
std::string broken(soak_facts const& facts, soak_bounds const& within);

/// Clients of a day of CI, through HAProxy. Four of five requests are triggers, half of these with a key; the rest
/// polls a run's status or reads lists. In addition there are streams of runs, tokens that come and go, and runners.
/// A missing answer is not wrong; it is counted.
class soak_clients {
 public:
  static constexpr int users = 6, runners = 2;

  /// `rate` is the number of requests of all users per second.
  soak_clients(rig& rig, int rate);
  ~soak_clients() { stop(); }
  soak_clients(soak_clients const&) = delete;
  soak_clients& operator=(soak_clients const&) = delete;

  void stop();
  long requests() const { return requests_; }
  long unavailable() const { return unavailable_; }  ///< 503, 409 for a key in progress, or no answer
  std::set<std::string> wrong() const;
  /// Checks that each acknowledged run exists once, and that each key has one. Must be called after `stop`.
  void check_runs();

 private:
  void use(unsigned number);
  void trigger(api_client& client, std::mt19937& dice, unsigned number);
  void poll(api_client& client, std::mt19937& dice);
  void watch();
  void change_tokens();
  void work();
  /// Returns the answer if its status is expected. Otherwise counts it and returns `std::nullopt`.
  std::optional<answer> ask(api_client& client, std::string_view method, std::string const& target,
                            std::vector<int> const& expected, header_list const& more = {},
                            std::string const& body = {});
  std::string any_run(std::mt19937& dice) const;
  void blame(std::string const& subject);

  rig& rig_;
  std::chrono::milliseconds pace_;
  std::string token_, key_, job_, runner_;
  std::atomic<bool> over_{false}, idle_{false};
  std::atomic<long> requests_{0}, unavailable_{0};
  mutable std::mutex mutex_;  ///< protects the next four members
  std::set<std::string> wrong_{};
  std::vector<std::string> reported_{};
  std::set<std::string> doubtful_{};  ///< keys that were never acknowledged
  long unkeyed_without_answer_ = 0;
  std::vector<std::thread> users_{}, runners_{};
};

}  // namespace svc::test
