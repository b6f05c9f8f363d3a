#pragma once

#include "support/fleet.hpp"
#include "support/token_register.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace svc::test {

/// A request that shows whether a token may do something.
struct probe {
  std::string method = "GET", target = "/api/auth/whoami", body{};
  int let_in = 200, refused = 401;
  header_list headers{};  ///< in addition to the token's, or instead of it
};

/// Something that a token may do, and the change that ends it. Both functions return a description of the failure, or
/// nothing on success.
struct ending {
  std::string kind{};
  probe probe{};
  std::string key{};  ///< the secret in use; `begin` may make it
  std::function<std::string(ending&)> begin = [](ending&) { return std::string(); };
  std::function<std::string()> end{};
};

/// The state of a campaign: the current token, the token whose end was answered, and the number of clients that are
/// done with it.
class progress {
 public:
  void set_target(int token) {
    std::lock_guard const lock(mutex_);
    target_ = token;
    moved_.notify_all();
  }
  void set_done() {
    std::lock_guard const lock(mutex_);
    ++done_;
    moved_.notify_all();
  }
  void wait_target(int token) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return target_ >= token; });
  }
  void wait_done(int clients) {
    std::unique_lock lock(mutex_);
    moved_.wait(lock, [&] { return done_ >= clients; });
  }
  std::atomic<int> answered{-1};
  std::atomic<int> warm{0};  ///< clients that have used the current token

 private:
  std::mutex mutex_;
  std::condition_variable moved_;
  int target_ = -1, done_ = 0;
};

constexpr int uses_behind = 3;  ///< by each client, after the answer

/// Uses one token after another while the changes end them. After each answer it continues until it has seen enough
/// uses that may no longer work. Read `seen` only after its thread has ended.
struct load {
  api_client client;
  std::vector<token_use> seen{};

  void run(std::vector<ending> const& all, int first_token, progress& progress) {
    for (int token = 0; token < static_cast<int>(all.size()); ++token) {
      progress.wait_target(token);
      auto const& condition = all[static_cast<std::size_t>(token)];
      client.use(condition.key);
      bool first = true;
      for (int left = uses_behind; left > 0;) {
        bool const is_behind = progress.answered >= token;
        auto const start = std::chrono::steady_clock::now();
        auto const status =
            client.call(condition.probe.method, condition.probe.target, condition.probe.body, condition.probe.headers)
                .status;
        seen.push_back(
            {first_token + token, start, std::chrono::steady_clock::now(), seen_as(condition.probe, status)});
        if (std::exchange(first, false)) ++progress.warm;
        if (is_behind) --left;
      }
      progress.set_done();
    }
  }

 private:
  /// Maps the statuses to the register's 200 (let in) and 401 (refused).
  static int seen_as(probe const& probe, int status) {
    if (status == probe.let_in) return 200;
    return status == probe.refused ? 401 : 0;
  }
};

/// Makes one change after another while at least one client of each instance uses the affected token.
struct campaign {
  fleet const& input;
  std::vector<ending>& all;
  int first_token;
  std::map<int, revocation> ended{};
  std::vector<token_use> uses{};
  std::string failures{};

  static int clients_of(fleet const& fleet) { return std::max(4, static_cast<int>(fleet.size())); }

  void run() {
    progress progress;
    std::vector<load> loads;
    int const clients = clients_of(input);
    for (int i = 0; i < clients; ++i) loads.push_back({input.client(static_cast<std::size_t>(i) % input.size())});
    std::vector<std::thread> threads;
    for (auto& l : loads) threads.emplace_back([&, this] { l.run(all, first_token, progress); });
    for (int token = 0; token < static_cast<int>(all.size()); ++token) {
      auto& next = all[static_cast<std::size_t>(token)];
      progress.wait_done(token * clients);
      progress.warm = 0;
      failures += next.begin(next);
      progress.set_target(token);
      // The token is in the memory of their workers, on all instances.
      while (progress.warm < clients) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      revocation when{std::chrono::steady_clock::now(), {}};
      failures += next.end();
      when.answered = std::chrono::steady_clock::now();
      progress.answered = token;
      ended.emplace(first_token + token, when);
    }
    for (auto& t : threads) t.join();
    for (auto const& l : loads) uses.insert(uses.end(), l.seen.begin(), l.seen.end());
  }
};

inline register_verdict check(std::vector<campaign> const& campaigns) {
  std::map<int, revocation> ended;
  std::vector<token_use> uses;
  for (auto const& c : campaigns) {
    ended.insert(c.ended.begin(), c.ended.end());
    uses.insert(uses.end(), c.uses.begin(), c.uses.end());
  }
  return check_register(ended, uses);
}

}  // namespace svc::test
