#pragma once

#include "integration/system/campaigns/campaign_waits.hpp"
#include "support/service.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// Stops instances, Redis, single sessions of the service in PostgreSQL, and all of PostgreSQL, each for 0.2 to 3 s
/// at random, up to two at a time, and records when. Has its own threads, because code that waits for a new instance
/// may wait for a store that stands still.
class freezer {
 public:
  enum kind { redis, session, instance, postgres, kinds };

  freezer(dev_service const& stores, unsigned seed, shared_book<freeze>& book);
  ~freezer() { stop(); }
  freezer(freezer const&) = delete;
  freezer& operator=(freezer const&) = delete;

  /// An instance that may be stopped from now on.
  void enter(std::string name, pid_t pid);
  /// Continues the instance, which is not stopped again: it is about to end.
  void leave(pid_t pid);

  void start();
  /// Continues everything.
  void stop();

  std::array<int, kinds> counted() const;
  bool has_stopped_each() const;

 private:
  using clock = std::chrono::steady_clock;
  struct standstill {
    kind kind;
    std::string name;
    std::vector<pid_t> pids;
    clock::time_point start, until;
  };

  void work(std::vector<kind> first, std::mt19937 dice);
  bool rest(std::chrono::milliseconds how_long);
  bool hold(kind kind, std::mt19937& dice);
  std::optional<standstill> choose(kind kind, std::mt19937& dice) const;
  std::optional<standstill> choose_session(std::mt19937& dice) const;
  bool is_frozen(kind kind) const;
  void go_on(std::list<standstill>::iterator entry);

  pid_t redis_, postgres_;
  unsigned seed_;
  shared_book<freeze>& book_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::map<pid_t, std::string> instances_{};
  std::list<standstill> reauthorization_{};
  std::array<int, kinds> count_{};
  std::vector<std::thread> threads_{};
};

}  // namespace svc::test
