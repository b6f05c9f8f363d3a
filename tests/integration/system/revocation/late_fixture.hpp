#pragma once

#include "ending_under_load.hpp"
#include "integration/system/faults/faults.hpp"
#include "support/fault_proxy.hpp"
#include "support/service.hpp"

#include <filesystem>
#include <future>
#include <optional>
#include <random>

namespace svc::test {

/// The Redis of a fleet, which a test stops, kills and restarts. Use it on the main thread.
class lost_and_found_redis {
 public:
  explicit lost_and_found_redis(fleet& fleet)
      : fleet_(fleet), origin_(redis_origin(fleet)), pid_(fleet.dev().pid_of("redis")) {}

  void stop() const { ::kill(pid_, SIGSTOP); }
  void go_on() const { ::kill(pid_, SIGCONT); }
  /// Saves the data of Redis, so that it returns after `start(true)`.
  void save() const { REQUIRE(fleet_.redis({"SAVE"}) == "OK"); }
  /// Kills Redis with SIGKILL; returns when the process has gone.
  void kill() {
    if (again_) {
      again_.reset();
    } else {
      kill_store(fleet_, "redis");
    }
  }
  void start(bool with_what_was_saved) {
    if (!with_what_was_saved) std::filesystem::remove(origin_.directory + "/dump.rdb");
    again_.emplace(origin_);
    pid_ = again_->pid();
  }

 private:
  fleet& fleet_;
  restarted_store::origin origin_;
  std::optional<restarted_store> again_{};
  pid_t pid_;
};

/// Three instances with the shipped deadlines; the last one reaches Redis through a proxy. Use it on the main thread.
struct late_fixture {
  static constexpr std::size_t instances = 3, behind_proxy = 2;

  svc::test::fleet fleet{2, default_deadlines};
  lost_and_found_redis redis{fleet};
  temporary_directory sockets{};
  fault_proxy proxy{sockets.path() + "/redis.sock", fleet.redis_socket(), {}, 1};
  std::unique_ptr<second_service> third = fleet.beside({"SVC_REDIS_URL=unix:" + sockets.path() + "/redis.sock"});

  /// Records that a request for a change was answered 503 and is sent again.
  void repeat(std::string subject, clock::duration behind) {
    std::lock_guard const lock(repeats_mutex_);
    repeats_ += subject + " after " + std::to_string(behind / milliseconds(1)) + " ms; ";
  }
  std::string take_repeats() {
    std::lock_guard const lock(repeats_mutex_);
    return std::exchange(repeats_, {});
  }

  api_client client(std::size_t instance, std::string token = {}) const {
    if (instance < behind_proxy) return fleet.client(instance, std::move(token));
    return {third->url(), fleet.text("caFile"), std::move(token)};
  }
  api_client pages(std::size_t instance) const {
    return instance < behind_proxy ? fleet.pages(instance) : api_client(third->admin_url(), {}, {});
  }
  service& process(std::size_t instance) {
    return instance < behind_proxy ? fleet.process(instance) : third->process();
  }

  /// Returns true if each worker of each instance trusts Redis.
  bool trusts() const {
    for (std::size_t i = 0; i < instances; ++i)
      if (limits_of(pages(i)) != "shared") return false;
    return true;
  }

  /// Returns the number of lines in the logs of all instances that contain this text.
  int lines_with(std::string const& subject) {
    int count = 0;
    for (std::size_t i = 0; i < instances; ++i) {
      auto const text = process(i).err().text();
      for (auto position = text.find(subject); position != text.npos; position = text.find(subject, position + 1))
        ++count;
    }
    return count;
  }

 private:
  std::mutex repeats_mutex_;
  std::string repeats_{};
};

/// A change and the affected user; the probe notices the ended right. The change that enables a token ends a refusal.
struct late_change {
  ending ending{};
  std::string subject{};
  std::string through{};  ///< the instance, or the command line
};

/// Makes changes to tokens of its own tenant, one at a time, so that several change makers affect different epochs.
class change_maker {
 public:
  explicit change_maker(late_fixture& fixture) : fixture_(fixture) {}

  late_change prepare(std::string const& kind, std::size_t instance) {
    if (kind == "role change") return demote();
    if (kind == "removal") return remove();
    // A project holds 20 tokens.
    if (!last_.empty()) insist(0, last_, "DELETE", {});
    auto owner = fixture_.client(0, owner_.token);
    auto const made = body_of(owner.post("/api/cli-tokens", R"({"name":"v)" + std::to_string(++made_) + R"("})"));
    last_ = text_of(made, "/token/id");
    bool const revives = kind == "enabling";
    if (revives) insist(0, last_, "PATCH", R"({"enabled":false})");
    late_change out{.subject = owner_.user_id, .through = "instance " + std::to_string(instance)};
    out.ending = {.kind = kind, .key = text_of(made, "/token/key")};
    if (revives) std::swap(out.ending.probe.let_in, out.ending.probe.refused);
    out.ending.end = [this, kind, instance] {
      if (kind == "revocation") return insist(instance, last_, "DELETE", {});
      return insist(instance, last_, "PATCH", kind == "enabling" ? R"({"enabled":true})" : R"({"enabled":false})");
    };
    return out;
  }

 private:
  /// Repeats the request until it is answered, as a 503 asks for. Returns a description of the failure, otherwise
  /// nothing.
  std::string insist(std::size_t instance, std::string const& token, std::string const& method,
                     std::string const& body) const {
    try {
      auto client = fixture_.client(instance, owner_.token);
      for (int left = 20;; --left) {
        auto const start = clock::now();
        auto const got = client.call(method, "/api/cli-tokens/" + token, body);
        // A repeated revocation finds nothing.
        if (got.status < 300 || (got.status == 404 && method == "DELETE")) return {};
        auto const took = clock::now() - start;
        if (got.status != 503 || left == 0) return got.body + "\n";
        fixture_.repeat(method + " through " + std::to_string(instance) + ": " + reason(instance, got), took);
      }
    } catch (std::runtime_error const& broken) {
      return std::string(broken.what()) + "\n";
    }
  }

  /// Returns the reason for a 503, from the log of its instance.
  std::string reason(std::size_t instance, answer const& got) const {
    auto const id = got.header("x-request-id").value_or("none");
    auto const line = fixture_.process(instance).err().wait_line(
        [&](std::string const& l) { return l.find(id) != l.npos && l.find("\"reason\"") != l.npos; }, seconds(1));
    return line ? text_of(boost::json::parse(*line), "/reason") : "unknown";
  }

  std::string run_admin(std::vector<std::string> const& arguments) const {
    try {
      fixture_.fleet.admin(arguments);
      return {};
    } catch (std::runtime_error const& failed) {
      return std::string(failed.what()) + "\n";
    }
  }

  /// Ends an editor's right to create tests, by making it a viewer. The service checks the right before the body.
  late_change demote() {
    auto const set = [this](std::string const& role) {
      return run_admin({"set-role", "--project", member_.project, "--user", member_.user, "--role", role});
    };
    if (member_.token.empty()) member_ = fixture_.fleet.make_member(owner_, "project_editor");
    REQUIRE(set("project_editor").empty());
    late_change out{.subject = member_.user_id, .through = "the command line"};
    out.ending = {.kind = "role change", .probe = {"POST", "/api/tests", "{}", 400, 403}, .key = member_.token};
    out.ending.end = [set] { return set("project_viewer"); };
    return out;
  }

  /// Removes a member. A user who returns gets no old token back: each removal ends a new token, which remains the
  /// project's.
  late_change remove() {
    if (!removed_.empty()) insist(0, removed_, "DELETE", {});
    auto const tenant = fixture_.fleet.make_member(owner_, "org_admin");
    removed_ = tenant.token_id;
    late_change out{.subject = tenant.user_id, .through = "the command line"};
    out.ending = {.kind = "removal", .key = tenant.token};
    out.ending.end = [this, tenant] {
      return run_admin({"remove-member", "--organization", tenant.organization, "--user", tenant.user});
    };
    return out;
  }

  late_fixture& fixture_;
  tenant owner_ = fixture_.fleet.make_tenant();
  tenant member_{};
  std::string last_{}, removed_{};  ///< ids of tokens
  int made_ = 0;
};

}  // namespace svc::test
