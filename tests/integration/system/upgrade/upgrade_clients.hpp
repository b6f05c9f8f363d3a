#pragma once

#include "support/fleet.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// An instance as its clients see it. Like a balancer, it is closed to new requests before the instance is stopped.
struct upgrade_door {
  std::string version, url, internal_url;  ///< no `internal_url`: it has no listener for runners
  std::shared_mutex in_use{};              ///< shared by requests
  bool open = true;                        ///< protected by `in_use`
};

/// The actions of clients and their answers during an upgrade. `mutex` protects each member.
struct upgrade_facts {
  std::mutex mutex{};
  std::set<std::string> accepted{}, limited{};             ///< runs; those of the job with a limit
  std::map<std::string, std::set<std::string>> keyed{};    ///< idempotency key -> runs that answered it
  std::map<std::string, std::string> reported{};           ///< run -> the status whose report was acknowledged
  std::map<std::string, std::set<std::string>> claimed{};  ///< run -> its claims
  std::map<std::string, int> answers{};                    ///< "what version status code" -> number of answers
  std::set<std::string> broken{};                          ///< promises
  std::int64_t most_at_once = 0;                           ///< runs of the limited job

  void fail(std::string const& subject);
};

struct upgrade_jobs {
  std::string plain, limited;
  std::int64_t limit = 0;
};

/// Users and runners of one project: they trigger, claim, print, complete, cancel and read on instances of two
/// versions, each request on one at random, from `start` to `finish`.
class upgrade_clients {
 public:
  upgrade_clients(fleet const& fleet, std::string user_token, std::string runner_token, upgrade_jobs jobs);
  ~upgrade_clients() { finish(); }
  upgrade_clients(upgrade_clients const&) = delete;
  upgrade_clients& operator=(upgrade_clients const&) = delete;

  std::shared_ptr<upgrade_door> open(std::string version, std::string url, std::string internal_url);
  /// Closes a door, and returns when its last request has been answered.
  static void close(upgrade_door& door);

  void start();
  /// Ends all clients except the runners.
  void finish_users();
  void finish();

  /// Lists all runs of the project, page by page through one instance. `twice` becomes true if a run was on two
  /// pages.
  std::set<std::string> list_all(upgrade_door& door, bool& twice);
  upgrade_facts& facts() { return facts_; }
  std::size_t accepted();

 private:
  class caller;

  std::shared_ptr<upgrade_door> pick(std::mt19937& dice, bool internal);
  void trigger(unsigned number);
  void work(unsigned number);
  void work_on(caller& caller, boost::json::value const& claim, std::string const& runner);
  void cancel();
  void read(unsigned number);
  void watch_limit();
  std::string any_accepted(std::mt19937& dice);

  fleet const& fleet_;
  std::string user_token_, runner_token_;
  upgrade_jobs jobs_;
  std::mutex doors_mutex_{};
  std::vector<std::shared_ptr<upgrade_door>> doors_{};
  upgrade_facts facts_{};
  std::atomic<bool> over_{false}, idle_{false};
  std::vector<std::thread> users_{}, runners_{};
};

}  // namespace svc::test
