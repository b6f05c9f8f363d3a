// Results that reach a worker together share a transaction; the rules for a single result hold for each of them.
#include "runner_fixture.hpp"
#include "svc/store/runs/output_store.hpp"

#include <boost/json.hpp>

using namespace svc;
using namespace svc::test;

namespace {

struct notification {
  std::optional<result<store::freed_run>> verdict{};
  bool failed = false;  ///< with something that is not a verdict
};

task<> notify(machine& db, sha256_digest secret, run_completion completion, notification& into, std::size_t& left) {
  try {
    into.verdict = co_await db.runners.complete(secret, std::move(completion), db.soon());
  } catch (std::logic_error const&) {
    into.failed = true;
  }
  --left;
}

/// All at once; verdicts in order.
std::vector<notification> notify_all(machine& db,
                                     std::vector<std::pair<sha256_digest, run_completion>> const& content) {
  std::vector<notification> out(content.size());
  std::size_t left = content.size();
  for (std::size_t i = 0; i < content.size(); ++i)
    asio::co_spawn(db.io, notify(db, content[i].first, content[i].second, out[i], left), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  return out;
}

run_completion passed(claimed_run const& run) {
  return {run.run, run.claim, "passed"};
}

std::vector<claimed_run> claim_new(machine& db, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) db.make_run(db.id);
  auto out = db.claim(count);
  REQUIRE(out.size() == static_cast<std::size_t>(count));
  return out;
}

}  // namespace

TEST_CASE("results that arrive together share a transaction, and each has its own verdict") {
  machine db;
  auto const limited = db.make_job("limited", {db.make_test("l").id}).id;
  db.as_owner("UPDATE jobs SET max_concurrent_runs = 1 WHERE id = '" + limited.to_string() + "'");
  db.make_run(limited);
  auto const held = claim_new(db, 8);
  auto const of_limited = std::ranges::find(held, std::optional(limited), &claimed_run::job);
  REQUIRE(of_limited == held.begin());
  auto const revoked = db.make_token({}, db.project);
  db.as_owner("UPDATE runner_tokens SET revoked_at = now() WHERE id = '" + db.last_token.to_string() + "'");
  auto const stranger = db.make_token({}, db.other_project);
  REQUIRE(db.complete(held[5], "failed").has_value());
  // As the reaper does; then another claim holds it.
  db.set_run(held[6].run, "status = 'queued', claim_id = NULL, lease_until = NULL, lost_claims = 1");
  auto const again = db.claim(1);
  REQUIRE(again.size() == 1);
  REQUIRE(again[0].run == held[6].run);

  auto detailed = passed(held[1]);
  detailed.status = "error";
  detailed.error_details = R"(it "said", {this}, \ and 'that')";
  auto empty = passed(held[2]);
  empty.error_details = "";
  struct {
    char const* name;
    sha256_digest secret;
    run_completion completion;
    std::optional<errc> expected;
    bool now;
  } const cases[] = {
      {"of a limited job", db.secret, passed(held[0]), std::nullopt, true},
      {"with details", db.secret, detailed, std::nullopt, true},
      {"with empty details", db.secret, empty, std::nullopt, true},
      {"of a revoked token", revoked, passed(held[3]), errc::token_revoked, false},
      {"of no token", sha256(std::string("x")), passed(held[3]), errc::invalid_token, false},
      {"of another project's token", stranger, passed(held[4]), errc::claim_lost, false},
      {"again the same", db.secret, {held[5].run, held[5].claim, "failed"}, std::nullopt, false},
      {"of a lost claim", db.secret, passed(held[6]), errc::claim_lost, false},
      {"of no run", db.secret, {uuid::generate_v7(), uuid::generate_v7(), "passed"}, errc::claim_lost, false},
      {"the last", db.secret, passed(held[7]), std::nullopt, true},
  };
  std::vector<std::pair<sha256_digest, run_completion>> all;
  for (auto const& c : cases) all.emplace_back(c.secret, c.completion);
  auto const before = db.pool.stats().queries;
  auto const done = notify_all(db, all);
  // Two of the cases are about the same run, so they are not in one statement; what became of those that ended no run
  // is another one.
  CHECK(db.pool.stats().queries - before <= 4);
  for (std::size_t i = 0; i < done.size(); ++i) {
    CAPTURE(cases[i].name);
    REQUIRE(done[i].verdict.has_value());
    CHECK(failure(*done[i].verdict) == cases[i].expected);
    if (*done[i].verdict) CHECK((*done[i].verdict)->now == cases[i].now);
  }
  REQUIRE((*done[0].verdict)->work.has_value());
  CHECK((*done[0].verdict)->work->project == db.project);
  CHECK_FALSE((*done[1].verdict)->work.has_value());
  CHECK(db.read_run(held[1].run).status == "error");
  CHECK(db.read_run(held[1].run).error_details == detailed.error_details);
  CHECK(db.read_run(held[2].run).error_details == "");
  CHECK_FALSE(db.read_run(held[7].run).error_details);
  CHECK(db.read_run(held[6].run).status == "running");
  CHECK(db.count("status = 'running'") == 3);
  CHECK(db.number({{"due_of_batch", "SELECT count(*) FROM run_output"}}) == 5);
}

TEST_CASE("tests' results of runs that end together stay apart") {
  machine db;
  auto const job = db.make_job("two", {db.make_test("a").id, db.make_test("b").id}).id;
  for (int i = 0; i < 3; ++i) db.make_run(job);
  auto const held = db.claim(3);
  auto const tests = boost::json::parse(held[0].tests).as_array();
  auto const alerts_about = [&](std::size_t test, std::string const& status) {
    return R"([{"id":)" + boost::json::serialize(tests[test].at("id")) + R"(,"status":")" + status + "\"}]";
  };
  run_completion first = passed(held[0]), second = passed(held[1]), third = passed(held[2]);
  first.tests = alerts_about(0, "passed");
  second.tests = alerts_about(1, "failed");
  third.status = "cancelled";
  notify_all(db, {{db.secret, first}, {db.secret, second}, {db.secret, third}});
  auto const seen = [&](claimed_run const& run) {
    std::string out;
    auto const stored = boost::json::parse(db.read_run(run.run).tests);
    for (auto const& value : stored.as_array())
      out += (out.empty() ? "" : " ") + std::string(value.at("status").as_string());
    return out;
  };
  CHECK(seen(held[0]) == "passed skipped");
  CHECK(seen(held[1]) == "skipped failed");
  CHECK(seen(held[2]) == "cancelled cancelled");
}

TEST_CASE("only the result that the server refuses is refused") {
  machine db;
  auto const held = claim_new(db, 4);
  // No request can contain this, because bodies are validated: text that is not JSON.
  run_completion broken = passed(held[1]);
  broken.tests = "{";
  auto const done = notify_all(db, {{db.secret, passed(held[0])},
                                    {db.secret, broken},
                                    {db.secret, passed(held[2])},
                                    {db.secret, passed(held[3])}});
  CHECK(done[1].failed);
  for (std::size_t const i : {0UL, 2UL, 3UL}) {
    REQUIRE(done[i].verdict.has_value());
    CHECK((*done[i].verdict)->now);
  }
  CHECK(db.count("status = 'passed'") == 3);
  CHECK(db.read_run(held[1].run).status == "running");
  CHECK(db.complete(held[1])->now);
}

TEST_CASE("a run that another transaction holds delays no other run's result") {
  machine db;
  auto const held = claim_new(db, 3);
  auto const run = [](machine& machine, std::vector<claimed_run> const& runs,
                      std::vector<notification>& got) -> task<> {
    auto work = co_await machine.pool.begin(machine.soon());
    postgres::query lock{{"hold_run_test", "SELECT run_id FROM run_queue WHERE run_id = $1 FOR UPDATE"},
                         postgres::parameters(runs[1].run)};
    static_cast<void>((co_await work.run(std::move(lock))).value());
    std::size_t left = runs.size();
    for (std::size_t i = 0; i < runs.size(); ++i)
      asio::co_spawn(machine.io, notify(machine, machine.secret, passed(runs[i]), got[i], left), asio::detached);
    steady_timer pause(machine.io);
    while (left > 1) {
      pause.expires_after(milliseconds(1));
      co_await pause.async_wait(awaiting);
    }
    CHECK_FALSE(got[1].verdict.has_value());
    static_cast<void>((co_await work.commit()).value());
    while (left > 0) {
      pause.expires_after(milliseconds(1));
      co_await pause.async_wait(awaiting);
    }
  };
  std::vector<notification> got(held.size());
  db.wait(run(db, held, got));
  for (auto const& news : got) {
    REQUIRE(news.verdict.has_value());
    CHECK((*news.verdict)->now);
  }
}

TEST_CASE("500 results at once: few transactions, each run once") {
  machine db;
  constexpr int all = 500;
  db.as_owner(
      "INSERT INTO runs (id, project_id, job_id, job_name, job_type, trigger, triggered_by, test_count,"
      " timeout_seconds) SELECT id_at(clock_timestamp(), gen_random_uuid()), project_id, id, name, job_type, "
      "'remote', 'ci', 1, 60 FROM jobs,"
      " generate_series(1, " +
      std::to_string(all) + ") WHERE id = '" + db.id.to_string() + "'");
  std::vector<std::pair<sha256_digest, run_completion>> content;
  for (auto claimed = db.claim(100); !claimed.empty(); claimed = db.claim(100))
    for (auto const& run : claimed) content.emplace_back(db.secret, passed(run));
  REQUIRE(content.size() == all);
  auto const before = db.pool.stats().queries;
  auto const done = notify_all(db, content);
  CHECK(db.pool.stats().queries - before <= all / 64 + 1);
  for (auto const& news : done) CHECK((*news.verdict)->now);
  CHECK(db.count("status = 'passed' AND attempt = 1 AND version = 3") == all);
}

TEST_CASE("output in a result is stored with it, once, and is not due to be moved") {
  machine db;
  store::output_store outputs(db.pool);
  auto const held = claim_new(db, 3);
  auto const find = [&](claimed_run const& run) { return db.wait(outputs.find(run.run, db.soon())); };
  auto const end = [&](claimed_run const& subject, std::optional<store::stored_output> whole,
                       std::string status = "passed") {
    return db.wait(
        db.runners.complete(db.secret, {subject.run, subject.claim, std::move(status)}, db.soon(), std::move(whole)));
  };
  store::stored_output const whole{held[0].run, byte_vector{1, 0, 255}, 10, 2, true};
  auto const done = end(held[0], whole);
  REQUIRE(done.has_value());
  CHECK(done->now);
  auto const kept = find(held[0]);
  REQUIRE(kept.stored);
  CHECK(kept.stored->content == whole.content);
  CHECK(kept.stored->size == 10);
  CHECK(kept.stored->lines == 2);
  CHECK(kept.stored->incomplete);
  // Its answer was lost, and another content or none comes with the repetition.
  auto other = whole;
  other.content = {7};
  for (auto const& again : {std::optional(whole), std::optional(other), std::optional<store::stored_output>()}) {
    auto const repeated = end(held[0], again);
    REQUIRE(repeated.has_value());
    CHECK_FALSE(repeated->now);
  }
  CHECK(failure(end(held[0], whole, "failed")) == errc::claim_lost);
  CHECK(find(held[0]).stored->content == whole.content);

  CHECK(end(held[1], std::nullopt)->now);
  CHECK(find(held[1]).due);
  db.as_owner("UPDATE run_output SET ended_at = ended_at - interval '1 second'");
  auto const due = db.wait(outputs.take_due(10, db.soon()));
  REQUIRE(due.size() == 1);
  CHECK(due[0].run == held[1].run);
  // It counts towards its project's quota.
  db.wait(outputs.settle(0, db.soon()));
  CHECK(db.wait(outputs.stored_bytes(db.project, db.soon())) == 3);

  // Output of an earlier attempt may still be in Redis.
  db.set_run(held[2].run, "status = 'queued', claim_id = NULL, lease_until = NULL, lost_claims = 1");
  auto const second = db.claim(1);
  REQUIRE(second.size() == 1);
  CHECK(second[0].attempt == 2);
  CHECK(failure(end(second[0], whole)) == errc::validation_failed);
  CHECK_FALSE(find(held[2]).stored);
  CHECK(db.read_run(held[2].run).status == "running");
  CHECK(end(second[0], std::nullopt)->now);
  CHECK(find(held[2]).due);
}
