#include "shop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <set>

using namespace svc;
using namespace svc::test;

namespace {

std::string const declared = R"([{"name":"BRANCH","required":false,"default":"main"},
                                 {"name":"ENVIRONMENT","required":true},
                                 {"name":"REGION","required":true,"default":"eu"},
                                 {"name":"NOTE","required":false,"default":null}])";

}  // namespace

TEST_CASE("a trigger makes one queued run with its tests, merged parameters and one audit row") {
  shop db;
  uuid const a = db.make_test("first").id;
  uuid const b = db.make_test("second").id;
  job const job = db.make_job("nightly", {b, a}, declared);
  auto const token = db.make(db.cli(db.ed, "laptop"));
  auto editor = db.as_ed();
  editor.actor.token = token.id;
  auto const made = db.wait(db.triggers.trigger(
      editor, {.job = job.id, .parameters = R"({"ENVIRONMENT":"prod","BRANCH":"x"})", .triggered_by = "laptop"},
      db.soon()));
  REQUIRE(made.has_value());
  CHECK(made->status == "queued");
  CHECK(made->job_name == "nightly");
  CHECK(made->test_count == 2);

  auto const found = db.wait(db.runs.get(db.project, made->run, db.soon()));
  REQUIRE(found.has_value());
  CHECK(found->job == job.id);
  CHECK(found->trigger == "remote");
  CHECK(found->triggered_by == "laptop");
  CHECK(found->parameters == R"({"BRANCH": "x", "REGION": "eu", "ENVIRONMENT": "prod"})");
  CHECK(found->attempt == 0);
  CHECK(found->queued_at == made->queued_at);
  CHECK(found->created_at == found->queued_at);
  CHECK(found->tests.find(b.to_string()) < found->tests.find(a.to_string()));
  CHECK(found->tests.find("\"title\": \"first\"") != std::string::npos);
  CHECK(db.number({{"audit_run_test",
                    "SELECT count(*) FROM audit_log WHERE action = 'job.triggered' AND resource_id = $1"
                    " AND actor_id = $2 AND actor_token_id = $3 AND details ->> 'run' = $4 AND user_agent = 'caf?'"},
                   postgres::parameters(job.id, db.ed, token.id, made->run.to_string())}) == 1);
}

TEST_CASE("a trigger that cannot run says why and creates nothing") {
  shop db;
  uuid const test = db.make_test("t").id;
  job const good = db.make_job("good", {test}, declared);
  job const empty = db.make_job("empty");
  job const off = db.make_job("off", {test});
  job const gone = db.make_job("gone", {test});
  db.as_owner("UPDATE jobs SET enabled = false WHERE id = '" + off.id.to_string() + "'");
  REQUIRE(db.wait(db.jobs.remove(db.as_ed(), gone.id, db.soon())).outcome.has_value());
  struct {
    char const* name;
    uuid job;
    std::string parameters;
    std::optional<errc> code;
    std::string wrong;
  } const cases[] = {
      {"unknown", uuid::generate_v7(), "{}", errc::not_found, ""},
      {"unknown with parameters", uuid::generate_v7(), R"({"A":"1"})", errc::not_found, ""},
      {"deleted", gone.id, "{}", errc::not_found, ""},
      {"disabled", off.id, "{}", errc::job_disabled, ""},
      {"without tests", empty.id, "{}", errc::job_has_no_tests, ""},
      {"missing", good.id, "{}", errc::validation_failed, "/parameters/ENVIRONMENT"},
      {"undeclared", good.id, R"({"ENVIRONMENT":"","Z":"","A":""})", errc::validation_failed,
       "/parameters/A /parameters/Z"},
      {"both", good.id, R"({"A":""})", errc::validation_failed, "/parameters/A /parameters/ENVIRONMENT"},
      {"good, empty value", good.id, R"({"ENVIRONMENT":""})", std::nullopt, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const made = db.wait(
        db.triggers.trigger(db.as_ed(), {.job = c.job, .parameters = c.parameters, .triggered_by = "ci"}, db.soon()));
    CHECK(failure(made) == c.code);
    CHECK(fields(made) == c.wrong);
  }
  CHECK(failure(db.wait(db.triggers.trigger(db.elsewhere(), {.job = good.id, .triggered_by = "ci"}, db.soon()))) ==
        errc::not_found);
  CHECK(db.wait(db.runs.list(db.project, {}, {}, db.soon())).total == 1);
  CHECK(db.audit_rows("job.triggered") == 1);
}

TEST_CASE("a trigger whose job is known is one round trip and one commit") {
  shop db;
  job const job = db.make_job("nightly", {db.make_test("t").id});
  db.make_run(job.id);
  auto const before = db.pool.stats();
  db.make_run(job.id);
  CHECK(db.pool.stats().transactions - before.transactions == 1);
}

TEST_CASE("many triggers at once do not wait for each other and are all stored") {
  shop db;
  job const subject = db.make_job("nightly", {db.make_test("t").id});
  constexpr int many = 200;
  int left = many;
  std::set<uuid> made;
  auto entry = [](shop& shop, uuid job, int& rest, std::set<uuid>& into) -> task<> {
    auto const run = co_await shop.triggers.trigger(shop.as_ed(), {.job = job, .triggered_by = "ci"}, shop.soon());
    if (run) into.insert(run->run);
    --rest;
  };
  for (int i = 0; i < many; ++i) asio::co_spawn(db.io, entry(db, subject.id, left, made), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  CHECK(made.size() == many);
  CHECK(db.wait(db.runs.list(db.project, {}, {}, db.soon())).total == many);
  CHECK(db.audit_rows("job.triggered") == many);
}

TEST_CASE("a job that is being changed does not hold up its trigger") {
  shop db;
  job const subject = db.make_job("nightly", {db.make_test("t").id});
  auto hold = [](shop& shop, uuid job) -> task<bool> {
    auto work = co_await shop.pool.begin(shop.soon());
    postgres::query lock{{"hold_test", "UPDATE jobs SET name = 'x' WHERE id = $1"}, postgres::parameters(job)};
    auto const held = co_await work.run(std::move(lock));
    static_cast<void>(held.value());
    auto const made = co_await shop.triggers.trigger(shop.as_ed(), {.job = job, .triggered_by = "ci"},
                                                     deadline::after(std::chrono::seconds(5)));
    auto const done = co_await work.commit();
    static_cast<void>(done.value());
    co_return made.has_value();
  };
  CHECK(db.wait(hold(db, subject.id)));
}

TEST_CASE("a queued run is cancelled at once, for a running one it is recorded") {
  shop db;
  job const job = db.make_job("nightly", {db.make_test("t").id});
  uuid const queued = db.make_run(job.id).run;
  uuid const running = db.make_run(job.id).run;
  db.set_run(running, "status = 'running', started_at = clock_timestamp()");
  auto const done = db.wait(db.runs.cancel(db.as_ed(), queued, db.soon()));
  REQUIRE(done.has_value());
  CHECK(done->status == "cancelled");
  CHECK(done->completed_at.has_value());
  CHECK(done->version == 2);
  CHECK(failure(db.wait(db.runs.cancel(db.as_ed(), queued, db.soon()))) == errc::run_already_over);
  // A repeated request is the same request.
  for (int i = 0; i < 2; ++i) {
    auto const asked = db.wait(db.runs.cancel(db.as_ed(), running, db.soon()));
    REQUIRE(asked.has_value());
    CHECK(asked->status == "running");
    CHECK(asked->tests.find(R"("status": "running")") != std::string::npos);
    CHECK_FALSE(asked->completed_at);
    CHECK(asked->version == 2);
  }
  CHECK(db.audit_rows("run.cancel_requested") == 2);
  CHECK(failure(db.wait(db.runs.cancel(db.as_ed(), uuid::generate_v7(), db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.runs.cancel(db.elsewhere(), running, db.soon()))) == errc::not_found);
  CHECK(db.audit_rows("run.cancelled") == 1);
}

TEST_CASE("the progress of a run: while it waits, and when it has ended") {
  shop db;
  uuid const id = db.make_run(db.make_job("nightly", {db.make_test("t").id}).id).run;
  auto const look = [&](uuid project) { return db.wait(db.runs.progress(project, id, db.soon())); };
  REQUIRE(look(db.project).has_value());
  CHECK(look(db.project)->status == "queued");
  CHECK_FALSE(look(db.project)->completed_at);
  CHECK(failure(look(db.other_project)) == errc::not_found);
  db.set_run(id, "status = 'failed', completed_at = now(), error_details = 'x', version = 3");
  auto const over = look(db.project);
  REQUIRE(over.has_value());
  CHECK(over->status == "failed");
  CHECK(over->completed_at.has_value());
  CHECK(over->error_details == "x");
  CHECK(over->version == 3);
  CHECK(failure(look(db.other_project)) == errc::not_found);
  CHECK(db.wait(db.runs.ended({id, uuid::generate_v7()}, db.soon())) == std::vector<uuid>{id});
}

TEST_CASE("lists of runs: each filter by itself and together, newest first, pages") {
  shop db;
  uuid const test = db.make_test("t").id;
  uuid const a = db.make_job("a", {test}).id;
  uuid const b = db.make_job("b", {test}).id;
  std::vector<uuid> made;
  for (uuid id : {a, b, a, b, a}) {
    std::string const second = std::to_string(made.size());
    made.push_back(
        db.make_run_at(id, "timestamptz '2026-11-20T10:00:0" + second + "Z'", second == "1" ? "schedule" : "remote"));
  }
  db.set_run(made[0], "status = 'passed', completed_at = now()");
  db.set_run(made[1], "status = 'passed', completed_at = now()");
  db.set_run(made[2], "status = 'running', started_at = now(), claim_id = gen_random_uuid(), lease_until = now()");
  auto const entry = [](int second) { return parse_rfc3339("2026-11-20T10:00:0" + std::to_string(second) + "Z"); };
  struct {
    char const* name;
    store::run_filter filter;
    std::string expected;
  } const cases[] = {
      {"all", {}, "43210"},
      {"job", {.job = a}, "420"},
      {"status", {.status = "passed"}, "10"},
      {"job and status", {.job = a, .status = "queued"}, "4"},
      {"job and status of ended ones", {.job = a, .status = "passed"}, "0"},
      {"job and another trigger", {.job = a, .trigger = "schedule"}, ""},
      {"job, status and trigger", {.job = b, .status = "passed", .trigger = "schedule"}, "1"},
      {"queued", {.status = "queued"}, "43"},
      {"running", {.status = "running"}, "2"},
      {"running, from", {.status = "running", .start = entry(3)}, ""},
      {"queued by another trigger", {.status = "queued", .trigger = "manual"}, ""},
      {"from before all times", {.start = parse_rfc3339("0001-01-01T00:00:00Z")}, "43210"},
      {"to before all times", {.end = parse_rfc3339("0001-01-01T00:00:00Z")}, ""},
      {"to after all times", {.end = parse_rfc3339("9999-12-31T23:59:59Z")}, "43210"},
      {"trigger", {.trigger = "schedule"}, "1"},
      {"status and trigger", {.status = "passed", .trigger = "remote"}, "0"},
      {"from", {.start = entry(3)}, "43"},
      {"to, without its end", {.end = entry(3)}, "210"},
      {"from and to", {.start = entry(1), .end = entry(2)}, "1"},
      {"empty interval", {.start = entry(2), .end = entry(2)}, ""},
      {"job, from", {.job = b, .start = entry(2)}, "3"},
      {"unknown job", {.job = uuid::generate_v7()}, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const page = db.wait(db.runs.list(db.project, c.filter, {}, db.soon()));
    std::string found;
    for (auto const& run : page.rows)
      found += static_cast<char>('0' + (std::ranges::find(made, run.id) - made.begin()));
    CHECK(found == c.expected);
    CHECK(page.total == static_cast<std::int64_t>(c.expected.size()));
  }
  auto const second = db.wait(db.runs.list(db.project, {}, {.number = 2, .limit = 3}, db.soon()));
  CHECK(second.rows.size() == 2);
  CHECK(second.total == 5);
  auto const start = db.wait(db.runs.list(db.project, {.trigger = "remote"}, {.limit = 2}, db.soon()));
  REQUIRE(start.next.has_value());
  auto const rest =
      db.wait(db.runs.list(db.project, {.trigger = "remote"}, {.limit = 9, .after = start.next}, db.soon()));
  REQUIRE(rest.rows.size() == 2);
  CHECK(rest.rows[0].id == made[2]);
  CHECK(rest.rows[1].id == made[0]);
  CHECK(db.wait(db.runs.list(db.other_project, {.job = a}, {}, db.soon())).total == 0);
}

TEST_CASE("an ended run is deleted, and its key still names it; one that has not ended stays") {
  shop db;
  job const job = db.make_job("j", {db.make_test("t").id});
  auto const trigger = [&] {
    store::trigger_request const wanted{
        .job = job.id, .triggered_by = "ci", .idempotency_key = "k", .request_hash = std::string(64, '0')};
    return db.wait(db.triggers.trigger(db.as_ed(), wanted, db.soon())).value();
  };
  uuid const id = trigger().run;
  auto const remove = [&](store::editor editor) { return db.wait(db.runs.remove(std::move(editor), id, db.soon())); };
  CHECK(failure(remove(db.as_ed())) == errc::run_not_over);
  db.set_run(id, "status = 'running', started_at = clock_timestamp()");
  CHECK(failure(remove(db.as_ed())) == errc::run_not_over);
  db.set_run(id, "status = 'passed', completed_at = clock_timestamp()");
  CHECK(failure(remove(db.elsewhere())) == errc::not_found);
  CHECK(failure(remove(db.as_ed({{7}}))) == errc::precondition_failed);
  CHECK_FALSE(failure(remove(db.as_ed())));
  CHECK(failure(remove(db.as_ed())) == errc::not_found);
  CHECK(db.audit_rows("run.deleted") == 1);
  auto const again = trigger();
  CHECK(again.origin == store::run_origin::replayed);
  CHECK(again.deleted);
  CHECK(again.run == id);
}
