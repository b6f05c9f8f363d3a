// Tests projects that share a runner: the order of their runs, and the slots that one project may hold.
#include "runner_fixture.hpp"

#include <algorithm>
#include <map>

using namespace svc;
using namespace svc::test;

namespace {

/// `machine` with a runner of the whole organisation and a job in each of its two projects.
struct farm : machine {
  farm() : shared_secret(make_token(organization, {})), shared(enroll(shared_secret)) {
    auto const test = wait(tests.create(elsewhere(), {.title = "t", .type = "command", .script = "true"}, soon()));
    auto const made = wait(jobs.create(
        elsewhere(), ada, {.name = "b", .job_type = "command", .tests = {test->id}, .parameters = "[]"}, soon()));
    REQUIRE(made.has_value());
    other_job = made->id;
  }
  std::vector<claimed_run> take(std::int64_t most = 1) { return take(runners, shared_secret, shared, most); }
  std::vector<claimed_run> take(store::runner_store& store, sha256_digest const& digest, uuid as, std::int64_t most) {
    auto const got = wait(store.claim(digest, {as, {"command"}, most}, soon()));
    REQUIRE(got.has_value());
    return got->runs;
  }
  void end(claimed_run const& run) {
    REQUIRE(wait(runners.complete(shared_secret, {run.run, run.claim, "passed"}, soon())).has_value());
  }
  std::int64_t of_project(std::vector<claimed_run> const& all, uuid which) const {
    return std::count_if(all.begin(), all.end(), [&](auto const& run) { return run.project == which; });
  }

  sha256_digest shared_secret;
  uuid shared;
  uuid other_job;
};

}  // namespace

TEST_CASE("a flood of one project delays another's run by one slot, and stays in its own order") {
  farm db;
  db.make_runs(db.id, 1000);
  auto const held = db.take(4);
  CHECK(db.of_project(held, db.project) == 4);
  db.make_runs(db.other_job, 1);
  // One of four slots is free again.
  db.end(held[0]);
  CHECK(db.take(1).front().project == db.other_project);
  std::vector<timestamp> order;
  for (int i = 0; i < 5; ++i) {
    auto const got = db.take(1).front();
    CHECK(got.project == db.project);
    order.push_back(got.queued_at);
  }
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("the project with the fewest slots gets the next one, then the one whose last claim is the oldest") {
  farm db;
  db.make_runs(db.id, 100);
  db.make_runs(db.other_job, 100);
  auto const dealt = db.take(7);
  CHECK(db.of_project(dealt, db.project) == 4);
  CHECK(db.of_project(dealt, db.other_project) == 3);
  for (auto const& run : dealt) db.end(run);
  // A single slot rotates.
  std::vector<uuid> order;
  for (int i = 0; i < 6; ++i) {
    auto const got = db.take(1).front();
    order.push_back(got.project);
    db.end(got);
  }
  for (std::size_t i = 1; i < order.size(); ++i) CHECK(order[i] != order[i - 1]);
  // Long runs of one project still count towards its slots.
  auto const first = db.take(2);
  auto const& mine = first[0].project == db.project ? first[0] : first[1];
  db.end(mine);
  CHECK(db.take(1).front().project == db.project);
}

TEST_CASE("a project with nothing queued costs nobody a slot: an answer is full as long as there is work") {
  farm db;
  db.make_runs(db.id, 150);
  db.make_runs(db.other_job, 2);
  auto const got = db.take(100);
  CHECK(got.size() == 100);
  CHECK(db.of_project(got, db.other_project) == 2);
  CHECK(db.take(100).size() == 52);
  CHECK(db.take(100).empty());
}

TEST_CASE("however uneven projects' slots and queues are, the project with the fewest slots gets each one") {
  struct {
    int held, queued, others_queued;  // held and queued by the one project, and queued by the other
    std::int64_t expected_others;     // the other project's part of the next hundred slots
  } const cases[] = {{0, 500, 500, 50},  {150, 300, 200, 100}, {150, 300, 30, 30}, {40, 300, 200, 70},
                     {40, 10, 200, 90},  {240, 5, 300, 100},   {240, 300, 0, 0},   {0, 0, 300, 100},
                     {99, 300, 300, 99}, {101, 300, 300, 100}, {100, 300, 99, 99}};
  for (auto const& c : cases) {
    CAPTURE(c.held);
    CAPTURE(c.queued);
    CAPTURE(c.others_queued);
    farm db;
    db.make_runs(db.id, c.held);
    for (std::int64_t held = 0; held < c.held;) held += static_cast<std::int64_t>(db.take(100).size());
    db.make_runs(db.id, c.queued);
    db.make_runs(db.other_job, c.others_queued);
    auto const got = db.take(100);
    CHECK(got.size() == 100);
    // If both are equal, either may be first.
    CHECK(std::abs(db.of_project(got, db.other_project) - c.expected_others) <= (c.held == 99 ? 1 : 0));
  }
}

TEST_CASE("runs of limited jobs take turns with the others of their project") {
  farm db;
  auto const limited = db.make_job("limited", {db.make_test("l").id}).id;
  db.as_owner("UPDATE jobs SET max_concurrent_runs = 2 WHERE id = '" + limited.to_string() + "'");
  db.make_runs(limited, 3);
  db.make_runs(db.id, 3);
  db.make_runs(db.other_job, 3);
  auto const got = db.take(6);
  REQUIRE(got.size() == 6);
  CHECK(db.of_project(got, db.other_project) == 3);
  CHECK(std::count_if(got.begin(), got.end(), [&](auto const& run) { return run.job == limited; }) == 2);
}

namespace {

/// Claims without a wait, repeatedly, and keeps the claimed runs.
task<> grab(farm& db, store::runner_store& store, int times, std::map<uuid, int>& held) {
  for (int i = 0; i < times; ++i) {
    auto const got = co_await store.claim(db.shared_secret, {db.shared, {"command"}, 3}, db.soon());
    for (auto const& run : got.value().runs) ++held[run.project];
  }
}

}  // namespace

TEST_CASE("max_per_project bounds the slots of a project on a shared runner, however many claims it makes at once") {
  farm db;
  store::runner_store bounded(db.pool, db.master, std::chrono::seconds(30), {}, 2);
  db.make_runs(db.id, 50);
  std::map<uuid, int> held;
  std::vector<task<>> claims;
  for (int i = 0; i < 8; ++i) claims.push_back(grab(db, bounded, 5, held));
  all_at_once(db.io, std::move(claims));
  CHECK(held[db.project] == 2);
  db.make_runs(db.other_job, 1);
  auto const others = db.take(bounded, db.shared_secret, db.shared, 4);
  CHECK(others.size() == 1);
  CHECK(db.of_project(others, db.other_project) == 1);
  // Another runner has its own slots; a runner of one project is not bounded.
  auto const second_secret = db.make_token(db.organization, {});
  auto const second = db.enroll(second_secret);
  CHECK(db.take(bounded, second_secret, second, 4).size() == 2);
  CHECK(db.take(bounded, db.secret, db.self, 4).size() == 4);
  // A slot that is free again is given out again.
  auto const running = db.count("status = 'running' AND executor_id = '" + db.shared.to_string() + "'");
  CHECK(running == 3);
  db.as_owner("UPDATE runs SET status = 'passed', completed_at = now(), lease_until = NULL WHERE executor_id = '" +
              db.shared.to_string() + "' AND project_id = '" + db.project.to_string() + "'");
  CHECK(db.take(bounded, db.shared_secret, db.shared, 4).size() == 2);
}
