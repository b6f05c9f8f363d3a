#include "svc/store/runs/queue_store.hpp"

#include "runner_fixture.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("the queue as an operator sees it") {
  machine db;
  store::queue_store queue(db.pool);
  auto const look = [&](std::int64_t most = 100) { return db.wait(queue.look(most, db.soon())); };
  auto const empty = look();
  CHECK(empty.queued == 0);
  CHECK(empty.oldest.count() == 0);
  CHECK(empty.runners == 1);
  CHECK(empty.slots == 4);

  uuid const job = db.make_job("j", {db.make_test("one").id}).id;
  db.make_runs(job, 3);
  REQUIRE(db.claim(1).size() == 1);
  db.as_owner("UPDATE run_queue SET queued_at = queued_at - interval '90 seconds'");
  db.make_runs(job, 1);
  db.as_owner(
      "UPDATE run_queue SET limited = true, queued_at = queued_at - interval '1 hour' WHERE run_id ="
      " (SELECT run_id FROM run_queue ORDER BY run_id LIMIT 1 OFFSET 1)");
  auto const now = look();
  CHECK(now.queued == 2);
  CHECK(now.limited == 1);
  CHECK(now.running == 1);
  // Runs that wait for their own job's limit do not count as waiting for a runner.
  CHECK(now.oldest >= std::chrono::seconds(90));
  CHECK(now.oldest < std::chrono::minutes(30));
  // The oldest run is the running one.
  auto const first = look(1);
  CHECK(first.running == 1);
  CHECK(first.queued == 0);

  db.as_owner("UPDATE runners SET last_seen_at = now() - interval '2 minutes'");
  CHECK(look().runners == 0);
  CHECK(look().slots == 0);
}
