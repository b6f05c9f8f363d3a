#pragma once

#include "campaign_fixture.hpp"
#include "support/token_register.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// Users of all instances while those are killed and stopped: some trigger runs by keys until they are acknowledged,
/// some end tokens, and others use these tokens all the time, before and after the answer.
class campaign_clients {
 public:
  /// Makes the tokens while everything works.
  campaign_clients(campaign_fixture& fixture, unsigned seed, std::chrono::seconds lasting);
  ~campaign_clients() { finish(); }
  campaign_clients(campaign_clients const&) = delete;
  campaign_clients& operator=(campaign_clients const&) = delete;

  void start();
  /// After the last freeze: repeats what was begun until it is acknowledged.
  void finish();
  /// Uses each token that ended on each instance, when everything works again.
  void try_once_more();

  /// The runs named in the answers to each key: one, if all is well.
  std::map<std::string, std::set<std::string>> const& triggered() const { return triggered_; }
  int repeated() const { return repeated_; }
  /// For the tokens whose end was acknowledged, which must be all of them.
  register_verdict check_tokens_used() const;
  std::size_t revoked() const { return ends_.size(); }
  /// Answers that nobody may get, however slow everything is.
  std::set<std::string> const& strange() const { return strange_; }

 private:
  using clock = std::chrono::steady_clock;
  struct victim {
    std::string id, key, owner;
  };

  void make_victims(int count);
  void trigger(int number);
  void revoke(int number);
  void use(int number);
  bool acknowledged(api_client& client, std::string const& key);
  int pick_token(std::mt19937& dice) const;
  answer use_once(api_client& client, int token, std::vector<token_use>& into);
  api_client any_instance(std::mt19937& dice, std::string const& token) const;
  void note_strange(std::string const& subject, answer const& got);

  campaign_fixture& fixture_;
  unsigned seed_;
  std::chrono::milliseconds between_ends_;
  std::vector<victim> victims_{};
  std::atomic<int> next_{0};  ///< the token to end next
  std::atomic<bool> over_{false}, enough_{false};
  std::atomic<int> repeated_{0};
  mutable std::mutex mutex_;  ///< protects the following members
  std::map<std::string, std::set<std::string>> triggered_{};
  std::map<int, revocation> ends_{};
  std::vector<token_use> uses_{};
  std::set<std::string> strange_{};
  std::vector<std::thread> enders_{}, users_{};
};

}  // namespace svc::test
