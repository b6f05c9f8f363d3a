#include "svc/live/output/run_watch.hpp"

#include "integration/redis/fixture.hpp"
#include "integration/store/trigger_fixture.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/live/output/subscriptions.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("a wait ends with the run, at its time, at a wake-up, and when the instance drains") {
  svc::test::trigger_database db;
  private_redis server;
  redis::client client(db.io, redis::patient(server.url()), output::output_writer::scripts());
  client.start();
  REQUIRE(db.wait(client.wait_connected(db.soon())));
  output::run_event_hub events(
      db.io, redis::patient(server.url()),
      std::make_shared<background_loop>("live_hub", "control", output::run_event_hub::interval));
  events.start();
  output::output_writer writer(client);
  auto const polls = std::make_shared<background_loop>("run_poll", "0", output::subscriptions::interval);
  output::subscriptions subscriptions(db.io, events, db.runs, polls);
  output::run_watch watch(db.io, db.runs, subscriptions, writer);
  auto const hour = deadline::after(std::chrono::hours(1));
  uuid run = db.make_run(db.id).run;
  auto const waited = [&](deadline until) { return db.wait(watch.until_ended(db.project, run, until)); };
  CHECK(waited(deadline::after(milliseconds(10)))->status == "queued");
  CHECK_FALSE(db.wait(watch.until_ended(db.other_project, run, hour)));

  auto after = [](svc::test::trigger_database& counter, output::run_watch& run_watch, uuid id, deadline until,
                  auto act) -> task<std::string> {
    std::optional<svc::run> found;
    bool over = false;
    auto waiting = [](svc::test::trigger_database& c, output::run_watch& w, uuid which, deadline limit,
                      std::optional<svc::run>& into, bool& done) -> task<> {
      into = co_await w.until_ended(c.project, which, limit);
      done = true;
    };
    asio::co_spawn(counter.io, waiting(counter, run_watch, id, until, found, over), asio::detached);
    steady_timer pause(counter.io);
    while (run_watch.waiting() == 0) {
      pause.expires_after(milliseconds(1));
      co_await pause.async_wait(awaiting);
    }
    // A waiting request holds no connection.
    while (counter.pool.stats().busy > 0) {
      pause.expires_after(milliseconds(1));
      co_await pause.async_wait(awaiting);
    }
    act();
    while (!over) {
      pause.expires_after(milliseconds(1));
      co_await pause.async_wait(awaiting);
    }
    co_return found ? found->status : "nothing";
  };
  CHECK(db.wait(after(db, watch, run, hour,
                      [&] { db.set_run(run, "status = 'failed', completed_at = clock_timestamp()"); })) == "failed");
  CHECK(waited(hour)->status == "failed");
  CHECK(watch.waiting() == 0);
  run = db.make_run(db.id).run;
  CHECK(db.wait(after(db, watch, run, hour, [&] {
    db.set_run(run, "status = 'cancelled', completed_at = clock_timestamp()");
    watch.wake(run);
  })) == "cancelled");
  run = db.make_run(db.id).run;
  CHECK(db.wait(after(db, watch, run, hour, [&] { watch.drain(); })) == "queued");
  CHECK(waited(hour)->status == "queued");
}

TEST_CASE("a wait ends with the run although PostgreSQL refused unexpectedly") {
  svc::test::trigger_database db;
  private_redis server;
  redis::client client(db.io, redis::patient(server.url()), output::output_writer::scripts());
  // Not started: no messages arrive, so the database is asked often.
  output::run_event_hub events(
      db.io, redis::patient(server.url()),
      std::make_shared<background_loop>("live_hub", "control", output::run_event_hub::interval));
  output::output_writer writer(client);
  auto const polls = std::make_shared<background_loop>("run_poll", "0", output::subscriptions::interval);
  output::subscriptions subscriptions(db.io, events, db.runs, polls);
  output::run_watch watch(db.io, db.runs, subscriptions, writer);
  uuid const run = db.make_run(db.id).run;
  std::string ended;
  auto wait = [](svc::test::trigger_database& counter, output::run_watch& run_watch, uuid which,
                 std::string& into) -> task<> {
    auto const found = co_await run_watch.until_ended(counter.project, which, deadline::after(std::chrono::hours(1)));
    into = found ? found->status : "nothing";
  };
  auto const until = [&](std::function<bool()> const& so) {
    auto const end = steady::now() + std::chrono::seconds(20);
    db.io.restart();
    while (!so() && steady::now() < end) db.io.run_one_for(milliseconds(10));
    REQUIRE(so());
  };
  auto const shown = [&](loop_health health) { return polls->at(steady::now()).health == health; };
  // Nobody waits yet, so the loop does not count as standing still.
  CHECK(polls->at(steady::now() + std::chrono::hours(1)).health == loop_health::good);
  asio::co_spawn(db.io, wait(db, watch, run, ended), asio::detached);
  until([&] { return watch.waiting() == 1 && db.pool.stats().busy == 0; });
  // The policy's function is immutable, so the planner evaluates it and no row is required.
  db.as_owner("CREATE FUNCTION refused() RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true'");
  db.as_owner("CREATE POLICY refused ON run_results USING (refused())");
  for (std::string const sqlstate : {"42501", "55P03", "26000", "0A000", "22012", "P0001"}) {
    CAPTURE(sqlstate);
    db.as_owner(
        "CREATE OR REPLACE FUNCTION refused() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '" +
        sqlstate + "'; END $$");
    db.as_owner("ALTER TABLE run_results ENABLE ROW LEVEL SECURITY");
    until([&] { return shown(loop_health::failing); });
    db.as_owner("ALTER TABLE run_results DISABLE ROW LEVEL SECURITY");
    until([&] { return shown(loop_health::good); });
  }
  db.set_run(run, "status = 'passed', completed_at = clock_timestamp()");
  until([&] { return !ended.empty(); });
  CHECK(ended == "passed");
}
