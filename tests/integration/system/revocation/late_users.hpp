#pragma once

#include "late_fixture.hpp"

namespace svc::test {

constexpr std::size_t users_of_instance = 4;  ///< each worker of two has some

/// Clients of all instances that use tokens without a pause: in turn, and every second time the one whose change was
/// answered last, because an error may last only a moment.
class restless_users {
 public:
  restless_users(late_fixture const& fixture, std::vector<late_change> const& all, int first_token)
      : all_(all), first_token_(first_token), uses_(late_fixture::instances * users_of_instance) {
    for (std::size_t i = 0; i < uses_.size(); ++i)
      threads_.emplace_back(
          [this, i, user = fixture.client(i / users_of_instance)]() mutable { use_all(user, uses_[i]); });
  }
  ~restless_users() { stop(); }
  restless_users(restless_users const&) = delete;
  restless_users& operator=(restless_users const&) = delete;

  /// Each client has used each token more than once.
  bool warm() const { return warm_ == static_cast<int>(uses_.size()); }
  void answered(std::size_t change) { latest_ = static_cast<int>(change); }

  /// By user; those of one instance are adjacent.
  std::vector<std::vector<token_use>> const& stop() {
    over_ = true;
    for (auto& t : threads_)
      if (t.joinable()) t.join();
    return uses_;
  }

 private:
  void use_all(api_client& client, std::vector<token_use>& seen) {
    constexpr int rounds = 2;
    for (std::size_t n = 0; !over_; ++n) {
      use(client, n % all_.size(), seen);
      if (n + 1 == rounds * all_.size()) ++warm_;
      if (auto const latest = latest_.load(); latest >= 0) use(client, static_cast<std::size_t>(latest), seen);
    }
  }

  void use(api_client& client, std::size_t chosen, std::vector<token_use>& seen) const {
    auto const& ending = all_[chosen].ending;
    client.use(ending.key);
    token_use token_use{.token = first_token_ + static_cast<int>(chosen), .start = clock::now()};
    int status = 0;
    try {
      status = client.call(ending.probe.method, ending.probe.target, ending.probe.body).status;
    } catch (std::runtime_error const&) {
      client.http().close();
    }
    token_use.end = clock::now();
    token_use.status = status == ending.probe.let_in ? 200 : status == ending.probe.refused ? 401 : 0;
    seen.push_back(token_use);
  }

  std::vector<late_change> const& all_;
  int first_token_;
  std::vector<std::vector<token_use>> uses_;
  std::atomic<bool> over_{false};
  std::atomic<int> warm_{0}, latest_{-1};
  std::vector<std::thread> threads_{};
};

}  // namespace svc::test
