#include "svc/live/run_watch.hpp"

#include "integration/redis/fixture.hpp"
#include "integration/store/trigger_fixture.hpp"
#include "svc/live/board.hpp"
#include "svc/live/output_writer.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("a wait ends with the run, at its time, at a wake-up, and when the instance drains") {
  svc::test::counter db;
  private_redis server;
  redis::client client(db.io, redis::patient(server.url()), live::output_writer::scripts());
  client.start();
  REQUIRE(db.wait(client.wait_connected(db.soon())));
  live::hub hub(db.io, redis::patient(server.url()));
  hub.start();
  live::output_writer writer(client);
  live::board board(db.io, hub, db.runs);
  live::run_watch watch(db.io, db.runs, board, writer);
  auto const hour = deadline::after(std::chrono::hours(1));
  uuid const run = db.make_run(db.of).run;
  auto const waited = [&](deadline until) { return db.wait(watch.until_ended(db.project, run, until)); };
  CHECK(waited(deadline::after(milliseconds(10)))->status == "queued");
  CHECK_FALSE(db.wait(watch.until_ended(db.other_project, run, hour)));

  auto after = [](svc::test::counter& with, live::run_watch& of, uuid id, deadline until,
                  auto act) -> task<std::string> {
    std::optional<svc::run> found;
    bool over = false;
    auto waiting = [](svc::test::counter& c, live::run_watch& w, uuid which, deadline to,
                      std::optional<svc::run>& into, bool& done) -> task<> {
      into = co_await w.until_ended(c.project, which, to);
      done = true;
    };
    asio::co_spawn(with.io, waiting(with, of, id, until, found, over), asio::detached);
    steady_timer pause(with.io);
    while (of.waiting() == 0) {
      pause.expires_after(milliseconds(1));
      co_await pause.async_wait(awaiting);
    }
    // No connection is held by who waits.
    while (with.pool.stats().busy > 0) {
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
  db.set_run(run, "status = 'queued', completed_at = NULL");
  CHECK(db.wait(after(db, watch, run, hour, [&] {
    db.set_run(run, "status = 'cancelled', completed_at = clock_timestamp()");
    watch.wake(run);
  })) == "cancelled");
  db.set_run(run, "status = 'queued', completed_at = NULL");
  CHECK(db.wait(after(db, watch, run, hour, [&] { watch.drain(); })) == "queued");
  CHECK(waited(hour)->status == "queued");
}
