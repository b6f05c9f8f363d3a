#include "svc/store/runs/run_store.hpp"
#include "trigger_fixture.hpp"

#include <functional>

using namespace svc;
using namespace svc::test;

TEST_CASE("a repetition is answered with the first one's run as it is now, whatever happened to the job") {
  trigger_database db;
  auto const first = db.ask(db.keyed("k"));
  REQUIRE(first.has_value());
  CHECK(first->origin == store::run_origin::made);
  db.set_run(first->run, "status = 'passed', completed_at = clock_timestamp()");
  db.as_owner("UPDATE jobs SET enabled = false, name = 'other'");
  auto const again = db.ask(db.keyed("k"));
  REQUIRE(again.has_value());
  CHECK(again->origin == store::run_origin::replayed);
  CHECK(again->run == first->run);
  CHECK(again->status == "passed");
  CHECK(again->job_name == "nightly");
  CHECK(again->queued_at == first->queued_at);
  CHECK(db.run_count() == 1);
  CHECK(db.audit_rows("job.triggered") == 1);
}

TEST_CASE("the rows that a key refers to: its job, its request, a committed run") {
  trigger_database db;
  uuid const second = db.make_job("second", {db.make_test("u").id}).id;
  uuid const empty = db.make_job("empty").id;
  auto const made = db.ask(db.keyed("k"));
  REQUIRE(made.has_value());
  CHECK(failure(db.ask(db.keyed("k", std::string(64, 'b')))) == errc::idempotency_mismatch);
  auto elsewhere = db.keyed("k");
  elsewhere.job = second;
  CHECK(db.ask(elsewhere)->origin == store::run_origin::made);
  CHECK(db.ask(db.keyed("K"))->origin == store::run_origin::made);
  // A refusal is not stored: the same key may be used when the reason is gone.
  elsewhere.job = empty;
  CHECK(failure(db.ask(elsewhere)) == errc::job_has_no_tests);
  CHECK(db.number({{"keys_test", "SELECT count(*) FROM idempotency_keys WHERE job_id = $1"},
                   postgres::parameters(empty)}) == 0);
  CHECK(db.run_count() == 3);
}

TEST_CASE("a key counts for 24 hours; then it can be used again, or is swept") {
  trigger_database db;
  auto const first = db.ask(db.keyed("k"));
  db.as_owner("UPDATE idempotency_keys SET created_at = clock_timestamp() - interval '23 hours 59 minutes'");
  CHECK(db.ask(db.keyed("k"))->run == first->run);
  CHECK_FALSE(db.wait(db.runs.sweep_keys(db.soon())));
  CHECK(db.ask(db.keyed("k"))->run == first->run);
  db.as_owner("UPDATE idempotency_keys SET created_at = clock_timestamp() - interval '24 hours 1 second'");
  auto const later = db.ask(db.keyed("k", std::string(64, 'b')));
  REQUIRE(later.has_value());
  CHECK(later->origin == store::run_origin::made);
  CHECK(db.ask(db.keyed("k", std::string(64, 'b')))->run == later->run);
  db.as_owner(
      "UPDATE idempotency_keys SET created_at = clock_timestamp() - interval '25 hours',"
      " run_id = id_at(clock_timestamp() - interval '25 hours', run_id)");
  CHECK_FALSE(db.wait(db.runs.sweep_keys(db.soon())));
  CHECK(db.number({{"all_keys_test", "SELECT count(*) FROM idempotency_keys"}}) == 0);
}

TEST_CASE("a key counts for 24 hours, however its run was deleted") {
  trigger_database db;
  store::retention_store retention(db.pool);
  struct {
    char const* mode;
    std::function<void(uuid)> remove;
  } const cases[] = {
      {"DELETE", [&](uuid run) { CHECK(db.wait(db.runs.remove(db.as_ed(), run, db.soon())).has_value()); }},
      {"retention by age", [&](uuid) { CHECK(db.wait(retention.delete_older({}, 500, db.soon())) == 1); }},
      {"retention by count",
       [&](uuid) {
         uuid const newest = db.make_run(db.id).run;
         auto const found =
             db.wait(retention.find_surplus(store::retention_store::run_owner::job, {}, 1, 500, db.soon()));
         REQUIRE(found.owners.size() == 1);
         CHECK(db.wait(retention.delete_excess(found.owners[0], 500, db.soon())) == 1);
         db.as_owner("DELETE FROM runs WHERE id = '" + newest.to_string() + "'");
       }},
      {"by hand", [&](uuid run) { db.as_owner("DELETE FROM runs WHERE id = '" + run.to_string() + "'"); }},
  };
  for (auto const& c : cases) {
    CAPTURE(c.mode);
    std::string const key = c.mode;
    auto const first = db.ask(db.keyed(key));
    REQUIRE(first.has_value());
    db.set_run(first->run, "status = 'failed', completed_at = now()");
    c.remove(first->run);
    CHECK(db.run_count() == 0);
    auto const again = db.ask(db.keyed(key));
    REQUIRE(again.has_value());
    CHECK(again->origin == store::run_origin::replayed);
    CHECK(again->deleted);
    CHECK(again->run == first->run);
    CHECK(again->status == "failed");
    CHECK(again->job_name == "nightly");
    CHECK(again->job_type == "command");
    CHECK(again->triggered_by == "ci");
    CHECK(again->test_count == 1);
    CHECK(again->queued_at == first->queued_at);
    CHECK(failure(db.ask(db.keyed(key, std::string(64, 'b')))) == errc::idempotency_mismatch);
    CHECK(db.run_count() == 0);
    db.as_owner("UPDATE orphaned_idempotency_keys SET created_at = clock_timestamp() - interval '24 hours 1 second'");
    auto const later = db.ask(db.keyed(key, std::string(64, 'b')));
    REQUIRE(later.has_value());
    CHECK(later->origin == store::run_origin::made);
    CHECK_FALSE(db.wait(db.runs.sweep_keys(db.soon())));
    CHECK(db.number({{"orphans_test", "SELECT count(*) FROM orphaned_idempotency_keys"}}) == 0);
    db.as_owner("DELETE FROM runs; DELETE FROM orphaned_idempotency_keys");
  }
}

TEST_CASE("a key of a deleted run and of a newer one refers to the newer one, before and after its end") {
  trigger_database db;
  auto const remove = [&](uuid run) {
    db.set_run(run, "status = 'passed', completed_at = now()");
    CHECK(db.wait(db.runs.remove(db.as_ed(), run, db.soon())).has_value());
  };
  auto const first = db.ask(db.keyed("k"));
  remove(first->run);
  // An instance that does not know the keys of deleted runs has created another one.
  auto const second = db.make_run(db.id);
  db.as_owner("INSERT INTO idempotency_keys (job_id, key, request_hash, run_id) VALUES ('" + db.id.to_string() +
              "', 'k', repeat('a', 64), '" + second.run.to_string() + "')");
  for (bool const deleted : {false, true}) {
    CAPTURE(deleted);
    if (deleted) remove(second.run);
    auto const again = db.ask(db.keyed("k"));
    REQUIRE(again.has_value());
    CHECK(again->run == second.run);
    CHECK(again->deleted == deleted);
  }
}

TEST_CASE("a keyed trigger is one round trip, a replay too") {
  trigger_database db;
  db.ask(db.keyed("warm"));
  auto const before = db.pool.stats();
  db.ask(db.keyed("k"));
  CHECK(db.pool.stats().transactions - before.transactions == 1);
  db.ask(db.keyed("k"));
  CHECK(db.pool.stats().transactions - before.transactions == 2);
}

TEST_CASE("16 at once under one key make one run") {
  trigger_database db;
  std::vector<std::pair<store::editor, store::trigger_request>> all;
  // Eight for each of the two workers: more are refused.
  for (int i = 0; i < 16; ++i) all.emplace_back(db.as_ed(), db.keyed("k"));
  auto const done = db.ask_all(std::move(all));
  CHECK(std::ranges::all_of(done, [](auto const& run) { return run.has_value(); }));
  CHECK(runs_of(done).size() == 1);
  CHECK(std::ranges::count_if(done, [](auto const& run) { return run->origin == store::run_origin::made; }) == 1);
  CHECK(db.run_count() == 1);
}

TEST_CASE("a key that another transaction holds is waited for until the deadline") {
  trigger_database db;
  db.ask(db.keyed("warm"));  // the first trigger of a connection takes longer
  std::string const lock = "SELECT pg_advisory_xact_lock(hashtextextended('trigger " + db.id.to_string() +
                           " k', (SELECT seed FROM lock_seed)))";
  auto hold = [](trigger_database& counter, std::string subject, bool until_late) -> task<verdict> {
    auto work = co_await counter.pool.begin(counter.soon());
    auto const held = co_await work.run(postgres::query{{"hold_key_test", subject}});
    static_cast<void>(held.value());
    auto const deadline_of = until_late ? deadline::after(milliseconds(1000)) : counter.soon();
    if (until_late) co_return co_await counter.triggers.trigger(counter.as_ed(), counter.keyed("k"), deadline_of);
    verdict made = errc::internal_error;
    std::size_t left = 1;
    asio::co_spawn(counter.io,
                   trigger_database::one(counter.triggers, {counter.as_ed(), counter.keyed("k")}, made, left),
                   asio::detached);
    // The holder ends after at least one refused attempt.
    auto const tried = counter.pool.stats().transactions;
    co_await wait_until(counter.io, [&] { return counter.pool.stats().transactions >= tried + 2; });
    auto const ended = co_await work.commit();
    static_cast<void>(ended.value());
    co_await wait_until(counter.io, [&] { return left == 0; });
    co_return made;
  };
  CHECK(failure(db.wait(hold(db, lock, true))) == errc::idempotency_in_progress);
  CHECK(db.run_count() == 1);
  CHECK(db.wait(hold(db, lock, false)).has_value());
  CHECK(db.run_count() == 2);
}

TEST_CASE(
    "the lock of a key cannot be computed without the database's seed, and a tenant's key holds up nobody else") {
  trigger_database db;
  db.ask(db.keyed("warm"));
  std::string const names[] = {"trigger " + db.id.to_string() + " k", "dedup " + db.id.to_string() + " k"};
  // A tenant who knows the hash and could choose the seed 0 would hold these.
  auto const while_held = [&names](trigger_database& counter, bool dedup) -> task<verdict> {
    auto work = co_await counter.pool.begin(counter.soon());
    std::vector<postgres::query> all;
    for (auto const& name : names)
      all.push_back({{"hold_unseeded_test", "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"},
                     postgres::parameters(std::string_view(name))});
    auto const held = co_await work.run(std::move(all));
    static_cast<void>(held.value());
    auto out = co_await counter.triggers.trigger(counter.as_ed(), dedup ? counter.joining("k") : counter.keyed("k"),
                                                 deadline::after(milliseconds(2000)));
    static_cast<void>(co_await work.commit());
    co_return out;
  };
  CHECK(db.wait(while_held(db, false)).has_value());
  CHECK(db.wait(while_held(db, true)).has_value());
  CHECK(db.number({{"seed", "SELECT seed FROM lock_seed"}}) != 0);
  // Instances of the version before know no seed; until they are gone all use 0.
  db.as_owner("UPDATE lock_seed SET since = clock_timestamp() + interval '1 hour'");
  CHECK(failure(db.wait(while_held(db, false))) == errc::idempotency_in_progress);
  db.as_owner("UPDATE lock_seed SET since = '-infinity'");
}

TEST_CASE("beyond eight triggers that wait with one key, further ones are refused at once, and others pass") {
  trigger_database db;
  db.ask(db.keyed("warm"));
  constexpr std::size_t asked = 30, most = 8;
  std::vector<verdict> all(asked, errc::internal_error);
  verdict other = errc::internal_error;
  std::size_t left = asked, other_left = 1;
  auto const refused = [&] {
    return static_cast<std::size_t>(
        std::ranges::count_if(all, [](auto const& run) { return failure(run) == errc::idempotency_in_progress; }));
  };
  auto const while_held = [&](trigger_database& counter) -> task<bool> {
    auto work = co_await counter.pool.begin(counter.soon());
    auto const held = co_await work.run(
        postgres::query{{"hold_key_test", "SELECT pg_advisory_xact_lock(hashtextextended('trigger " +
                                              counter.id.to_string() + " k', (SELECT seed FROM lock_seed)))"}});
    static_cast<void>(held.value());
    for (auto& run : all)
      asio::co_spawn(counter.io,
                     trigger_database::one(counter.triggers, {counter.as_ed(), counter.keyed("k")}, run, left),
                     asio::detached);
    co_await wait_until(counter.io, [&] { return left <= most; });
    // The first eight still wait, and neither they nor the refused ones keep another key waiting.
    bool const eight_wait = left == most && refused() == asked - most;
    asio::co_spawn(
        counter.io,
        trigger_database::one(counter.triggers, {counter.as_ed(), counter.keyed("other")}, other, other_left),
        asio::detached);
    co_await wait_until(counter.io, [&] { return other_left == 0; });
    bool const still = left == most;
    auto const ended = co_await work.commit();
    static_cast<void>(ended.value());
    co_await wait_until(counter.io, [&] { return left == 0; });
    co_return eight_wait&& still;
  };
  CHECK(db.wait(while_held(db)));
  CHECK(other.has_value());
  CHECK(refused() == asked - most);
  CHECK(std::ranges::count_if(all, [](auto const& run) { return run.has_value(); }) == most);
  CHECK(runs_of(all).size() == 1);
  CHECK(db.ask(db.keyed("k"))->origin == store::run_origin::replayed);
}

TEST_CASE("a dedup key joins a queued run with the same parameters, and no other") {
  trigger_database db;
  auto const first = db.ask(db.joining("d"));
  REQUIRE(first.has_value());
  CHECK(first->origin == store::run_origin::made);
  auto const joined = db.ask(db.joining("d"));
  CHECK(joined->origin == store::run_origin::joined);
  CHECK(joined->run == first->run);
  CHECK(db.ask(db.joining("e"))->origin == store::run_origin::made);
  CHECK(db.ask(db.joining("d", R"({"BRANCH":"x"})"))->origin == store::run_origin::made);
  CHECK(db.ask({.job = db.id, .triggered_by = "ci"})->origin == store::run_origin::made);
  CHECK(db.run_count() == 4);
  CHECK(db.audit_rows("job.triggered") == 4);
  // A joined answer is not the key's own run: that is created when the key is used again after the end of the other
  // run.
  auto both = db.joining("d");
  both.idempotency_key = "k";
  both.request_hash = std::string(64, 'a');
  CHECK(db.ask(both)->origin == store::run_origin::joined);
  db.set_run(first->run, "status = 'running', claim_id = gen_random_uuid(), lease_until = clock_timestamp()");
  CHECK(db.ask(both)->origin == store::run_origin::made);
  CHECK(db.ask(both)->origin == store::run_origin::replayed);
}

TEST_CASE("50 at once under one dedup key make one run") {
  trigger_database db;
  std::vector<std::pair<store::editor, store::trigger_request>> all;
  for (int i = 0; i < 50; ++i) all.emplace_back(db.as_ed(), db.joining("d"));
  auto const done = db.ask_all(std::move(all));
  CHECK(std::ranges::all_of(done, [](auto const& run) { return run.has_value(); }));
  CHECK(runs_of(done).size() == 1);
  CHECK(db.run_count() == 1);
}
