// Redis Sentinel or a Redis Cluster makes a replica the primary, under traffic on two instances.
#include "redis_failover.hpp"
#include "integration/system/jobs.hpp"
#include "support/decisions.hpp"
#include "support/repeated.hpp"

#include <set>

namespace svc::test {
namespace {

/// Time limit after the servers' own switch.
constexpr milliseconds followed_within{2000};
constexpr int key_limit = 20;

/// Returns the number of admitted triggers of a key, tried on each instance until well beyond its limit.
int spend(std::vector<api_client>& instances, std::string const& path) {
  int admitted = 0;
  for (auto& instance : instances)
    for (int i = 0; i < key_limit + 5; ++i) {
      auto const got = instance.post(path);
      bool const expected = got.status == 202 || code_of(got) == "rate_limited";
      CHECK_MESSAGE(expected, got.body);
      if (got.status == 202) ++admitted;
    }
  return admitted;
}

struct doomed_token {
  std::string id, key;
};

doomed_token make_doomed(api_client& owner, std::string const& name) {
  auto const made = body_of(owner.post("/api/cli-tokens", R"({"name":")" + name + "\"}"));
  return {text_of(made, "/token/id"), text_of(made, "/token/key")};
}

/// Trigger keys that are revoked after the replica has stopped replication: Redis has confirmed the revocations, and
/// loses them. No key is used before the new primary is there, because a refusal would tell the new primary what it
/// lacks. The keys are used for reads, because writes ask PostgreSQL again. While a key is believed, it has the wrong
/// kind for a read.
class lost_keys {
 public:
  lost_keys(instances_on_group const& group, api_client& owner) : group_(group), job_(make_job(owner)) {
    // This is the most that a job may have.
    for (int i = 0; i < 10; ++i) all_.push_back(make_key(owner, job_, "forgotten " + std::to_string(i)));
    for (auto const& key : all_)
      for (auto& client : group_.clients(key.key)) CHECK(said_to(client) == "wrong_token_kind");
  }
  ~lost_keys() { finish(); }
  lost_keys(lost_keys const&) = delete;
  lost_keys& operator=(lost_keys const&) = delete;

  void revoke(api_client& owner) const {
    for (auto const& key : all_) CHECK(owner.del("/api/jobs/" + job_ + "/trigger-keys/" + key.id).status == 204);
  }
  /// Tries the keys one after the other on each instance, while the instances start to trust the new primary.
  void try_all() {
    thread_ = std::thread([this] {
      for (auto const& key : all_) {
        for (auto& client : group_.clients(key.key)) said_to(client) == "token_revoked" ? ++refused_ : ++believed_;
        std::this_thread::sleep_for(milliseconds(40));
      }
    });
  }
  /// Checks that all keys are refused.
  void finish() {
    if (!thread_.joinable()) return;
    thread_.join();
    CHECK(believed_ == 0);
    CHECK(refused_ == static_cast<int>(all_.size() * instances_on_group::size));
  }

 private:
  static std::string said_to(api_client& client) { return code_of(client.get("/api/auth/whoami")); }

  instances_on_group const& group_;
  std::string job_;
  std::vector<trigger_key> all_{};
  int refused_ = 0, believed_ = 0;
  std::thread thread_{};
};

/// A failover, with checks before, during and after it.
class failover {
 public:
  failover(instances_on_group& group, std::string name)
      : group_(group), name_(std::move(name)), owner_(group.client(0, group.member.token)), job_(make_job(owner_)) {}

  /// `lose` takes the primary away.
  void check(std::function<void(private_redis&)> const& lose) {
    group_.group.await_ready();
    CHECK(group_.limits_become("shared", seconds(10)));
    auto const key = new_key("");
    auto by_key = group_.clients(key.key);
    auto const shared = spend(by_key, trigger_path(job_));
    CHECK(shared == key_limit);
    auto const early = make_doomed(owner_, name_ + " early"), late = make_doomed(owner_, name_ + " late");
    warm(early);
    warm(late);
    lost_keys dropped(group_, owner_);
    token_uses good(group_, group_.member.token);
    revoke(early);
    group_.group.stop_replication();
    revoke(late);
    dropped.revoke(owner_);
    token_uses dead_early(group_, early.key), dead_late(group_, late.key);

    auto const counted = group_.switches();
    lose(group_.group.primary_of(group_.member.user_id));
    CHECK(group_.limits_become("local", seconds(5)));
    auto const local = spend(by_key, trigger_path(job_));
    REQUIRE(comes_true([&] { return group_.group.switched(); }, sentinel_group::patience));
    auto const start = clock::now();
    dropped.try_all();
    CHECK(group_.limits_become("shared", followed_within));
    auto const took = std::chrono::duration_cast<milliseconds>(clock::now() - start);
    check_shown(counted);
    auto const after = spend(by_key, trigger_path(job_));
    CHECK(shared + local + after <= 2 * key_limit + static_cast<int>(instances_on_group::size));
    dropped.finish();
    check_exact();
    for (auto* uses : {&dead_early, &dead_late, &good}) uses->stop();
    CHECK(dead_early.passed() == 0);
    CHECK(dead_late.passed() == 0);
    CHECK(dead_early.refused() > 0);
    CHECK(dead_late.refused() > 0);
    CHECK(good.refused() == 0);
    CHECK(good.failed() == "");
    MESSAGE(name_ << ": shared again " << took.count() << " ms after the switch; " << good.passed() << " uses, "
                  << dead_early.refused() + dead_late.refused() << " of dead tokens; " << shared << " + " << local
                  << " + " << after << " triggers");
  }

 private:
  trigger_key new_key(std::string const& more) {
    return make_key(owner_, job_, name_ + more, R"("rateLimit":{"limit":20,"windowSeconds":120})");
  }
  /// Uses the token until each worker knows it.
  void warm(doomed_token const& token) {
    for (int i = 0; i < 4; ++i)
      for (auto& client : group_.clients(token.key)) CHECK(client.get("/api/auth/whoami").status == 200);
  }
  void revoke(doomed_token const& token) { CHECK(owner_.del("/api/cli-tokens/" + token.id).status == 204); }

  /// Checks that each instance shows the new primary, and has counted one more switch, once it has looked.
  void check_shown(std::vector<double> before) const {
    for (auto& count : before) ++count;
    CHECK(comes_true([&] { return group_.switches() == before; }, followed_within));
    auto const shown = group_.primaries();
    CHECK_MESSAGE(group_.group.are_primaries(shown), shown);
  }

  /// Checks that limits and changes are as exact as before.
  void check_exact() {
    auto const key = new_key(" exact");
    auto by_key = group_.clients(key.key);
    auto const admitted = spend(by_key, trigger_path(job_));
    CHECK_MESSAGE(admitted == key_limit, group_.logs());
    auto const decisions = read_decisions(group_.decision_log(), key.id, "trigger");
    CHECK(std::all_of(decisions.begin(), decisions.end(), [](auto const& d) { return d.where == "shared"; }));
    auto const token = make_doomed(owner_, name_ + " exact");
    warm(token);
    revoke(token);
    for (auto& client : group_.clients(token.key)) CHECK(client.get("/api/auth/whoami").status == 401);
  }

  instances_on_group& group_;
  std::string name_;
  api_client owner_;
  std::string job_;
};

/// Returns the clients of a server that have the service's name or user.
std::size_t connections_of_service(private_redis const& redis) {
  auto const list = redis.ask({"CLIENT", "LIST"});
  std::size_t count = 0;
  for (auto found = list.find(" user=svcd"); found != std::string::npos; found = list.find(" user=svcd", found + 1))
    ++count;
  return count;
}

/// Makes one run, executed by hand, so that every command for output was sent to Redis too.
void check_run(instances_on_group& group, std::string const& job, std::string const& printed) {
  auto user = group.client(1, group.member.token);
  auto const run = text_of(body_of(user.post(trigger_path(job))), "/data/runId");
  auto runner = group.runner();
  REQUIRE(runner.enroll().status == 200);
  auto const claims = claims_of(runner.claim(5));
  REQUIRE(claims.size() == 1);
  CHECK(runner.print(claims[0], 1, printed).status == 200);
  // The run has ended on one instance, and a client waits for it on the other.
  std::string status;
  std::thread waiting([&] {
    status = text_of(body_of(group.client(1, group.member.token).get("/api/runs/" + run + "?wait=8")), "/status");
  });
  CHECK(comes_true([&] { return group.group.heard(run); }, patience));
  auto const start = clock::now();
  CHECK(runner.complete(claims[0], "passed", 1).status == 204);
  waiting.join();
  CHECK(clock::now() - start < seconds(1));
  CHECK(status == "passed");
  CHECK(comes_true([&] { return user.get("/api/runs/" + run + "/output").body.find(printed) != std::string::npos; },
                   patience));
  CHECK(text_of(body_of(user.get("/api/runs/" + run + "/status")), "/status") == "passed");
}

/// Kills the primary, then freezes it, each time with writes that its replica lacks.
void check_failovers(redis_group& group, char const* printed) {
  instances_on_group instances_on_group(group);
  auto owner = instances_on_group.client(0, instances_on_group.member.token);
  auto const job = make_job(owner);
  check_run(instances_on_group, job, printed);
  auto const admins = make_doomed(owner, "admin's");
  CHECK(instances_on_group.admin({"revoke-token", admins.id}) == "");
  CHECK(instances_on_group.client(1, admins.key).get("/api/auth/whoami").status == 401);
  for (auto const* redis : group.servers()) CHECK(redis->ask({"ACL", "LOG"}) == "");

  for (int round = 0; round < long_form("TEST_FAILOVERS", 1); ++round) {
    CAPTURE(round);
    auto& killed = group.primary_of(instances_on_group.member.user_id);
    failover(instances_on_group, "killed " + std::to_string(round)).check([](private_redis& primary) {
      primary.kill();
    });
    killed.start();
    group.create_users();
    group.resume_replication();
    group.rejoin(killed);
    group.await_ready();

    auto& frozen = group.primary_of(instances_on_group.member.user_id);
    failover(instances_on_group, "frozen " + std::to_string(round)).check([](private_redis& primary) {
      primary.freeze();
    });
    frozen.thaw();
    // With sentinels the frozen server still believes that it is the primary, but no client asks it.
    CHECK(comes_true([&] { return connections_of_service(frozen) == 0; }, patience));
    group.resume_replication();
    group.rejoin(frozen);
  }
}

TEST_CASE(
    "Redis Sentinel: the primary killed or frozen, with data that the replica lacks: shared again 2 s after the "
    "switch") {
  sentinel_servers servers;
  check_failovers(servers, "printed over Sentinel");
}

TEST_CASE(
    "Redis Cluster: a master killed or frozen, with data that its replica lacks: shared again 2 s after the "
    "failover") {
  cluster_servers servers;
  check_failovers(servers, "printed over Cluster");
}

TEST_CASE("Redis Cluster: slots move under traffic: nobody is refused, nobody is let in, limits hold") {
  cluster_servers servers;
  instances_on_group group(servers);
  auto& cluster = servers.cluster;
  auto owner = group.client(0, group.member.token);
  CHECK(group.limits_become("shared", seconds(10)));
  auto const dead = make_doomed(owner, "dead");
  for (auto& client : group.clients(dead.key)) CHECK(client.get("/api/auth/whoami").status == 200);
  CHECK(owner.del("/api/cli-tokens/" + dead.id).status == 204);
  token_uses good(group, group.member.token), dead_uses(group, dead.key);

  auto const subject_slot = [&](std::string const& subject) {
    return std::stoi(cluster.node(0).ask({"CLUSTER", "KEYSLOT", "{" + subject + "}"}));
  };
  auto const counted = group.switches();
  int moves = 0, admitted = 0, keys = 0;
  for (int round = 0; round < long_form("TEST_MOVES", 4); ++round) {
    auto const job = make_job(owner);
    auto const key =
        make_key(owner, job, "moved " + std::to_string(round), R"("rateLimit":{"limit":20,"windowSeconds":120})");
    // The slots of the user, and of the key that is being spent.
    std::vector<int> const slots{subject_slot(group.member.user_id), subject_slot(key.id)};
    repeated mover([&, target = std::size_t{0}]() mutable {
      for (auto const slot : slots)
        if (cluster.owner_of_slot(slot) != target) cluster.move_slot(slot, target), ++moves;
      target = (target + 1) % redis_cluster::masters;
    });
    auto by_key = group.clients(key.key);
    auto const taken = spend(by_key, trigger_path(job));
    CHECK(taken >= key_limit);
    CHECK(taken <= 2 * key_limit + static_cast<int>(instances_on_group::size));
    admitted += taken;
    ++keys;
    CHECK(mover.stop() == "");
  }
  auto const late = make_doomed(owner, "late");
  CHECK(owner.del("/api/cli-tokens/" + late.id).status == 204);
  for (auto& client : group.clients(late.key)) CHECK(client.get("/api/auth/whoami").status == 401);
  CHECK(group.limits_become("shared", seconds(2)));
  for (auto* uses : {&dead_uses, &good}) uses->stop();
  CHECK(dead_uses.passed() == 0);
  CHECK(dead_uses.failed() == "");
  CHECK(good.refused() == 0);
  CHECK(good.failed() == "");
  CHECK(moves > 0);
  // No server has replaced another one.
  CHECK(group.switches() == counted);
  MESSAGE(moves << " moves; " << good.passed() << " uses, " << dead_uses.refused() << " of a dead token; " << admitted
                << " triggers of " << keys << " keys with a limit of " << key_limit);
}

}  // namespace
}  // namespace svc::test
