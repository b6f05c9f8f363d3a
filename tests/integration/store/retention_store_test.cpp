#include "svc/store/run_store.hpp"

#include "shop.hpp"

using namespace svc;
using namespace svc::test;

namespace {

struct archive_room : shop {
  uuid const of = make_job("j", {make_test("t").id}).id;

  uuid ended(std::string const& ago, uuid job) {
    uuid const run = make_run_at(job, "now() - interval '" + ago + "'");
    set_run(run, "status = 'passed', completed_at = now() - interval '" + ago + "'");
    return run;
  }
  uuid ended(std::string const& ago) { return ended(ago, of); }
  bool exists(uuid run) { return wait(runs.get(project, run, soon())).has_value(); }
  std::int64_t rows(std::string const& table) { return number({{"rows_" + table, "SELECT count(*) FROM " + table}}); }

  store::retention_store retention{pool};
};

constexpr std::chrono::hours day{24};

}  // namespace

TEST_CASE("retention by age deletes what ended long ago, the oldest first, with everything that refers to it") {
  archive_room db;
  std::string const long_ago = "now() - interval '99 days'";
  uuid const oldest = db.ended("9 days"), old = db.ended("8 days"), older = db.ended("8 days 1 hour");
  uuid const young = db.ended("6 days"), queued = db.make_run_at(db.of, long_ago);
  uuid const running = db.make_run_at(db.of, long_ago), late = db.make_run_at(db.of, long_ago);
  db.set_run(running, "status = 'running', claim_id = gen_random_uuid(), lease_until = now()");
  db.set_run(late, "status = 'passed', completed_at = now()");
  for (uuid const run : {oldest, young}) {
    std::string const id = "'" + run.to_string() + "'";
    db.as_owner(
        "INSERT INTO run_output (run_id) VALUES (" + id +
        "); INSERT INTO idempotency_keys (job_id, key, request_hash, run_id) VALUES (gen_random_uuid(), 'k', '" +
        std::string(64, 'a') + "', " + id + ")");
  }
  CHECK(db.wait(db.retention.delete_older(7 * day, 2, db.soon())) == 2);
  CHECK_FALSE(db.exists(oldest));
  CHECK_FALSE(db.exists(older));
  CHECK(db.exists(old));
  CHECK(db.rows("run_output") == 1);
  CHECK(db.rows("idempotency_keys") == 1);
  CHECK(db.rows("orphaned_idempotency_keys") == 1);
  CHECK(db.wait(db.retention.delete_older(7 * day, 2, db.soon())) == 1);
  CHECK(db.wait(db.retention.delete_older(7 * day, 2, db.soon())) == 0);
  for (uuid const kept : {young, queued, running, late}) CHECK(db.exists(kept));
}

TEST_CASE("retention by count keeps a job's newest runs, and those that have not ended") {
  archive_room db;
  uuid const few = db.make_job("few", {db.make_test("u").id}).id;
  uuid const other = db.ended("9 days", few);
  std::vector<uuid> runs;
  for (auto const* ago : {"5 hours", "4 hours", "3 hours", "2 hours", "1 hour"})
    runs.push_back(runs.size() == 1 ? db.make_run_at(db.of, "now() - interval '4 hours'") : db.ended(ago));
  db.set_run(runs[1], "status = 'running', claim_id = gen_random_uuid(), lease_until = now()");
  std::vector<store::retention_store::excess> found;
  std::optional<uuid> after;
  do {
    auto const part = db.wait(db.retention.find_surplus(after, 2, 1, db.soon()));
    found.insert(found.end(), part.jobs.begin(), part.jobs.end());
    after = part.after;
  } while (after);
  REQUIRE(found.size() == 1);
  CHECK(found[0].job == db.of);
  CHECK(found[0].run == runs[2]);
  CHECK(db.wait(db.retention.delete_excess(found[0], 1, db.soon())) == 1);
  CHECK_FALSE(db.exists(runs[0]));
  CHECK(db.wait(db.retention.delete_excess(found[0], 10, db.soon())) == 1);
  CHECK_FALSE(db.exists(runs[2]));
  for (uuid const kept : {runs[1], runs[3], runs[4], other}) CHECK(db.exists(kept));
  CHECK(db.wait(db.retention.delete_excess(found[0], 10, db.soon())) == 0);
}
