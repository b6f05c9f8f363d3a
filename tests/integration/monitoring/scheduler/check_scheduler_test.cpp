// Tests a scheduler of shards. The test runs its steps one by one, and scripts the checks.
#include "watching.hpp"

#include "support/comes_true.hpp"
#include "support/private_postgres.hpp"
#include "svc/core/failpoint.hpp"

#include <thread>

using namespace svc;
using namespace svc::test;
using checks::status;

TEST_CASE("a monitor is checked as soon as it is known, then at each slot, and its verdict follows") {
  watching db;
  scheduler::check_scheduler scheduler(db.parts());
  db.wait(scheduler.hold_shards());
  auto const id = db.make_monitor().id;
  db.pass(scheduler);
  CHECK(db.get(id).verdict == "up");
  db.pass(scheduler);
  CHECK(db.rows("check_raw") == 1);
  db.world.are[id] = status::down;
  db.pass_minute({&scheduler}, 1);
  db.wait(scheduler.flush());
  CHECK(db.get(id).verdict == "down");
  db.pass_minute({&scheduler}, 2);
  db.wait(scheduler.flush());
  CHECK(db.rows("check_raw") == 3);
  db.world.are[id] = status::up;
  db.pass_minute({&scheduler}, 3);
  db.wait(scheduler.flush());
  CHECK(db.get(id).verdict == "up");
  CHECK(db.words("SELECT type FROM alerts ORDER BY id") == "monitor_failure monitor_recovery");
  CHECK(scheduler.stats().counted == 4);
  CHECK(scheduler.stats().refused == 0);
}

TEST_CASE("a check is given up when its monitor is paused or changed, and nothing of it counts") {
  watching db;
  auto const id = db.make_monitor().id;
  scheduler::check_scheduler scheduler(db.parts());
  db.world.hang = true;
  db.pass(scheduler);
  CHECK(scheduler.stats().running == 1);
  auto const change = [&](bool enabled, std::string target) {
    auto const edit = [&](monitor const& now) {
      auto out = now.set;
      out.enabled = enabled;
      out.target = target;
      return result<monitor_settings>(std::move(out));
    };
    REQUIRE(db.wait(db.monitors.update(db.as_ed(), id, edit, "updated", db.soon())).has_value());
  };
  db.world.hang = false;
  change(true, "https://other.test/");
  db.check(scheduler);
  CHECK(db.world.cancelled == 1);
  CHECK(db.rows("check_raw") == 1);
  CHECK(db.get(id).verdict == "up");
  db.world.hang = true;
  {
    // The change may have arrived after the slot of the first minute.
    db.pass_minute({&scheduler}, 1);
    db.pass_minute({&scheduler}, 2);
    CHECK(scheduler.stats().running == 1);
    change(false, "https://other.test/");
    db.check(scheduler);
  }
  CHECK(db.world.cancelled == 2);
  CHECK(scheduler.stats().monitors == 0);
  CHECK(db.rows("check_raw") == 1);
}

TEST_CASE("everybody who keeps state of a monitor learns that the holder drops it") {
  watching db;
  auto const paused = db.make_monitor().id, renamed = db.make_monitor().id, stays = db.make_monitor().id;
  std::set<uuid> dropped;
  auto parts = db.parts();
  parts.on_drop = [&](uuid const& monitor) { dropped.insert(monitor); };
  scheduler::check_scheduler scheduler(parts);
  db.pass(scheduler);
  edit_monitor(db, paused, [](monitor_settings& set) { set.enabled = false; });
  edit_monitor(db, renamed, [](monitor_settings& set) { set.name = "another"; });
  db.wait(scheduler.take_news());
  CHECK(dropped == std::set<uuid>{paused});
  // Another scheduler gets its shards.
  db.as_owner(
      "UPDATE check_shards SET lease_until = now() - interval '1 s';"
      "UPDATE check_holders SET seen_at = now() - interval '1 min'");
  scheduler::check_scheduler second(db.parts());
  db.wait(second.hold_shards());
  db.wait(scheduler.hold_shards());
  CHECK(scheduler.stats().monitors == 0);
  CHECK(dropped == std::set<uuid>{paused, renamed, stays});
}

TEST_CASE("a slot that a second holder checks too, because it believes to hold the shard, counts once") {
  watching db;
  std::vector<uuid> ids;
  for (int i = 0; i < 30; ++i) ids.push_back(db.make_monitor().id);
  scheduler::check_scheduler first(db.parts()), second(db.parts());
  db.pass(first);
  CHECK(db.rows("check_raw") == 30);
  // The first scheduler stood still for longer than its lease.
  db.as_owner(
      "UPDATE check_shards SET lease_until = now() - interval '1 s';"
      "UPDATE check_holders SET seen_at = now() - interval '1 min'");
  db.wait(second.hold_shards());
  for (int i = 1; i <= 6; ++i) {
    for (auto const& id : ids) db.world.are[id] = i % 3 == 0 ? status::down : status::up;
    db.pass_minute({&first, &second}, i);
    // Each scheduler is first in turn.
    db.wait((i % 2 == 0 ? first : second).flush());
    db.wait((i % 2 == 0 ? second : first).flush());
  }
  CHECK(db.world.asked[ids[0]] == 13);
  CHECK(first.stats().counted + second.stats().counted == static_cast<std::uint64_t>(db.rows("check_raw")));
  CHECK(db.rows("check_raw") == 30 * 7);
  CHECK(first.stats().refused + second.stats().refused >= 30 * 5);
  CHECK(db.rows("outages") == 60);
  CHECK(db.words("SELECT type || ' ' || count(*) FROM alerts GROUP BY type ORDER BY type") ==
        "monitor_failure 60 monitor_recovery 30");
  // The first scheduler notices it, and stops.
  db.wait(first.hold_shards());
  CHECK(first.stats().monitors == 0);
}

TEST_CASE("a flush of which nobody knows whether it was committed is tried again, and counts once") {
  watching db;
  std::vector<uuid> ids;
  for (int i = 0; i < 12; ++i) ids.push_back(db.make_monitor().id);
  scheduler::check_scheduler scheduler(db.parts());
  db.pass(scheduler);
  int slot = 0;
  for (auto const* point : {"checks.counted", "checks.decided", "checks.locked"}) {
    CAPTURE(point);
    ++slot;
    // Half of the monitors change their verdict.
    for (std::size_t i = 0; i < ids.size(); i += 2) db.world.are[ids[i]] = slot % 2 == 1 ? status::down : status::up;
    db.pass_minute({&scheduler}, slot);
    REQUIRE(failpoint::configure(std::string(point) + "=throw*1"));
    CHECK_THROWS_AS(db.wait(scheduler.flush()), unavailable);
    CHECK(scheduler.stats().waiting == 12);
    db.wait(scheduler.flush());
    CHECK(scheduler.stats().waiting == 0);
    CHECK(db.rows("check_raw") == 12 * (slot + 1));
  }
  CHECK(db.words("SELECT type || ' ' || count(*) FROM alerts GROUP BY type ORDER BY type") ==
        "monitor_failure 12 monitor_recovery 6");
}

TEST_CASE("a result that the database refuses is dropped, and costs no other") {
  watching db;
  std::vector<uuid> ids;
  for (int i = 0; i < 8; ++i) ids.push_back(db.make_monitor().id);
  scheduler::check_scheduler scheduler(db.parts());
  db.pass(scheduler);
  for (auto const& id : ids) db.world.are[id] = status::down;
  db.pass_minute({&scheduler}, 1);
  db.wait(scheduler.flush());
  CHECK(db.rows("check_raw") == 16);
  // The statement that decides nothing refuses the result, together with seven others; then it is stored separately.
  db.world.say[ids[3]] = "\xff";
  db.pass_minute({&scheduler}, 2);
  db.wait(scheduler.flush());
  CHECK(scheduler.stats().dropped == 1);
  CHECK(scheduler.stats().waiting == 0);
  CHECK(db.rows("check_raw") == 23);
  // The same while all of them change their verdict.
  for (auto const& id : ids) db.world.are[id] = status::up;
  db.world.are[ids[3]] = status::down;
  db.pass_minute({&scheduler}, 3);
  db.wait(scheduler.flush());
  CHECK(scheduler.stats().dropped == 2);
  CHECK(db.rows("check_raw") == 30);
  db.world.say.clear();
  db.pass_minute({&scheduler}, 4);
  db.wait(scheduler.flush());
  CHECK(db.rows("check_raw") == 38);
  CHECK(db.get(ids[3]).verdict == "down");
  CHECK(scheduler.stats().dropped == 2);
}

TEST_CASE("a scheduler that has just started, or whose results wait, does not take silence for an error") {
  watching db;
  auto const id = db.make_monitor().id;
  auto parts = db.parts();
  scheduler::check_scheduler fresh(parts);
  parts.settling = std::chrono::seconds(0);
  scheduler::check_scheduler settled(parts);
  db.pass(fresh);
  db.as_owner(
      "UPDATE check_states SET evidence_at = now() - interval '1 hour', seen_at = now() - interval '1 hour';"
      "UPDATE monitor_status SET since = now() - interval '2 hours', look_at = now();"
      "UPDATE check_shards SET lease_until = now() - interval '1 s'; DELETE FROM check_holders");
  db.wait(fresh.look());
  CHECK(db.get(id).verdict == "up");
  // The other scheduler does not hold any of its shards yet.
  db.wait(settled.look());
  CHECK(db.get(id).verdict == "up");
  db.wait(settled.hold_shards());
  db.pass_minute({&settled}, 1);
  CHECK(settled.stats().waiting == 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  db.wait(settled.look());
  CHECK(db.get(id).verdict == "up");
  db.wait(settled.flush());
  db.as_owner(
      "UPDATE check_states SET evidence_at = now() - interval '1 hour', seen_at = now() - interval '1 hour';"
      "UPDATE monitor_status SET since = now() - interval '2 hours', look_at = now()");
  db.wait(settled.look());
  CHECK(db.get(id).verdict == "error");
}

TEST_CASE("PostgreSQL killed: checks continue, and their results count in order when it is back") {
  watching db;
  std::vector<uuid> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(db.make_monitor().id);
  db.as_owner("CHECKPOINT");
  scheduler::check_scheduler scheduler(db.parts());
  db.pass(scheduler);
  db.pass_minute({&scheduler}, 1);
  db.wait(scheduler.flush());
  // The last counted results may be lost with the server, because nobody waited for the disk.
  db.of_all().kill();
  for (int minute = 2; minute <= 4; ++minute) {
    for (auto const& id : ids) db.world.are[id] = minute == 3 ? status::down : status::up;
    db.pass_minute({&scheduler}, minute);
  }
  CHECK_THROWS_AS(db.wait(scheduler.flush()), unavailable);
  CHECK(scheduler.stats().waiting == 30);
  db.of_all().start();
  CHECK(comes_true(
      [&] {
        try {
          db.wait(scheduler.flush());
          return scheduler.stats().waiting == 0;
        } catch (unavailable const&) {
          return false;
        }
      },
      std::chrono::seconds(20)));
  CHECK(scheduler.stats().refused == 0);
  auto const counted = db.rows("check_raw");
  CHECK(counted >= 30);
  CHECK(counted <= 50);
  CHECK(db.words("SELECT type || ' ' || count(*) FROM alerts GROUP BY type ORDER BY type") ==
        "monitor_failure 10 monitor_recovery 10");
  for (auto const& id : ids) CHECK(db.get(id).verdict == "up");
}

TEST_CASE("shards are passed to a new holder after the results are stored, and all of them when one stops") {
  watching db;
  for (int i = 0; i < 40; ++i) db.make_monitor();
  scheduler::check_scheduler first(db.parts()), second(db.parts());
  db.pass(first);
  CHECK(first.stats().shards == 64);
  db.wait(second.hold_shards());
  CHECK(second.stats().shards == 0);
  db.wait(first.hold_shards());
  db.wait(second.hold_shards());
  CHECK(first.stats().shards == 32);
  CHECK(second.stats().shards == 32);
  CHECK(first.stats().monitors + second.stats().monitors == 40);
  db.world.hang = true;
  db.pass_minute({&first}, 1);
  auto const of_first = first.stats().monitors;
  CHECK(first.stats().running == of_first);
  CHECK(db.wait(first.stop(db.soon())).all_ended);
  // The checks that it gave up do not use it any more.
  CHECK(db.world.cancelled == static_cast<int>(of_first));
  CHECK(first.stats().running == 0);
  db.wait(second.hold_shards());
  CHECK(second.stats().monitors == 40);
}

TEST_CASE("by itself a holder checks a new monitor within two seconds") {
  watching db;
  scheduler::check_scheduler scheduler(db.parts());
  scheduler.start();
  std::thread worker([&] {
    auto const guard = asio::make_work_guard(db.io);
    db.io.restart();
    db.io.run();
  });
  asio::io_context mine{1};
  postgres::pool pool(mine, {.url = secret_string(db.url())});
  pool.start();
  store::monitor_store monitors(pool, db.master);
  auto const count = [&] {
    postgres::query ask{{"raw_count", "SELECT count(*) FROM check_raw"}};
    return run_task(mine, pool.run(std::move(ask), db.soon())).value().front().integer(0);
  };
  auto const held = [&] {
    postgres::query ask{{"held_count", "SELECT count(*) FROM check_shards WHERE holder IS NOT NULL"}};
    return run_task(mine, pool.run(std::move(ask), db.soon())).value().front().integer(0);
  };
  CHECK(comes_true([&] { return held() == 64; }, std::chrono::seconds(20)));
  auto set = db.wanted_without_provider();
  auto const begun = steady::now();
  CHECK(run_task(mine, monitors.create(db.as_ed(), db.ed, set, db.soon())).has_value());
  // The first slot may follow immediately.
  CHECK(comes_true([&] { return count() >= 1; }, std::chrono::seconds(10)));
  MESSAGE("checked and counted after ms: ",
          std::chrono::duration_cast<std::chrono::milliseconds>(steady::now() - begun).count());
  db.io.stop();
  worker.join();
  db.io.restart();
  CHECK(db.wait(scheduler.stop(db.soon())).released);
  CHECK(held() == 0);
}

TEST_CASE("a check that cannot be given up keeps its holder no longer than it may take") {
  watching db;
  db.make_monitor();
  auto parts = db.parts();
  parts.run_check = [](scheduler::check_order) -> task<scheduler::check_end> {
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    steady_timer never(co_await asio::this_coro::executor, std::chrono::hours(1));
    co_await never.async_wait(awaiting);
    co_return scheduler::check_report{};
  };
  scheduler::check_scheduler scheduler(parts);
  db.pass(scheduler);
  CHECK(scheduler.stats().running == 1);
  auto const begun = steady::now();
  auto const ended = db.wait(scheduler.stop(deadline::after(std::chrono::milliseconds(700))));
  CHECK(steady::now() - begun < std::chrono::seconds(2));
  CHECK(ended.brought_in);
  CHECK(ended.released);
  CHECK_FALSE(ended.all_ended);
}

TEST_CASE("a slot that the check runner skips is missed, and reports nothing") {
  watching db;
  auto const id = db.make_monitor().id;
  auto parts = db.parts();
  parts.run_check = [](scheduler::check_order) -> task<scheduler::check_end> {
    co_return scheduler::skip_reason::target_busy;
  };
  scheduler::check_scheduler scheduler(parts);
  db.pass(scheduler);
  CHECK(scheduler.stats().missed[static_cast<std::size_t>(scheduler::skip_reason::target_busy)] == 1);
  CHECK(scheduler.stats().running == 0);
  CHECK(db.rows("check_raw") == 0);
  CHECK(db.get(id).verdict == "pending");
}

TEST_CASE("a requested check that the check runner skips is started again at the next look") {
  watching db;
  auto const id = db.make_monitor().id;
  int asked = 0;
  auto parts = db.parts();
  parts.run_check = [&asked](scheduler::check_order) -> task<scheduler::check_end> {
    ++asked;
    co_return scheduler::skip_reason::target_busy;
  };
  scheduler::check_scheduler scheduler(parts);
  db.pass(scheduler);
  REQUIRE(asked == 1);
  db.as_owner(
      "INSERT INTO check_requests (id, monitor_id, location_id, shard, kind) SELECT gen_random_uuid(), id,"
      " '00000000-0000-0000-0000-000000000000', shard, 'manual' FROM monitors");
  for (int looks = 1; looks <= 2; ++looks) {
    db.wait(scheduler.begin_requested());
    db.settle();
    CHECK(asked == 1 + looks);
  }
  CHECK(db.get(id).verdict == "pending");
}
