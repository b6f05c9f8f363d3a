#pragma once

#include "judge.hpp"
#include "rig.hpp"

#include <atomic>
#include <mutex>
#include <thread>

namespace svc::test {

/// The credentials of the load; created once for a rig.
struct load_actors {
  explicit load_actors(rig& rig);

  std::string good, other;  ///< tokens: the load uses one; the other's user creates tokens and revokes them
  std::string runner;
  std::string keyed_job;
};

/// Clients of a rig: they use a good token, trigger runs with keys and with a limit, revoke tokens that others use,
/// and complete runs. Each client records its requests and answers. They run from construction until `stop`.
class load {
 public:
  static constexpr int users = 6, victims = 12, limit = 20, window_seconds = 10;

  /// Creates the tokens while everything works. The revocations are spread over `lasting`, the length of the fault.
  load(rig& rig, load_actors const& as, std::chrono::milliseconds lasting);
  ~load() { end(); }
  load(load const&) = delete;
  load& operator=(load const&) = delete;

  /// True if each user has used its token, and the limited key has been refused, so that its window is full.
  bool is_warm() const;
  void start_revoking() { revoking_ = true; }
  /// Must be called when all is well again. Finishes open work, for a minute at most, and ends.
  load_records stop();
  stored_facts stored() const;
  /// Returns the claims of runs beyond the first.
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
  std::atomic<std::size_t> finished_{0};  ///< number of finished threads in `finishing_`
  mutable std::mutex mutex_;              ///< protects `seen_`
  load_records seen_{};
  std::vector<std::thread> finishing_{}, threads_{};
};

}  // namespace svc::test
