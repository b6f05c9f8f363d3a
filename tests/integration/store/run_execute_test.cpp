#include "shop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json.hpp>

#include <set>

using namespace svc;
using namespace svc::test;

namespace {

store::test_execution keyed(uuid test, std::string key, char hash = '0') {
  return {
      .test = test, .triggered_by = "ci", .idempotency_key = std::move(key), .request_hash = std::string(64, hash)};
}

}  // namespace

TEST_CASE("a test runs by itself: one queued run without a job, and its audit row") {
  shop db;
  test_case const of = db.make_test("load", "performance");
  auto const made = db.wait(db.runs.execute(db.as_ed(), {.test = of.id, .triggered_by = "ci"}, db.soon()));
  REQUIRE(made.has_value());
  CHECK_FALSE(made->replayed);
  run const& one = made->made;
  CHECK(one.test == of.id);
  CHECK_FALSE(one.job);
  CHECK(one.job_type == "k6");
  CHECK(one.status == "queued");
  CHECK(one.trigger == "remote");
  CHECK(one.test_count == 1);
  CHECK(boost::json::parse(one.tests).at(0).at("title") == "load");
  CHECK(db.audit_rows("test.executed") == 1);
  CHECK(failure(db.wait(db.runs.execute(db.elsewhere(), {.test = of.id}, db.soon()))) == errc::not_found);
  CHECK(db.wait(db.runs.list(db.project, {}, {}, db.soon())).total == 1);
}

TEST_CASE("retries of an execution are one run for 24 hours; another request under the key is refused") {
  shop db;
  uuid const test = db.make_test("t").id, other = db.make_test("u").id;
  auto const execute = [&](store::test_execution wanted) {
    return db.wait(db.runs.execute(db.as_ed(), std::move(wanted), db.soon()));
  };
  auto const first = execute(keyed(test, "k"));
  REQUIRE(first.has_value());
  auto const again = execute(keyed(test, "k"));
  REQUIRE(again.has_value());
  CHECK(again->replayed);
  CHECK(again->made.id == first->made.id);
  CHECK(failure(execute(keyed(test, "k", '1'))) == errc::idempotency_mismatch);
  CHECK_FALSE(execute(keyed(other, "k"))->replayed);
  db.as_owner("UPDATE idempotency_keys SET created_at = created_at - interval '24 hours'");
  CHECK_FALSE(execute(keyed(test, "k", '1'))->replayed);
}

TEST_CASE("a retry of an execution whose run was deleted is told what is known about it") {
  shop db;
  uuid const test = db.make_test("t").id;
  auto const execute = [&](store::test_execution wanted) {
    return db.wait(db.runs.execute(db.as_ed(), std::move(wanted), db.soon()));
  };
  auto const first = execute(keyed(test, "k"));
  REQUIRE(first.has_value());
  CHECK_FALSE(first->made.deleted);
  db.set_run(first->made.id, "status = 'timed_out', completed_at = now(), attempt = 1");
  REQUIRE(db.wait(db.runs.remove(db.as_ed(), first->made.id, db.soon())).has_value());
  auto const again = execute(keyed(test, "k"));
  REQUIRE(again.has_value());
  REQUIRE(again->replayed);
  run const& one = again->made;
  CHECK(one.deleted);
  CHECK(one.id == first->made.id);
  CHECK(one.status == "timed_out");
  CHECK(one.test == test);
  CHECK_FALSE(one.job);
  CHECK(one.trigger == "remote");
  CHECK(one.queued_at == first->made.queued_at);
  CHECK(one.tests == "[]");
  CHECK(failure(execute(keyed(test, "k", '1'))) == errc::idempotency_mismatch);
  db.as_owner("UPDATE orphaned_idempotency_keys SET created_at = created_at - interval '24 hours'");
  CHECK_FALSE(execute(keyed(test, "k", '1'))->replayed);
}

TEST_CASE("executions under one key at once make one run") {
  shop db;
  uuid const test = db.make_test("t").id;
  int left = 20;
  std::set<uuid> runs;
  int replayed = 0;
  auto one = [](shop& with, uuid of, std::set<uuid>& into, int& again, int& rest) -> task<> {
    auto const done = co_await with.runs.execute(with.as_ed(), keyed(of, "k"), with.soon());
    if (done) into.insert(done->made.id);
    if (done && done->replayed) ++again;
    --rest;
  };
  for (int i = 0; i < 20; ++i) asio::co_spawn(db.io, one(db, test, runs, replayed, left), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  CHECK(runs.size() == 1);
  CHECK(replayed == 19);
  CHECK(db.audit_rows("test.executed") == 1);
}
