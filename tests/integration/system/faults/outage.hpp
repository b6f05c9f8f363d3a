#pragma once

#include "faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/overload/worker_connections.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <set>

namespace svc::test {

/// The promises are 2 s; the rest allows for two noisy cores.
constexpr milliseconds answered_within{2500}, back_within{4000};

/// A 503 that says when to come back, and nothing about the credential.
inline void check_unavailable(answer const& got) {
  CHECK_MESSAGE(got.status == 503, got.body);
  CHECK(code_of(got) == "unavailable");
  CHECK(got.number("retry-after") >= 1);
}

inline void check_unavailable(api_client& client, std::string_view method, std::string_view target,
                              std::string_view body = {}) {
  auto const start = clock::now();
  auto const got = client.call(method, target, body);
  CHECK(clock::now() - start < answered_within);
  check_unavailable(got);
}

/// Alive and accepting requests, whatever is lost.
inline void check_lives(fleet const& fleet) {
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    for (auto const* target : {"/livez", "/readyz"}) {
      CHECK(fleet.client(i).get(target).status == 200);
      CHECK(fleet.pages(i).get(target).status == 200);
    }
  }
}

/// True if all instances report their dependencies as `wanted` in time.
inline bool dependencies_become(fleet const& fleet, std::string const& wanted, milliseconds within) {
  return comes_true(
      [&] {
        for (std::size_t i = 0; i < fleet.size(); ++i)
          if (text_of(body_of(fleet.pages(i).get("/readyz?verbose")), "/dependencies") != wanted) return false;
        return true;
      },
      within);
}

/// Clients that write all the time on every instance, tests with a CLI token and runs with a trigger key, and
/// remember what was acknowledged. Every answer must be that or a 503, and in time.
class writers {
 public:
  /// `to`: a fleet, or anything else that has instances and makes clients of them.
  template <class Instances>
  writers(Instances const& installation, std::string const& token, std::string const& key, std::string job)
      : job_(std::move(job)) {
    for (std::size_t i = 0; i < installation.size(); ++i) {
      threads_.emplace_back([this, user = installation.client(i, token)]() mutable {
        write(user, 201, "/api/tests", R"({"title":"w","type":"command","script":"true"})", "/id");
      });
      threads_.emplace_back([this, user = installation.client(i, key)]() mutable {
        write(user, 202, trigger_path(job_), {}, "/data/runId");
      });
    }
  }
  ~writers() { stop(); }
  writers(writers const&) = delete;
  writers& operator=(writers const&) = delete;

  std::size_t acknowledged() const {
    std::lock_guard const lock(mutex_);
    return reported_.size();
  }
  int refused() const { return refused_; }

  void stop() {
    over_ = true;
    for (auto& t : threads_)
      if (t.joinable()) t.join();
  }

  /// Ends them; each acknowledged write must be there.
  void check(fleet const& fleet) {
    check([&](std::string const& question) { return fleet.sql(question); });
  }
  void check(std::function<sql_rows(std::string const&)> const& ask) {
    stop();
    CHECK(strange_ == "");
    CHECK(late_ == 0);
    CHECK(refused_ > 0);
    std::set<std::string> stored;
    for (auto const& row : ask("SELECT id FROM tests UNION ALL SELECT id FROM runs")) stored.insert(row[0]);
    int lost = 0;
    for (auto const& id : reported_) lost += stored.contains(id) ? 0 : 1;
    CHECK(lost == 0);
    MESSAGE(reported_.size() << " acknowledged, " << refused_.load() << " refused, slowest answer " << slowest_.load()
                             << " ms");
  }

 private:
  void write(api_client& client, int wanted, std::string const& target, std::string const& body, char const* id) {
    while (!over_) {
      auto const start = clock::now();
      auto const got = client.post(target, body);
      auto const took = std::chrono::duration_cast<milliseconds>(clock::now() - start);
      if (took > answered_within) ++late_;
      std::lock_guard const lock(mutex_);
      slowest_ = std::max<long>(slowest_, took.count());
      if (got.status == wanted)
        reported_.insert(text_of(body_of(got), id));
      else if (got.status == 503 && got.header("retry-after"))
        ++refused_;
      else
        strange_ = got.body;
    }
  }

  std::string job_;
  std::atomic<bool> over_{false};
  std::atomic<int> refused_{0}, late_{0};
  std::atomic<long> slowest_{0};
  mutable std::mutex mutex_;
  std::set<std::string> reported_;
  std::string strange_;  ///< the last answer that was neither
  std::vector<std::thread> threads_;
};

inline void wait_for_postgres(fleet const& fleet) {
  REQUIRE(comes_true(
      [&] {
        try {
          return !fleet.sql("SELECT 1").empty();
        } catch (std::runtime_error const&) {
          return false;
        }
      },
      patience));
}

/// Two instances with a tenant that every worker knows, and a member whose token no worker has seen.
struct outage {
  svc::test::fleet fleet;
  tenant subject = fleet.make_tenant();
  tenant cold = fleet.make_member(subject, "org_admin");
  api_client owner = fleet.client(0, subject.token);
  std::string job = make_job(owner);
  trigger_key key = make_key(owner, job, "k");
  std::vector<api_client> connections = connections_of(fleet, subject.token);
  /// Revoked, which only the stores know.
  std::string gone = revoked();
  writers load{fleet, subject.token, key.key, job};

  explicit outage(std::vector<std::string> const& environment = default_deadlines) : fleet(2, environment) {
    CHECK(whoami(connections) == "200");
    REQUIRE(comes_true([&] { return load.acknowledged() >= 20; }, patience));
  }

  /// From the end of the fault: everything works again, and until then every answer is good or a 503.
  void check_recovers() {
    auto const start = clock::now();
    CHECK(comes_true(
        [&] {
          auto const said = answers_by(connections, "GET", "/api/jobs");
          bool const expected = said == "200" || said == "503 unavailable" || said == "200 | 503 unavailable";
          CHECK_MESSAGE(expected, said);
          return said == "200";
        },
        back_within));
    CHECK(dependencies_become(fleet, "ok", back_within));
    MESSAGE("back after " << std::chrono::duration_cast<milliseconds>(clock::now() - start).count() << " ms");
    auto const before = load.acknowledged();
    CHECK(comes_true([&] { return load.acknowledged() > before; }, back_within));
    load.check(fleet);
    auto late = connections_of(fleet, cold.token);
    CHECK(whoami(late) == "200");
    auto dead = connections_of(fleet, gone);
    CHECK(whoami(dead) == "401 token_revoked");
  }

 private:
  std::string revoked() {
    auto const made = body_of(owner.post("/api/cli-tokens", R"({"name":"gone"})"));
    CHECK(owner.del("/api/cli-tokens/" + text_of(made, "/token/id")).status == 204);
    return text_of(made, "/token/key");
  }
};

}  // namespace svc::test
