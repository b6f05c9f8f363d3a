#include "svc/store/output_store.hpp"

#include "trigger_fixture.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("output of ended runs: due with the end, taken by one, kept once, gone with its run") {
  counter db;
  store::output_store outputs(db.pool);
  auto const find = [&](uuid run) { return db.wait(outputs.find(run, db.soon())); };
  auto const take = [&] { return db.wait(outputs.take_due(10, db.soon())); };
  auto const run = db.make_run(db.of).run;
  CHECK_FALSE(find(run).due);
  CHECK_FALSE(find(run).stored);
  CHECK(take().empty());

  db.set_run(run, "status = 'passed', attempt = 2, completed_at = clock_timestamp()");
  db.must(store::output_due(run));
  db.must(store::output_due(run));
  CHECK(find(run).due);
  CHECK(take().empty());
  db.as_owner("UPDATE run_output SET ended_at = ended_at - interval '1 second'");
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
  counter db;
  store::output_store outputs(db.pool);
  std::vector<store::stored_output> all;
  for (std::size_t const size : {0UL, 3UL, 4096UL, 4097UL, 100'000UL}) {
    auto const run = db.make_run(db.of).run;
    db.set_run(run, "status = 'passed', completed_at = clock_timestamp()");
    db.must(store::output_due(run));
    byte_vector content(size);
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<unsigned char>(i * 7 + size);
    all.push_back({run, std::move(content), static_cast<std::int64_t>(size * 2), static_cast<std::int64_t>(size + 1),
                   size % 2 == 1});
  }
  db.wait(outputs.keep(all, db.soon()));
  for (auto const& one : all) {
    CAPTURE(one.size);
    auto const kept = db.wait(outputs.find(one.run, db.soon()));
    REQUIRE(kept.stored);
    CHECK(kept.stored->content == one.content);
    CHECK(kept.stored->size == one.size);
    CHECK(kept.stored->lines == one.lines);
    CHECK(kept.stored->incomplete == one.incomplete);
  }
}
