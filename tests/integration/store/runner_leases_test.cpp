// Leases of claims: how long they are, what extends them, and which writes wait for the disk.
#include "runner_fixture.hpp"

using namespace svc;
using namespace svc::test;

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

TEST_CASE("a runner without a free slot is seen by its heartbeats, of one claim and of several") {
  machine db;
  db.make_run(db.id);
  auto const held = db.claim(1).at(0);
  auto const seen = [&] {
    return db.number({{"runner_seen_lately",
                       "SELECT count(*) FROM runners WHERE last_seen_at > now() - interval '5 seconds'"}}) == 1;
  };
  auto const forget = [&](std::string const& ago) {
    db.as_owner("UPDATE runners SET last_seen_at = now() - interval '" + ago + "'");
  };
  forget("1 hour");
  CHECK(db.wait(db.runners.look(db.secret, held.run, held.claim, db.soon())).has_value());
  CHECK_FALSE(seen());
  CHECK(db.wait(db.runners.extend(db.secret, held.run, held.claim, db.soon())).has_value());
  CHECK(seen());
  // The lease is not due, so this heartbeat changes nothing but the time.
  forget("1 hour");
  CHECK(db.wait(db.runners.extend_all(db.secret, {{held.run, held.claim}}, db.soon())).has_value());
  CHECK(seen());
  // The time is written no more often than each ten seconds.
  forget("8 seconds");
  CHECK(db.wait(db.runners.extend_all(db.secret, {{held.run, held.claim}}, db.soon())).has_value());
  CHECK_FALSE(seen());
  // Neither a lost claim nor a heartbeat with another token says that the runner is there.
  forget("1 hour");
  auto const stranger = db.make_token({}, db.other_project);
  db.wait(db.runners.extend_all(stranger, {{held.run, held.claim}}, db.soon()));
  db.wait(db.runners.extend_all(db.secret, {{held.run, uuid::generate_v7()}}, db.soon()));
  CHECK_FALSE(seen());
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
