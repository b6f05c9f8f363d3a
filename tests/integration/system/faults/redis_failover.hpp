#pragma once

#include "faults.hpp"
#include "integration/system/runner.hpp"
#include "redis_group.hpp"
#include "support/metrics_page.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>

namespace svc::test {

/// Two instances whose Redis is a group of servers, with the users of docs/operating.md. PostgreSQL belongs to an
/// `svcd dev`. That process itself stands still, because it has another Redis and would notify that one of changes.
class instances_on_group {
 public:
  static constexpr std::size_t size = 2;

  explicit instances_on_group(redis_group& redis_group) : group(redis_group), member(stores_.make_tenant()) {
    auto const runner = stores_.admin({"create-runner", "--project", member.project, "--name", "by hand"});
    runner_token = text_of(runner, "/key");
    group.await_ready();
    group.create_users();
    frozen_.emplace(stores_.dev().pid_of("svcd"));
    for (std::size_t i = 0; i < size; ++i)
      all_.push_back(std::make_unique<configured_service>(stores_.dev(), both_kinds, environment()));
  }

  api_client client(std::size_t instance, std::string token) const {
    return {"https://" + all_.at(instance)->address(0), stores_.text("caFile"), std::move(token)};
  }
  runner_client runner() const { return {"https://" + all_.at(0)->address(1), stores_.text("caFile"), runner_token}; }
  fleet& installation() { return stores_; }
  std::string url(std::size_t instance) const { return "https://" + all_.at(instance)->address(0); }
  /// Returns a client on each instance.
  std::vector<api_client> clients(std::string const& token) const {
    std::vector<api_client> out;
    for (std::size_t i = 0; i < size; ++i) out.push_back(client(i, token));
    return out;
  }

  /// Returns true if all workers share limits, or none does, in time.
  bool limits_become(std::string const& wanted, milliseconds within) const {
    auto const all_do = [&] {
      for (auto const& service : all_)
        if (limits_of(api_client(service->admin_url(), {}, {})) != wanted) return false;
      return true;
    };
    return comes_true(all_do, within);
  }

  /// Returns the primary of Redis that each instance shows, one text if all agree.
  std::string primaries() const {
    std::string all;
    for (auto const& service : all_) {
      auto const page = body_of(api_client(service->admin_url(), {}, {}).get("/readyz?verbose"));
      auto const server = text_of(page, "/primaries/redis/server");
      if (all != server) all += (all.empty() ? "" : " | ") + server;
    }
    return all;
  }
  /// Returns the number of switches that each instance has counted.
  std::vector<double> switches() const {
    std::vector<double> out;
    for (auto const& service : all_)
      out.push_back(
          sum_of(api_client(service->admin_url(), {}, {}).get("/metrics").body, "svc_redis_switches_total "));
    return out;
  }

  /// Runs `svcd admin`, which finds Redis in the same way. Returns its standard error.
  std::string admin(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "admin");
    arguments.insert(arguments.end(), {"--config", all_.front()->config_file(), "--json"});
    service command(arguments, environment());
    CHECK(command.wait() == 0);
    return command.err().text();
  }

  /// Returns the lines that the instances have logged in addition to requests, to explain a failure.
  std::string logs() const {
    std::string out;
    for (auto const& service : all_) {
      std::istringstream words(service->process().err().text());
      for (std::string line; std::getline(words, line);)
        if (line.find("edis") != std::string::npos) out += line + "\n";
      out += "\n";
    }
    return out;
  }

  std::string decision_log() const { return stores_.decision_log(); }

 private:
  std::vector<std::string> environment() const {
    auto out = stores_.environment();
    auto const more = group.environment();
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  /// A command may take a second, so that a noisy machine decides nothing locally while Redis is well. The frozen
  /// primary is noticed before another server replaces it.
  fleet stores_{1, {"SVC_REDIS_DEADLINE=1s", "SVC_INSTANCES=2"}};

 public:
  redis_group& group;
  tenant member;
  std::string runner_token{};

 private:
  std::optional<stopped_process> frozen_{};
  std::vector<std::unique_ptr<configured_service>> all_{};
};

/// Uses of one token on every instance, all the time, by a thread for each.
class token_uses {
 public:
  token_uses(instances_on_group const& group, std::string const& token) {
    for (auto& client : group.clients(token))
      threads_.emplace_back([this, user = std::move(client)]() mutable {
        while (!over_) {
          use(user);
          std::this_thread::sleep_for(milliseconds(1));
        }
      });
  }
  ~token_uses() { stop(); }
  token_uses(token_uses const&) = delete;
  token_uses& operator=(token_uses const&) = delete;

  void stop() {
    over_ = true;
    for (auto& t : threads_)
      if (t.joinable()) t.join();
  }
  int passed() const { return passed_; }
  int refused() const { return refused_; }  ///< 401
  /// Any other answer, or none: the text of the first one. Valid after `stop`.
  std::string const& failed() const { return failed_; }

 private:
  void use(api_client& client) {
    try {
      auto const got = client.get("/api/auth/whoami");
      if (got.status == 200 || got.status == 401) return void(++(got.status == 200 ? passed_ : refused_));
      fail(std::to_string(got.status) + " " + got.body);
    } catch (std::exception const& e) {
      fail(e.what());
    }
  }
  void fail(std::string reason) {
    std::lock_guard const lock(mutex_);
    if (failed_.empty()) failed_ = std::move(reason);
  }

  std::atomic<bool> over_{false};
  std::atomic<int> passed_{0}, refused_{0};
  std::mutex mutex_{};
  std::string failed_{};
  std::vector<std::thread> threads_{};
};

}  // namespace svc::test
