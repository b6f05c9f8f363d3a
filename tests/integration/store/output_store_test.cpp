#include "svc/store/runs/output_store.hpp"

#include "trigger_fixture.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("output of ended runs: due at the end, taken by one mover, kept once, deleted with its run") {
  trigger_database db;
  store::output_store outputs(db.pool);
  auto const find = [&](uuid run) { return db.wait(outputs.find(run, db.soon())); };
  auto const take = [&] { return db.wait(outputs.take_due(10, db.soon())); };
  auto const run = db.make_run(db.id).run;
  CHECK_FALSE(find(run).due);
  CHECK_FALSE(find(run).stored);
  CHECK(take().empty());

  db.set_run(run, "status = 'passed', attempt = 2, completed_at = clock_timestamp()");
  db.must(store::output_due(run));
  db.must(store::output_due(run));
  CHECK(find(run).due);
  db.as_owner("UPDATE run_output SET ended_at = ended_at + interval '10 seconds'");
  CHECK(take().empty());
  db.as_owner("UPDATE run_output SET ended_at = ended_at - interval '11 seconds'");
  auto const taken = take();
  REQUIRE(taken.size() == 1);
  CHECK(taken[0].run == run);
  CHECK(taken[0].attempt == 2);
  CHECK(taken[0].status == "passed");
  CHECK(taken[0].age.count() >= 0);
  CHECK(take().empty());

  db.wait(outputs.keep({{run, byte_vector{1, 0, 255}, 10, 2, true}}, db.soon()));
  db.wait(outputs.keep({{run, byte_vector{7}, 1, 1, false}}, db.soon()));
  auto const kept = find(run);
  CHECK_FALSE(kept.due);
  REQUIRE(kept.stored);
  CHECK(kept.stored->content == byte_vector{1, 0, 255});
  CHECK(kept.stored->size == 10);
  CHECK(kept.stored->lines == 2);
  CHECK(kept.stored->incomplete);
  db.as_owner("UPDATE run_output SET moving_until = '-infinity'");
  CHECK(take().empty());

  db.as_owner("DELETE FROM runs WHERE id = '" + run.to_string() + "'");
  CHECK_FALSE(find(run).stored);
}

TEST_CASE("outputs that are kept together stay apart, small and large") {
  trigger_database db;
  store::output_store outputs(db.pool);
  std::vector<store::stored_output> all;
  for (std::size_t const size : {0UL, 3UL, 4096UL, 4097UL, 100'000UL}) {
    auto const run = db.make_run(db.id).run;
    db.set_run(run, "status = 'passed', completed_at = clock_timestamp()");
    db.must(store::output_due(run));
    byte_vector content(size);
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<unsigned char>(i * 7 + size);
    all.push_back({run, std::move(content), static_cast<std::int64_t>(size * 2), static_cast<std::int64_t>(size + 1),
                   size % 2 == 1});
  }
  db.wait(outputs.keep(all, db.soon()));
  for (auto const& output : all) {
    CAPTURE(output.size);
    auto const kept = db.wait(outputs.find(output.run, db.soon()));
    REQUIRE(kept.stored);
    CHECK(kept.stored->content == output.content);
    CHECK(kept.stored->size == output.size);
    CHECK(kept.stored->lines == output.lines);
    CHECK(kept.stored->incomplete == output.incomplete);
  }
}

TEST_CASE(
    "stored output beyond a project's quota: the oldest is dropped first, the row says so, deletion gives back") {
  trigger_database db;
  store::output_store outputs(db.pool);
  std::vector<uuid> runs;
  auto const keep = [&](std::size_t size) {
    auto const run = db.make_run(db.id).run;
    db.set_run(run, "status = 'passed', completed_at = clock_timestamp()");
    db.must(store::output_due(run));
    db.wait(outputs.keep({{run, byte_vector(size, 7), 10, 1, false}}, db.soon()));
    runs.push_back(run);
  };
  auto const used = [&] { return db.wait(outputs.stored_bytes(db.project, db.soon())); };
  auto const settle = [&](std::int64_t quota) { return db.wait(outputs.settle(quota, db.soon())); };
  auto const find = [&](uuid run) { return db.wait(outputs.find(run, db.soon())); };
  CHECK(used() == 0);
  for (int i = 0; i < 5; ++i) keep(1000);
  keep(10'000);
  CHECK(settle(0).empty());
  CHECK(used() == 15'000);
  CHECK(settle(15'000).empty());

  auto const dropped = settle(12'500);
  REQUIRE(dropped.size() == 1);
  CHECK(dropped[0].project == db.project);
  CHECK(dropped[0].runs == 3);
  CHECK(dropped[0].bytes == 3000);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    CAPTURE(i);
    CHECK(find(runs[i]).dropped == (i < 3));
    CHECK(find(runs[i]).stored.has_value() == (i >= 3));
    CHECK_FALSE(find(runs[i]).due);
  }
  CHECK(settle(12'500).empty());
  CHECK(used() == 12'000);
  // Kept once: dropped output does not come back.
  db.wait(outputs.keep({{runs[0], byte_vector(10, 7), 10, 1, false}}, db.soon()));
  CHECK(find(runs[0]).dropped);

  db.as_owner("DELETE FROM runs WHERE id IN ('" + runs[0].to_string() + "', '" + runs[5].to_string() + "')");
  CHECK(settle(0).empty());
  CHECK(used() == 2000);
  // A single output may exceed the quota.
  keep(5000);
  CHECK(settle(4000)[0].runs == 3);
  settle(4000);
  CHECK(used() == 0);
  CHECK(db.number({{"test_left", "SELECT count(*) FROM output_changes"}, postgres::parameters()}) == 0);
}

TEST_CASE("many deletions and movers at once count correctly, and wait for nobody") {
  trigger_database db;
  store::output_store outputs(db.pool);
  std::vector<uuid> runs;
  for (int i = 0; i < 40; ++i) {
    auto const run = db.make_run(db.id).run;
    db.set_run(run, "status = 'passed', completed_at = clock_timestamp()");
    db.must(store::output_due(run));
    runs.push_back(run);
  }
  struct {
    int left = 60;
  } over;
  auto keep = [](store::output_store& store, uuid run, decltype(over)& end) -> task<> {
    co_await store.keep({{run, byte_vector(100, 1), 1, 1, false}}, trigger_database::soon());
    --end.left;
  };
  auto settle = [](store::output_store& output_store, decltype(over)& end) -> task<> {
    co_await output_store.settle(0, trigger_database::soon());
    --end.left;
  };
  for (int i = 0; i < 40; ++i) {
    asio::co_spawn(db.io, keep(outputs, runs[static_cast<std::size_t>(i)], over), asio::detached);
    if (i % 2 == 0) asio::co_spawn(db.io, settle(outputs, over), asio::detached);
  }
  db.io.restart();
  while (over.left > 0 && db.io.run_one() > 0) {
  }
  db.as_owner("DELETE FROM runs WHERE id IN (SELECT run_id FROM run_output ORDER BY run_id LIMIT 10)");
  db.wait(outputs.settle(0, db.soon()));
  CHECK(db.wait(outputs.stored_bytes(db.project, db.soon())) == 3000);
}
