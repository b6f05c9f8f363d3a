#include "shop.hpp"
#include "trigger_fixture.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json.hpp>

#include <algorithm>
#include <set>
#include <vector>

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
  test_case const test = db.make_test("load", "performance");
  auto const made = db.wait(db.runs.execute(db.as_ed(), {.test = test.id, .triggered_by = "ci"}, db.soon()));
  REQUIRE(made.has_value());
  CHECK_FALSE(made->replayed);
  run const& run = made->made;
  CHECK(run.test == test.id);
  CHECK_FALSE(run.job);
  CHECK(run.job_type == "k6");
  CHECK(run.status == "queued");
  CHECK(run.trigger == "remote");
  CHECK(run.test_count == 1);
  CHECK(boost::json::parse(run.tests).at(0).at("title") == "load");
  CHECK(db.audit_rows("test.executed") == 1);
  CHECK(failure(db.wait(db.runs.execute(db.elsewhere(), {.test = test.id}, db.soon()))) == errc::not_found);
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

TEST_CASE("a retry of an execution whose run was deleted gets the known facts about it") {
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
  run const& run = again->made;
  CHECK(run.deleted);
  CHECK(run.id == first->made.id);
  CHECK(run.status == "timed_out");
  CHECK(run.test == test);
  CHECK_FALSE(run.job);
  CHECK(run.trigger == "remote");
  CHECK(run.queued_at == first->made.queued_at);
  CHECK(run.tests == "[]");
  CHECK(failure(execute(keyed(test, "k", '1'))) == errc::idempotency_mismatch);
  db.as_owner("UPDATE orphaned_idempotency_keys SET created_at = created_at - interval '24 hours'");
  CHECK_FALSE(execute(keyed(test, "k", '1'))->replayed);
}

namespace {

using execution_verdict = result<store::executed_run>;

task<> execute_one(shop& shop, store::test_execution wanted, execution_verdict& into, std::size_t& left) {
  into = co_await shop.runs.execute(shop.as_ed(), std::move(wanted), shop.soon());
  --left;
}

struct executions {
  explicit executions(std::size_t count) : verdicts(count, errc::internal_error), left(count) {}

  /// All with the key `k`.
  void start(shop& shop, uuid test) {
    for (auto& run : verdicts)
      asio::co_spawn(shop.io, execute_one(shop, keyed(test, "k"), run, left), asio::detached);
  }
  std::size_t refused() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        verdicts, [](auto const& run) { return failure(run) == errc::idempotency_in_progress; }));
  }
  std::set<uuid> runs() const {
    std::set<uuid> out;
    for (auto const& run : verdicts)
      if (run) out.insert(run->made.id);
    return out;
  }
  std::ptrdiff_t replayed() const {
    return std::ranges::count_if(verdicts, [](auto const& run) { return run && run->replayed; });
  }

  std::vector<execution_verdict> verdicts;
  std::size_t left;
};

/// Requests that may wait with one key.
constexpr std::size_t most_waiting = 8;

}  // namespace

TEST_CASE("executions under one key at once make one run") {
  shop db;
  executions all(most_waiting);
  all.start(db, db.make_test("t").id);
  db.io.restart();
  while (all.left > 0 && db.io.run_one() > 0) {
  }
  CHECK(all.runs().size() == 1);
  CHECK(all.replayed() == most_waiting - 1);
  CHECK(db.audit_rows("test.executed") == 1);
}

TEST_CASE("beyond eight executions that wait with one key, further ones are refused at once, and others pass") {
  shop db;
  uuid const test = db.make_test("t").id;
  executions all(30);
  execution_verdict other = errc::internal_error;
  std::size_t other_left = 1;
  auto const while_held = [&](shop& shop) -> task<bool> {
    auto work = co_await shop.pool.begin(shop.soon());
    auto const held = co_await work.run(
        postgres::query{{"hold_execute_key_test", "SELECT pg_advisory_xact_lock(hashtextextended('trigger " +
                                                      test.to_string() + " k', (SELECT seed FROM lock_seed)))"}});
    static_cast<void>(held.value());
    all.start(shop, test);
    co_await wait_until(shop.io, [&] { return all.left <= most_waiting; });
    // The first eight still wait, and neither they nor the refused ones keep another key waiting.
    bool const eight_wait = all.left == most_waiting && all.refused() == 30 - most_waiting;
    asio::co_spawn(shop.io, execute_one(shop, keyed(test, "other"), other, other_left), asio::detached);
    co_await wait_until(shop.io, [&] { return other_left == 0; });
    bool const still = all.left == most_waiting;
    auto const ended = co_await work.commit();
    static_cast<void>(ended.value());
    co_await wait_until(shop.io, [&] { return all.left == 0; });
    co_return eight_wait&& still;
  };
  CHECK(db.wait(while_held(db)));
  CHECK(other.has_value());
  CHECK(all.refused() == 30 - most_waiting);
  CHECK(all.runs().size() == 1);
  CHECK(all.replayed() == most_waiting - 1);
  CHECK(db.audit_rows("test.executed") == 2);
  CHECK(db.wait(db.runs.execute(db.as_ed(), keyed(test, "k"), db.soon()))->replayed);
}
