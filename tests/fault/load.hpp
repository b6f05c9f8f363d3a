#pragma once

#include "judge.hpp"
#include "rig.hpp"

#include <atomic>
#include <mutex>
#include <thread>

namespace svc::test {

/// Whom the load acts as; made once for a rig.
struct load_actors {
  explicit load_actors(rig& rig);

  std::string good, other;  ///< tokens: one is used, the other's user makes tokens and revokes them
  std::string runner;
  std::string keyed_job;
};

/// Clients of a rig, who use a good token, trigger runs with keys and with a limit, revoke tokens that others use,
/// and complete runs; each remembers what it asked and was told. From construction until `stop`.
class load {
 public:
  static constexpr int users = 6, victims = 12, limit = 20, window_seconds = 10;

  /// Makes the tokens while everything works. `lasting`: how long the fault will last, over which they are revoked.
  load(rig& rig, load_actors const& as, std::chrono::milliseconds lasting);
  ~load() { end(); }
  load(load const&) = delete;
  load& operator=(load const&) = delete;

  /// Each user has used its token, and the limited key has been refused, so that its window is full.
  bool is_warm() const;
  void start_revoking() { revoking_ = true; }
  /// When all is well again: finishes what was begun, for a minute at most, and ends.
  load_records stop();
  stored_facts stored() const;
  /// Claims of runs beyond the first.
  static int attempts_of(rig const& rig);

 private:
  using clock = std::chrono::steady_clock;
  struct victim {
    std::string id, key;
  };

  void end();
  void make_victims();
  void use_good(std::size_t number);
  void use_doomed();
  void trigger_by_keys();
  void trigger_limited();
  void revoke();
  void work();
  answer ask(api_client& client, std::string_view method, std::string const& target, header_list const& more,
             std::vector<asked_request>* into);

  rig& rig_;
  load_actors const& as_;
  std::chrono::milliseconds between_ends_;
  std::vector<victim> victims_{};
  std::string limited_job_, limited_id_, limited_key_;
  std::atomic<bool> over_{false}, hurry_{false}, revoking_{false};
  std::atomic<int> warm_{0}, limited_refused_{0};
  std::atomic<std::size_t> finished_{0};  ///< of the threads that are `finishing_`
  mutable std::mutex mutex_;              ///< protects `seen_`
  load_records seen_{};
  std::vector<std::thread> finishing_{}, threads_{};
};

}  // namespace svc::test
