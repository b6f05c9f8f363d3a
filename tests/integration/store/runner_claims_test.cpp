// Claims of runners: which runs they get, and all that an execution needs.
#include "runner_fixture.hpp"

#include <boost/json.hpp>

#include <map>
#include <optional>

using namespace svc;
using namespace svc::test;

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
