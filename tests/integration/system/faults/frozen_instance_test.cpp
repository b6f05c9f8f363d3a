// An instance freezes between two statements of a transaction, with a row locked. Its sockets stay open, so
// PostgreSQL itself must end the transaction.
#include "faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"

#include <future>

namespace svc::test {
namespace {

constexpr seconds freed_within{5};

/// Returns the number of transactions of requests that wait for their instance to continue. Instances look for
/// messages and verdicts in transactions as well.
std::string waiting_transactions(fleet const& fleet) {
  return fleet.sql(
      "SELECT count(*) FROM pg_stat_activity WHERE usename = 'svc_app' AND state = 'idle in transaction'"
      " AND query !~ 'provider_queue|monitor_status'")[0][0];
}

/// Repeats the request on another instance until it succeeds, as a 503 asks for. Returns the time that this took.
milliseconds retried(api_client client, std::string const& path) {
  auto const start = clock::now();
  CHECK(comes_true(
      [&] {
        auto const got = client.del(path);
        CHECK_MESSAGE((got.status == 204 || got.status == 503), got.body);
        return got.status == 204;
      },
      patience));
  return std::chrono::duration_cast<milliseconds>(clock::now() - start);
}

TEST_CASE(
    "frozen between the statements of a revocation and of deletions: others continue within 5 s, and claim runs") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  // The frozen instance must still wait for its requests when it wakes up; the other one has the shipped deadlines.
  configured_service frozen(fleet.dev(), both_kinds, {"SVC_HTTP_DEADLINE=30s"}), other(fleet.dev(), both_kinds);
  auto const user_of = [&](configured_service const& connection) {
    return api_client("https://" + connection.address(0), fleet.text("caFile"), tenant.token);
  };
  auto const runner_of = [&](configured_service const& connection) {
    runner_client made(
        "https://" + connection.address(1), fleet.text("caFile"),
        text_of(fleet.admin({"create-runner", "--project", tenant.project, "--name", connection.address(1)}),
                "/key"));
    REQUIRE(made.enroll().status == 200);
    return made;
  };
  auto const arm = [&](std::string const& subject) {
    REQUIRE(api_client(frozen.admin_url(), {}, {}).post("/debug/failpoints", subject).status == 200);
  };
  // A claim is one batch of statements with its COMMIT, so an instance cannot freeze within it.
  auto helper = runner_of(other);
  auto user = user_of(other);
  std::string const first = "/api/jobs/" + make_job(user), next = "/api/jobs/" + make_job(user);
  std::string const token =
      "/api/cli-tokens/" + text_of(body_of(user.post("/api/cli-tokens", R"({"name":"t"})")), "/token/id");
  CHECK(user_of(frozen).get("/api/auth/whoami").status == 200);
  REQUIRE(user.post(trigger_path(make_job(user))).status == 202);

  // These connections exist before, because the next steps must be quicker than the timeout that ends such
  // transactions.
  std::vector<api_client> through_frozen;
  for (int i = 0; i < 3; ++i) {
    through_frozen.push_back(user_of(frozen));
    REQUIRE(through_frozen.back().get("/api/auth/whoami").status == 200);
  }
  auto const remove = [&](std::size_t step, std::string const& path) {
    return std::async(std::launch::async, [&through_frozen, step, path] { return through_frozen[step].del(path); });
  };
  auto const held = [&](char const* n) {
    return comes_true([&] { return waiting_transactions(fleet) == n; }, patience);
  };
  // One freeze is after the locks, the other one where a deletion has already changed rows.
  std::string const changed = "postgres.after_next_batch=delay:2500*1",
                    locked = "postgres.after_first_batch=delay:2500";
  arm(changed);
  auto late = remove(0, next);
  REQUIRE(held("1"));
  arm(changed + "," + locked);
  auto early = remove(1, first), revoked = remove(2, token);
  REQUIRE(held("3"));
  {
    stopped_process const during(frozen.process().pid());
    auto const start = clock::now();
    REQUIRE(waiting_transactions(fleet) == "3");
    std::vector<std::future<milliseconds>> all;
    for (auto const& path : {first, next, token})
      all.push_back(std::async(std::launch::async, [&, path] { return retried(user_of(other), path); }));
    auto const found = claims_of(helper.claim(10));
    CHECK(clock::now() - start < freed_within);
    REQUIRE(found.size() == 1);
    CHECK(found[0].at("attempt").as_int64() == 1);
    for (auto& future : all) CHECK(future.get() < freed_within);
    CHECK(helper.complete(found[0], "passed").status == 204);
  }
  // The instance wakes up without its connections: it reports no success, and has changed nothing.
  for (auto* entry : {&late, &early, &revoked}) {
    auto const got = entry->get();
    CHECK_MESSAGE(got.status == 503, got.body);
  }
  CHECK(user_of(frozen).get("/api/jobs").status == 200);
  CHECK(fleet.sql("SELECT count(*) FROM audit_log WHERE action = 'job.deleted' AND project_id ="
                  " (SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE o.slug = '" +
                  tenant.organization + "')")[0][0] == "2");
}

}  // namespace
}  // namespace svc::test
