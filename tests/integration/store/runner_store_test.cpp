#include "runner_fixture.hpp"

#include <boost/json.hpp>

#include <map>
#include <optional>

using namespace svc;
using namespace svc::test;

TEST_CASE("runner tokens: made once by name, listed, revoked for good, each with its audit row") {
  machine db;
  CHECK(db.wait(db.runners.authenticate(db.secret, db.soon()))->project == db.project);
  auto const wide = db.make_token(db.organization, {});
  auto const id = db.last_token;
  CHECK_FALSE(db.wait(db.runners.authenticate(wide, db.soon()))->project);
  auto const again = mint_runner_token();
  CHECK(failure(db.wait(db.keys.create({db.organization, {}, "r1", again.start, again.digest}, db.actor,
                                       db.soon()))) == errc::name_taken);
  CHECK(failure(db.wait(db.keys.create({{}, uuid::generate_v7(), "x", again.start, again.digest}, db.actor,
                                       db.soon()))) == errc::not_found);
  auto const listed = db.wait(db.keys.list(db.organization, db.soon()));
  REQUIRE(listed.size() == 2);
  CHECK(listed[0].runners == 1);
  CHECK(listed[0].last_seen_at.has_value());
  CHECK(listed[1].runners == 0);

  CHECK(db.wait(db.keys.revoke(id, db.actor, db.soon())).has_value());
  CHECK(failure(db.wait(db.keys.revoke(id, db.actor, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.runners.authenticate(wide, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.authenticate(again.digest, db.soon()))) == errc::invalid_token);
  CHECK(db.wait(db.keys.list({}, db.soon())).size() == 1);
  CHECK(db.audit_rows("runner.created") == 2);
  CHECK(db.audit_rows("runner.revoked") == 1);
}

TEST_CASE("a runner that enrolls again under its name is the same one") {
  machine db;
  CHECK(db.enroll(db.secret) == db.self);
  CHECK(db.enroll(db.make_token(db.organization, {})) != db.self);
}

TEST_CASE("claim: the oldest first, with everything that the execution requires") {
  machine db;
  store::variable_store variables(db.pool, db.master);
  for (auto const& [key, secret] : {std::pair{"PLAIN", false}, std::pair{"TOKEN", true}})
    CHECK(db.wait(variables.create(db.as_ed(), {key, secret_string("v-" + std::string(key)), secret}, db.soon()))
              .has_value());
  std::vector<uuid> made;
  for (int i = 0; i < 3; ++i) made.push_back(db.make_run(db.id).run);

  auto const got = db.wait(db.runners.claim(db.secret, {db.self, {"k6", "command"}, 2}, db.soon()));
  REQUIRE(got.has_value());
  REQUIRE(got->runs.size() == 2);
  CHECK(got->more);
  auto const& first = got->runs[0];
  CHECK(first.run == made[0]);
  CHECK(got->runs[1].run == made[1]);
  CHECK(first.claim != got->runs[1].claim);
  CHECK(first.attempt == 1);
  CHECK(first.project == db.project);
  CHECK(first.job == db.id);
  CHECK(first.job_name == "nightly");
  CHECK(first.timeout_seconds == 3600);
  auto const tests = boost::json::parse(first.tests).as_array();
  REQUIRE(tests.size() == 1);
  CHECK(tests[0].at("script").as_string() == "echo t");
  CHECK(tests[0].at("type").as_string() == "command");
  auto const& given = got->variables.at(db.project);
  REQUIRE(given.size() == 2);
  CHECK(given[0].key == "PLAIN");
  CHECK_FALSE(given[0].is_secret);
  CHECK(given[1].value.reveal() == "v-TOKEN");
  CHECK(given[1].is_secret);

  auto const seen = db.read_run(made[0]);
  CHECK(seen.status == "running");
  CHECK(seen.attempt == 1);
  CHECK(seen.started_at.has_value());
  CHECK(seen.version == 2);
  CHECK(db.claim(5).size() == 1);
  CHECK(db.claim(5).empty());
}

TEST_CASE(
    "claim: an instance that cannot open a project's variables leaves its runs as they were, and takes others") {
  machine db;
  store::variable_store variables(db.pool, db.master);
  CHECK(db.wait(variables.create(db.as_ed(), {"KEY", secret_string("v"), true}, db.soon())).has_value());
  auto const sealed = db.make_run(db.id).run;
  master_keys wrong{{sealer(secret_bytes(32, 9))}};
  store::runner_store other(db.pool, wrong, std::chrono::seconds(30));
  CHECK_THROWS_AS(db.wait(other.claim(db.secret, {db.self, {"command"}, 1}, db.soon())), unavailable);
  CHECK(db.count("status = 'queued' AND attempt = 0 AND started_at IS NULL AND executor_id IS NULL") == 1);

  auto const wide = db.make_token(db.organization, {});
  auto const self = db.enroll(wide);
  auto const test =
      db.wait(db.tests.create(db.elsewhere(), {.title = "t", .type = "command", .script = "true"}, db.soon()));
  auto const job = db.wait(
      db.jobs.create(db.elsewhere(), db.ada,
                     {.name = "b", .job_type = "command", .tests = {test->id}, .parameters = "[]"}, db.soon()));
  db.make_runs(job->id, 1);
  auto const got = db.wait(other.claim(wide, {self, {"command"}, 5}, db.soon()));
  REQUIRE(got->runs.size() == 1);
  CHECK(got->runs[0].job == job->id);
  CHECK(got->variables.empty());
  auto const mine = db.claim();
  REQUIRE(mine.size() == 1);
  CHECK(mine[0].run == sealed);
  CHECK(mine[0].attempt == 1);
}

TEST_CASE("a claim has the trace of the request that made its run") {
  machine db;
  std::string const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0";
  auto const traced = [&](store::trigger_request request, char flag) {
    request.trace_parent = trace + flag;
    return db.ask(std::move(request))->run;
  };
  std::map<uuid, std::optional<std::string>> expected;
  auto const plain = traced({.job = db.id, .triggered_by = "ci"}, '1');
  expected[plain] = trace + "1";
  auto const keyed = traced(db.keyed("k"), '1');
  CHECK(traced(db.keyed("k"), '0') == keyed);
  expected[keyed] = trace + "1";
  auto const joined = traced(db.joining("d"), '0');
  CHECK(traced(db.joining("d"), '1') == joined);
  expected[joined] = trace + "0";
  expected[db.make_run(db.id).run] = std::nullopt;
  auto const test = db.make_test("alone").id;
  for (auto const& given : {trace + "1", std::string()}) {
    store::test_execution wanted{.test = test, .triggered_by = "ci", .trace_parent = given};
    auto const made = db.wait(db.runs.execute(db.as_ed(), std::move(wanted), db.soon()));
    REQUIRE(made.has_value());
    expected[made->made.id] = given.empty() ? std::nullopt : std::optional(given);
  }
  std::map<uuid, std::optional<std::string>> got;
  for (auto const& run : db.claim(10)) got[run.run] = run.trace_parent;
  CHECK(got == expected);
}

TEST_CASE("scripts apart: a claim names their versions, and gives them to the runner that holds the run") {
  machine db;
  auto const test_of = [&](claimed_run const& run) { return boost::json::parse(run.tests).at(0); };
  auto const claim_apart = [&] {
    db.make_run(db.id);
    auto const got = db.wait(
        db.runners.claim(db.secret, {.runner = db.self, .labels = {"command"}, .scripts_apart = true}, db.soon()));
    return got.value().runs.at(0);
  };
  auto const ask = [&](sha256_digest const& digest, claimed_run const& subject, std::vector<uuid> tests) {
    return db.wait(db.runners.scripts(digest, {subject.run, subject.claim}, std::move(tests), db.soon()));
  };
  auto const held = claim_apart();
  auto const test = test_of(held);
  CHECK_FALSE(test.as_object().contains("script"));
  CHECK(test.at("title").as_string() == "t");
  auto const id = uuid::parse(test.at("id").as_string()).value();

  auto const other =
      db.wait(db.tests.create(db.as_ed(), {.title = "u", .type = "command", .script = "true"}, db.soon()))->id;
  auto const given = ask(db.secret, held, {other, id, uuid::generate_v7()}).value();
  REQUIRE(given.texts.size() == 1);
  CHECK_FALSE(given.more);
  auto const script = boost::json::parse(given.texts[0]);
  CHECK(script.at("id") == test.at("id"));
  CHECK(script.at("version") == test.at("version"));
  CHECK(script.at("script").as_string() == "echo t");

  db.as_owner("UPDATE tests SET script = 'echo new', updated_at = clock_timestamp() WHERE id = '" + id.to_string() +
              "'");
  auto const again = claim_apart();
  CHECK(test_of(again).at("version") != test.at("version"));
  auto const renewed = boost::json::parse(ask(db.secret, held, {id})->texts.at(0));
  CHECK(renewed.at("script").as_string() == "echo new");
  CHECK(renewed.at("version") == test_of(again).at("version"));

  auto wrong = held;
  wrong.claim = again.claim;
  CHECK(failure(ask(db.secret, wrong, {id})) == errc::claim_lost);
  CHECK(failure(ask(db.make_token({}, db.other_project), held, {id})) == errc::claim_lost);
  CHECK(failure(ask(mint_runner_token().digest, held, {id})) == errc::invalid_token);
  CHECK(db.complete(held).has_value());
  CHECK(failure(ask(db.secret, held, {id})) == errc::claim_lost);
  auto const brief = db.make_token({}, db.project);
  CHECK(db.wait(db.keys.revoke(db.last_token, db.actor, db.soon())).has_value());
  CHECK(failure(ask(brief, again, {id})) == errc::token_revoked);
}

TEST_CASE("separate scripts: an answer has as many as fit, and a larger one by itself") {
  machine db;
  std::vector<uuid> tests;
  for (int i = 0; i < 3; ++i)
    tests.push_back(db.wait(db.tests.create(db.as_ed(),
                                            {.title = "t" + std::to_string(i),
                                             .type = "command",
                                             .script = std::string(4UL * 1024 * 1024, 'a')},
                                            db.soon()))
                        ->id);
  auto const job = db.wait(db.jobs.create(
      db.as_ed(), db.ada, {.name = "large", .job_type = "command", .tests = tests, .parameters = "[]"}, db.soon()));
  db.make_run(job->id);
  db.make_run(job->id);
  // Scripts take no room in the answer to the claim.
  auto const got = db.wait(db.runners.claim(
      db.secret, {.runner = db.self, .labels = {"command"}, .most = 2, .scripts_apart = true}, db.soon()));
  REQUIRE(got->runs.size() == 2);
  auto const& held = got->runs[0];
  auto const ask = [&](std::vector<uuid> ids) {
    return db.wait(db.runners.scripts(db.secret, {held.run, held.claim}, std::move(ids), db.soon())).value();
  };
  auto const first = ask(tests);
  CHECK(first.texts.size() == 2);
  CHECK(first.more);
  for (std::size_t i = 0; i < first.texts.size(); ++i) {
    auto const value = boost::json::parse(first.texts[i]);
    CHECK(value.at("id").as_string() == tests[i].to_string());
    CHECK(value.at("script").as_string().size() == 4UL * 1024 * 1024);
  }
  auto const rest = ask({tests[2]});
  CHECK(rest.texts.size() == 1);
  CHECK_FALSE(rest.more);
}

TEST_CASE("claim: only runs in the token's scope, with its labels, in no archived project") {
  machine db;
  auto const mine = db.make_run(db.id).run;
  CHECK(db.claim(5, {"k6", "playwright"}).empty());
  auto const elsewhere = db.make_token({}, db.other_project);
  auto const other = db.enroll(elsewhere);
  auto const ask = [&](sha256_digest const& digest, uuid executor) {
    return db.wait(db.runners.claim(digest, {executor, {"command"}, 5}, db.soon()));
  };
  CHECK(ask(elsewhere, other)->runs.empty());
  // A runner belongs to its token.
  CHECK(failure(ask(elsewhere, db.self)) == errc::not_found);
  CHECK(failure(ask(db.secret, other)) == errc::not_found);
  db.as_owner("UPDATE projects SET archived_at = now() WHERE id = '" + db.project.to_string() + "'");
  CHECK(db.claim(5).empty());
  db.as_owner("UPDATE projects SET archived_at = NULL");
  auto const wide = db.make_token(db.organization, {});
  auto const got = ask(wide, db.enroll(wide));
  REQUIRE(got->runs.size() == 1);
  CHECK(got->runs[0].run == mine);
}

TEST_CASE("heartbeat extends the lease and reports a cancellation") {
  machine db;
  db.make_run(db.id);
  auto const held = db.claim().front();
  auto const lease = [&] {
    return db.number(
        {{"lease_left", "SELECT extract(epoch FROM lease_until - clock_timestamp())::bigint FROM runs"}});
  };
  db.set_run(held.run, "lease_until = clock_timestamp() - interval '1 minute'");
  auto const kept = db.wait(db.runners.extend(db.secret, held.run, held.claim, db.soon()));
  REQUIRE(kept.has_value());
  CHECK_FALSE(kept->cancel);
  CHECK(kept->attempt == 1);
  CHECK(lease() > 20);
  CHECK(db.wait(db.runners.changed({held.run}, db.soon())).empty());
  CHECK(db.wait(db.runs.cancel(db.as_ed(), held.run, db.soon())).has_value());
  CHECK(db.wait(db.runners.changed({held.run}, db.soon())) == std::vector{held.run});
  CHECK(db.wait(db.runners.extend(db.secret, held.run, held.claim, db.soon()))->cancel);
  CHECK(db.wait(db.runners.look(db.secret, held.run, held.claim, db.soon()))->cancel);
}

TEST_CASE("a claim's first lease may be shorter than those that heartbeats give, and never longer") {
  machine db;
  auto const lease_of = [&](std::chrono::seconds first) {
    store::runner_store store(db.pool, db.master, std::chrono::seconds(30), first);
    auto const run = db.make_run(db.id).run;
    auto const got = db.wait(store.claim(db.secret, {db.self, {"command"}, 1}, db.soon()));
    REQUIRE(got->runs.at(0).run == run);
    auto const left = [&] {
      return db.number({{"lease_given",
                         "SELECT round(extract(epoch FROM lease_until - started_at))::bigint FROM runs WHERE status ="
                         " 'running'"}});
    };
    auto const given = left();
    CHECK(db.wait(store.extend(db.secret, run, got->runs.at(0).claim, db.soon())).has_value());
    CHECK(left() >= 30);
    CHECK(db.complete(got->runs.at(0)).has_value());
    return given;
  };
  CHECK(lease_of(std::chrono::seconds(5)) == 5);
  CHECK(lease_of(std::chrono::seconds(0)) == 30);
  CHECK(lease_of(std::chrono::seconds(60)) == 30);
}

TEST_CASE("complete: once, with the results of its tests; repeating it is not an error") {
  machine db;
  auto const second = db.make_test("u");
  auto const job = db.make_job("two", {db.make_test("first").id, second.id});
  db.make_run(job.id);
  auto const held = db.claim().front();
  auto const planned = boost::json::parse(held.tests).as_array();
  std::string const reported = R"([{"id":)" + boost::json::serialize(planned[0].at("id")) +
                               R"(,"status":"failed","durationMs":12,"errorDetails":"exit 1"}])";
  auto const done = db.complete(held, "failed", reported);
  REQUIRE(done.has_value());
  CHECK(done->now);
  CHECK(done->attempt == 1);
  CHECK_FALSE(done->queued);
  CHECK_FALSE(done->work);
  auto const seen = db.read_run(held.run);
  CHECK(seen.status == "failed");
  CHECK(seen.completed_at.has_value());
  auto const tests = boost::json::parse(seen.tests).as_array();
  CHECK(tests[0].at("title").as_string() == "first");
  CHECK(tests[0].at("status").as_string() == "failed");
  CHECK(tests[0].at("durationMs").as_int64() == 12);
  CHECK(tests[1].at("status").as_string() == "skipped");
  CHECK(db.number({{"due", "SELECT count(*) FROM run_output"}}) == 1);

  auto const again = db.complete(held, "failed", reported);
  REQUIRE(again.has_value());
  CHECK_FALSE(again->now);
  CHECK(failure(db.complete(held, "passed", reported)) == errc::claim_lost);
  CHECK(failure(db.wait(db.runners.extend(db.secret, held.run, held.claim, db.soon()))) == errc::claim_lost);
  CHECK(failure(db.wait(db.runners.release(db.secret, held.run, held.claim, db.soon()))) == errc::claim_lost);
  CHECK(db.read_run(held.run).version == seen.version);
}

TEST_CASE("a run that is cancelled while it waits for another attempt leaves its output to be moved") {
  machine db;
  auto const fresh = db.make_run(db.id).run;
  CHECK(db.wait(db.runs.cancel(db.as_ed(), fresh, db.soon())).has_value());
  CHECK(db.number({{"due_of_fresh", "SELECT count(*) FROM run_output"}}) == 0);
  auto const again = db.make_run(db.id).run;
  auto const held = db.claim().front();
  CHECK(db.wait(db.runners.release(db.secret, held.run, held.claim, db.soon())).has_value());
  CHECK(db.wait(db.runs.cancel(db.as_ed(), again, db.soon())).has_value());
  CHECK(db.number({{"due_of_again", "SELECT count(*) FROM run_output"}}) == 1);
  auto const tests = boost::json::parse(db.read_run(again).tests).as_array();
  CHECK(tests.at(0).at("status").as_string() == "cancelled");
}

TEST_CASE("release: back to its place in the queue, unless it is being cancelled") {
  machine db;
  auto const older = db.make_run(db.id).run;
  db.make_run(db.id);
  auto const first = db.claim().front();
  CHECK(first.run == older);
  auto const back = db.wait(db.runners.release(db.secret, first.run, first.claim, db.soon()));
  REQUIRE(back.has_value());
  CHECK(back->queued);
  REQUIRE(back->work);
  CHECK(back->work->project == db.project);
  CHECK(back->work->organization == db.organization);
  CHECK(back->work->job_type == "command");
  CHECK(db.read_run(older).status == "queued");
  CHECK_FALSE(db.read_run(older).started_at);
  CHECK(failure(db.complete(first)) == errc::claim_lost);
  CHECK(db.number({{"due_none", "SELECT count(*) FROM run_output"}}) == 0);

  auto const second = db.claim().front();
  CHECK(second.run == older);
  CHECK(second.attempt == 2);
  CHECK(db.count("lost_claims > 0") == 0);
  CHECK(db.wait(db.runs.cancel(db.as_ed(), older, db.soon())).has_value());
  auto const ended = db.wait(db.runners.release(db.secret, second.run, second.claim, db.soon()));
  REQUIRE(ended.has_value());
  CHECK_FALSE(ended->queued);
  CHECK(ended->status == "cancelled");
  CHECK(db.read_run(older).status == "cancelled");
  CHECK(db.number({{"due_one", "SELECT count(*) FROM run_output"}}) == 1);
}

TEST_CASE("fencing: a claim that is not the run's current one changes nothing") {
  machine db;
  db.make_run(db.id);
  auto const stale = db.claim().front();
  // As the reaper does.
  db.set_run(stale.run, "status = 'queued', claim_id = NULL, lease_until = NULL, lost_claims = 1");
  auto const refused = [&] {
    CHECK(failure(db.complete(stale)) == errc::claim_lost);
    CHECK(failure(db.wait(db.runners.extend(db.secret, stale.run, stale.claim, db.soon()))) == errc::claim_lost);
    CHECK(failure(db.wait(db.runners.look(db.secret, stale.run, stale.claim, db.soon()))) == errc::claim_lost);
    CHECK(failure(db.wait(db.runners.release(db.secret, stale.run, stale.claim, db.soon()))) == errc::claim_lost);
  };
  refused();
  auto const held = db.claim().front();
  CHECK(held.run == stale.run);
  CHECK(held.attempt == 2);
  refused();
  // Another project's token has no right to it, even with the claim.
  auto const other = db.make_token({}, db.other_project);
  CHECK(failure(db.wait(db.runners.extend(other, held.run, held.claim, db.soon()))) == errc::claim_lost);
  CHECK(db.complete(held)->now);
  refused();
  CHECK(db.read_run(held.run).status == "passed");
}

TEST_CASE("a revoked token does nothing, whatever it holds") {
  machine db;
  db.make_run(db.id);
  db.make_run(db.id);
  auto const held = db.claim().front();
  db.as_owner("UPDATE runner_tokens SET revoked_at = now()");
  CHECK(failure(db.wait(db.runners.claim(db.secret, {db.self, {"command"}, 1}, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.enroll(db.secret, {"b", "1", {"command"}, 1}, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.extend(db.secret, held.run, held.claim, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.look(db.secret, held.run, held.claim, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.complete(held)) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.release(db.secret, held.run, held.claim, db.soon()))) == errc::token_revoked);
  CHECK(db.count("status = 'running'") == 1);
  CHECK(db.count("status = 'queued'") == 1);
}

TEST_CASE(
    "several claims are kept together: each by its own state, and one that has most of its lease is not written") {
  machine db;
  for (int i = 0; i < 6; ++i) db.make_run(db.id);
  auto const held = db.claim(6);
  REQUIRE(held.size() == 6);
  auto const set = [&](std::size_t i, std::string const& subject) {
    db.as_owner("UPDATE run_queue SET " + subject + " WHERE run_id = '" + held[i].run.to_string() + "'");
  };
  auto const left = [&](std::size_t i) {
    return db
        .must({{"lease_left_of",
                "SELECT round(extract(epoch FROM lease_until - clock_timestamp()))::bigint FROM run_queue WHERE"
                " run_id = $1"},
               postgres::parameters(held[i].run)})
        .front()
        .integer(0);
  };
  set(0, "lease_until = clock_timestamp() + interval '3 seconds'");
  set(1, "lease_until = clock_timestamp() + interval '26 seconds'");
  set(2, "lease_until = clock_timestamp() - interval '1 second', cancel_requested_at = now()");
  // As the reaper does.
  set(3, "status = 'queued', claim_id = NULL, lease_until = NULL, lost_claims = 1");
  REQUIRE(db.complete(held[4]).has_value());
  std::vector<store::claim_name> names;
  for (auto const& run : held) names.push_back({run.run, run.claim});
  names.push_back({held[5].run, held[0].claim});
  names.push_back({uuid::generate_v7(), held[0].claim});
  auto const check = [&](store::held_claims const& got) {
    REQUIRE(got.size() == names.size());
    for (std::size_t const i : {0UL, 1UL, 2UL, 5UL}) {
      CAPTURE(i);
      REQUIRE(got[i].has_value());
      CHECK(got[i]->attempt == 1);
      CHECK(got[i]->project == db.project);
      CHECK(got[i]->cancel == (i == 2));
    }
    for (std::size_t const i : {3UL, 4UL, 6UL, 7UL}) CHECK_FALSE(got[i].has_value());
  };
  check(db.wait(db.runners.look_all(db.secret, names, db.soon())).value());
  CHECK(left(0) <= 3);
  check(db.wait(db.runners.extend_all(db.secret, names, db.soon())).value());
  CHECK(db.runners.kept_lease() == std::chrono::seconds(23));
  CHECK(left(0) >= 29);
  CHECK(left(1) <= 26);
  CHECK(left(2) >= 29);
  CHECK(left(5) >= 23);
  auto const stranger = db.make_token({}, db.other_project);
  for (auto const& claim : db.wait(db.runners.extend_all(stranger, names, db.soon())).value())
    CHECK_FALSE(claim.has_value());
  CHECK(db.wait(db.runners.extend_all(db.secret, {}, db.soon()))->empty());
  db.as_owner("UPDATE runner_tokens SET revoked_at = now()");
  CHECK(failure(db.wait(db.runners.extend_all(db.secret, names, db.soon()))) == errc::token_revoked);
  CHECK(failure(db.wait(db.runners.look_all(db.secret, names, db.soon()))) == errc::token_revoked);
}

TEST_CASE("heartbeats of several claims: only a first one that makes its lease longer waits for the disk") {
  machine db;
  db.as_owner(
      R"(DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database()); END $$;
CREATE TABLE commits (id serial, how text);
GRANT SELECT ON commits TO svc_service;
CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$ BEGIN
  INSERT INTO commits (how) VALUES (current_setting('synchronous_commit'));
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER commit_noted AFTER UPDATE ON run_queue DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION note_commit())");
  // Alone in its pool, so that a setting that outlived its transaction would be seen.
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::runner_store runners(pool, db.master, std::chrono::seconds(30), std::chrono::seconds(5));
  db.make_run(db.id);
  auto const held = db.wait(runners.claim(db.secret, {db.self, {"command"}, 1}, db.soon()))->runs.at(0);
  auto const heartbeat = [&] {
    auto const got = db.wait(runners.extend_all(db.secret, {{held.run, held.claim}}, db.soon()));
    CHECK(got.value().at(0).has_value());
  };
  heartbeat();
  db.as_owner("UPDATE run_queue SET lease_until = started_at + interval '6 seconds'");
  db.as_owner("DELETE FROM commits WHERE id > 2");
  heartbeat();
  CHECK(db.wait(runners.extend(db.secret, held.run, held.claim, db.soon())).has_value());
  CHECK(db.number({{"commits_as_expected",
                    "SELECT count(*) FROM (SELECT string_agg(how, ' ' ORDER BY id) AS all_of FROM commits) c"
                    " WHERE all_of = 'on on off on'"}}) == 1);
}

TEST_CASE("version 0.1 enrolls under the former names of the tables") {
  machine db;
  postgres::statement const former{"enroll_0_1", R"(
INSERT INTO executors (id, token_id, name, version, labels, slots) SELECT $1, id, 'box', '0.1', '{command}', 4
  FROM executor_tokens WHERE digest = $2 AND revoked_at IS NULL
ON CONFLICT (token_id, name) DO UPDATE SET version = excluded.version, last_seen_at = clock_timestamp() RETURNING id)"};
  auto const enroll = [&] {
    return db.must({former, postgres::parameters(uuid::generate_v7(), byte_view(db.secret))}).front().id(0);
  };
  CHECK(enroll() == db.self);
  CHECK(db.number({{"runners_named", "SELECT count(*) FROM runners WHERE version = '0.1'"}}) == 1);
  db.as_owner("DELETE FROM runners");
  CHECK(enroll() != db.self);
}
