#include "trigger_fixture.hpp"

#include "svc/core/failpoint.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("triggers that arrive together share commits, and each has its own verdict") {
  trigger_database db;
  uuid const empty = db.make_job("empty").id;
  auto const key = db.make(db.cli(db.ed, "laptop"));
  auto const dead = db.make(db.cli(db.ed, "dead"));
  auto const roles = roles_with(permission::job_trigger);
  auto const epoch = db.epoch(db.ed);
  auto as = [&](uuid token, std::int64_t seen, std::vector<std::string> texts) {
    auto editor = db.as_ed();
    editor.actor.permit = write_permit{token, db.ed, seen, std::move(texts)};
    return editor;
  };
  REQUIRE(db.wait(db.tokens.revoke({db.project, {}}, dead.id, {.actor = {.user = db.ed}, .as = role::project_editor},
                                   db.soon()))
              .outcome.has_value());
  auto const now = db.epoch(db.ed);
  REQUIRE(now > epoch);
  store::trigger_request const plain{.job = db.id, .triggered_by = "ci"};
  struct {
    char const* name;
    store::editor editor;
    store::trigger_request request;
    std::optional<errc> expected;
  } const cases[] = {
      {"operator", db.as_ed(), plain, std::nullopt},
      {"admitted as it is", as(key.id, now, roles), plain, std::nullopt},
      {"changed since, still good", as(key.id, epoch, roles), plain, std::nullopt},
      {"revoked since", as(dead.id, epoch, roles), plain, errc::token_revoked},
      {"role lost since", as(key.id, epoch, {"org_owner"}), plain, errc::permission_denied},
      {"unknown job", db.as_ed(), {.job = uuid::generate_v7(), .triggered_by = "ci"}, errc::not_found},
      {"without tests", db.as_ed(), {.job = empty, .triggered_by = "ci"}, errc::job_has_no_tests},
      {"undeclared",
       db.as_ed(),
       {.job = db.id, .parameters = R"({"X":""})", .triggered_by = "ci"},
       errc::validation_failed},
      {"keyed", db.as_ed(), db.keyed("k"), std::nullopt},
      {"keyed and revoked", as(dead.id, epoch, roles), db.keyed("l"), errc::token_revoked},
      {"joining", db.as_ed(), db.joining("d"), std::nullopt},
      {"last", db.as_ed(), plain, std::nullopt},
  };
  std::vector<std::pair<store::editor, store::trigger_request>> all;
  for (int round = 0; round < 2; ++round)
    for (auto const& c : cases) all.emplace_back(c.editor, c.request);
  auto const before = db.pool.stats();
  auto const done = db.ask_all(std::move(all));
  // Two workers: the first of each by itself, then the rest; a second round for the repeated keys. Each of them reads
  // the plans of its jobs, and again for one that does not exist.
  CHECK(db.pool.stats().transactions - before.transactions <= 12);
  for (std::size_t i = 0; i < done.size(); ++i) {
    CAPTURE(cases[i % std::size(cases)].name);
    CHECK(failure(done[i]) == cases[i % std::size(cases)].expected);
  }
  CHECK(db.run_count() == 2 * 4 + 2);
  CHECK(db.number({{"kept_test", "SELECT count(*) FROM idempotency_keys"}}) == 1);
}

TEST_CASE("only the row that the server refuses is refused") {
  trigger_database db;
  // No request can contain these, because bodies are validated: text that jsonb cannot hold, and that is not JSON.
  store::trigger_request const broken{.job = db.id, .parameters = R"({"BRANCH":"\u0000"})", .triggered_by = "ci"},
      torn{.job = db.id, .parameters = "{", .triggered_by = "ci"};
  store::trigger_request const plain{.job = db.id, .triggered_by = "ci"};
  std::size_t left = 5;
  verdict good = errc::internal_error, bad = errc::internal_error, first = errc::internal_error,
          last = errc::internal_error;
  int thrown = 0;
  auto guarded = [](trigger_database& counter, store::trigger_request request, int& failed,
                    std::size_t& rest) -> task<> {
    try {
      static_cast<void>(co_await counter.triggers.trigger(counter.as_ed(), std::move(request), counter.soon()));
    } catch (std::logic_error const&) {
      ++failed;
    }
    --rest;
  };
  asio::co_spawn(db.io, trigger_database::one(db.triggers, {db.as_ed(), plain}, first, left), asio::detached);
  asio::co_spawn(db.io, trigger_database::one(db.triggers, {db.as_ed(), plain}, good, left), asio::detached);
  asio::co_spawn(db.io, guarded(db, broken, thrown, left), asio::detached);
  asio::co_spawn(db.io, guarded(db, torn, thrown, left), asio::detached);
  asio::co_spawn(db.io, trigger_database::one(db.triggers, {db.as_ed(), plain}, last, left), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  CHECK(first.has_value());
  CHECK(good.has_value());
  CHECK(last.has_value());
  CHECK(thrown == 2);
  CHECK(db.run_count() == 3);
}

TEST_CASE("a change of the job is seen by the next trigger, however its plan was kept") {
  trigger_database db;
  uuid const test = db.wait(db.jobs.get(db.project, db.id, db.soon()))->set.tests.at(0);
  auto const edit = [&](auto context) {
    auto const change = [&](svc::job const& now) {
      job_settings set = now.set;
      context(set);
      return result<job_settings>(std::move(set));
    };
    REQUIRE(db.wait(db.jobs.update(db.as_ed(), db.id, change, db.soon())).has_value());
  };
  auto const plain = [&] { return db.ask({.job = db.id, .triggered_by = "ci"}); };
  auto const of_run = [&](uuid run) { return *db.wait(db.runs.get(db.project, run, db.soon())); };
  auto const limited = [&](uuid run) {
    return db.number({{"limited_test", "SELECT count(*) FROM run_queue WHERE run_id = $1 AND limited"},
                      postgres::parameters(run)}) == 1;
  };
  auto first = plain();
  REQUIRE(first.has_value());
  CHECK(of_run(first->run).tests.find("\"t\"") != std::string::npos);
  CHECK_FALSE(limited(first->run));
  edit([](job_settings& s) { s.enabled = false; });
  CHECK(failure(plain()) == errc::job_disabled);
  edit([](job_settings& s) {
    s.enabled = true;
    s.name = "daily";
    s.max_concurrent_runs = 7;
    s.parameters = R"([{"name":"A","required":true}])";
  });
  CHECK(fields(plain()) == "/parameters/A");
  edit([](job_settings& s) { s.parameters = R"([{"name":"A","required":true,"default":"1"}])"; });
  auto const later = plain();
  REQUIRE(later.has_value());
  CHECK(later->job_name == "daily");
  CHECK(of_run(later->run).parameters == R"({"A": "1"})");
  CHECK(limited(later->run));
  auto const rename = [](test_case const& now) {
    test_settings set = now.set;
    set.title = "renamed";
    return result<test_settings>(std::move(set));
  };
  REQUIRE(db.wait(db.tests.update(db.as_ed(), test, rename, {}, db.soon())).has_value());
  CHECK(of_run(plain()->run).tests.find("renamed") != std::string::npos);
  edit([](job_settings& s) { s.tests.clear(); });
  CHECK(failure(plain()) == errc::job_has_no_tests);
  REQUIRE(db.wait(db.jobs.remove(db.as_ed(), db.id, db.soon())).outcome.has_value());
  CHECK(failure(plain()) == errc::not_found);
}

TEST_CASE("a job of another project is not found") {
  trigger_database db;
  REQUIRE(db.ask({.job = db.id, .triggered_by = "ci"}).has_value());
  store::trigger_request const plain{.job = db.id, .triggered_by = "ci"};
  CHECK(failure(db.wait(db.triggers.trigger(db.elsewhere(), plain, db.soon()))) == errc::not_found);
}

TEST_CASE("the ids of runs and of their audit rows start with the time at which they were made") {
  trigger_database db;
  for (auto const& request : {db.joining("d"), store::trigger_request{.job = db.id, .triggered_by = "ci"}})
    REQUIRE(db.ask(request).has_value());
  CHECK(db.number({{"ids_test",
                    "SELECT count(*) FROM runs r JOIN audit_log a ON a.resource_id = r.job_id"
                    " AND a.details ->> 'run' = r.id::text WHERE r.id = id_at(r.queued_at, r.id)"
                    " AND r.created_at = r.queued_at AND a.id = id_at(r.queued_at, a.id)"
                    " AND a.created_at = r.queued_at"}}) == 2);
}

#ifdef SVC_FAILPOINTS
TEST_CASE("runs whose commit was not confirmed are found") {
  trigger_database db;
  std::vector<std::pair<store::editor, store::trigger_request>> all;
  for (int i = 0; i < 5; ++i) all.emplace_back(db.as_ed(), db.keyed(std::to_string(i)));
  REQUIRE(failpoint::configure("trigger.after_commit=throw"));
  auto const done = db.ask_all(std::move(all));
  REQUIRE(failpoint::configure(""));
  CHECK(runs_of(done).size() == 5);
  CHECK(std::ranges::all_of(done, [](auto const& run) { return run && run->job_name == "nightly"; }));
  CHECK(db.run_count() == 5);
}

TEST_CASE("a search for runs that fails because of a bug delays no later batch") {
  trigger_database db;
  auto failed = [](trigger_database& counter, bool& done) -> task<> {
    try {
      static_cast<void>(co_await counter.triggers.trigger(counter.as_ed(), counter.keyed("k"), counter.soon()));
    } catch (unavailable const&) {
      done = true;
    }
  };
  bool refused = false;
  REQUIRE(failpoint::configure("trigger.after_commit=throw*1,trigger.search=bug*1"));
  db.wait(failed(db, refused));
  REQUIRE(failpoint::configure(""));
  CHECK(refused);
  CHECK(db.ask(db.keyed("k"))->origin == store::run_origin::replayed);
  CHECK(db.run_count() == 1);
}
#endif

TEST_CASE("a connection lost before COMMIT creates nothing, and the answer is unavailable") {
  trigger_database db;
  auto lose = [](trigger_database& context) -> task<bool> {
    auto work = co_await context.pool.begin(context.soon());
    auto const held = co_await work.run(postgres::query{{"hold_runs_test", "LOCK TABLE run_history IN SHARE MODE"}});
    static_cast<void>(held.value());
    std::size_t left = 1;
    bool gone = false;
    auto guarded = [](trigger_database& counter, bool& failed, std::size_t& rest) -> task<> {
      try {
        static_cast<void>(co_await counter.triggers.trigger(counter.as_ed(), counter.keyed("k"), counter.soon()));
      } catch (unavailable const&) {
        failed = true;
      }
      --rest;
    };
    asio::co_spawn(context.io, guarded(context, gone, left), asio::detached);
    steady_timer pause(context.io);
    while (left > 0) {
      context.as_owner(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
          " WHERE datname = current_database() AND wait_event_type = 'Lock'");
      pause.expires_after(milliseconds(5));
      co_await pause.async_wait(awaiting);
    }
    auto const ended = co_await work.commit();
    static_cast<void>(ended.value());
    co_return gone;
  };
  CHECK(db.wait(lose(db)));
  CHECK(db.run_count() == 0);
  CHECK(db.ask(db.keyed("k"))->origin == store::run_origin::made);
}

TEST_CASE("a job locked by a change delays no other job's triggers, and its own are made when the change is over") {
  struct {
    char const* name;
    std::string lock;
    bool ends;  ///< in time for the trigger
    bool keyed;
  } const cases[] = {
      {"a change that ends", "SELECT pg_advisory_xact_lock(hashtextextended('limit ' || $1::uuid, 0))", true, false},
      {"the same, keyed", "SELECT pg_advisory_xact_lock(hashtextextended('limit ' || $1::uuid, 0))", true, true},
      {"one that does not end", "SELECT pg_advisory_xact_lock(hashtextextended('limit ' || $1::uuid, 0))", false,
       false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    trigger_database db;
    uuid const other = db.make_job("other", {db.make_test("u").id}).id;
    struct outcome {
      int made = 0, unavailable = 0;
      steady::duration took{};
    };
    auto guarded = [](trigger_database& subject, store::trigger_request request, milliseconds patience, outcome& into,
                      std::size_t& left) -> task<> {
      auto const asked = steady::now();
      try {
        auto const run =
            co_await subject.triggers.trigger(subject.as_ed(), std::move(request), deadline::after(patience));
        into.made += run ? 1 : 0;
      } catch (unavailable const&) {
        ++into.unavailable;
      }
      into.took = std::max(into.took, steady::now() - asked);
      --left;
    };
    auto play = [&](trigger_database& counter, outcome& theirs, outcome& own) -> task<> {
      auto work = co_await counter.pool.begin(counter.soon());
      static_cast<void>(
          (co_await work.run(postgres::query{{"hold_job_test", c.lock}, postgres::parameters(counter.id)})).value());
      std::size_t left = 12;
      for (int i = 0; i < 12; ++i) {
        bool const held = i % 3 == 0;
        store::trigger_request content{.job = held ? counter.id : other, .triggered_by = "ci"};
        if (c.keyed) content.idempotency_key = std::to_string(i), content.request_hash = std::string(64, 'a');
        asio::co_spawn(counter.io,
                       guarded(counter, std::move(content), milliseconds(held && !c.ends ? 1200 : 5000),
                               held ? own : theirs, left),
                       asio::detached);
      }
      co_await wait_until(counter.io, [&] { return theirs.made == 8; }, deadline::after(milliseconds(2000)));
      CHECK(theirs.made == 8);
      CHECK(own.made == 0);
      if (c.ends) static_cast<void>((co_await work.commit()).value());
      co_await wait_until(counter.io, [&] { return left == 0; });
      if (!c.ends) static_cast<void>((co_await work.commit()).value());
    };
    outcome theirs, own;
    db.wait(play(db, theirs, own));
    // Whoever had to wait for the held ones would wait for their last attempt, which is a second later.
    CHECK(theirs.took < milliseconds(1000));
    CHECK(own.made == (c.ends ? 4 : 0));
    CHECK(own.unavailable == (c.ends ? 0 : 4));
    CHECK(db.run_count() == 8 + own.made);
  }
}

/// A transaction that holds what a trigger of the job holds until its COMMIT.
static task<postgres::unit_of_work> begin_as_trigger(trigger_database& counter) {
  auto work = co_await counter.pool.begin(counter.soon());
  postgres::query lock{
      {"hold_as_trigger_test", "SELECT pg_advisory_xact_lock_shared(hashtextextended('limit ' || $1::uuid, 0))"},
      postgres::parameters(counter.id)};
  static_cast<void>((co_await work.run(std::move(lock))).value());
  co_return work;
}

TEST_CASE("a job's deletion waits for triggers that have started, and no run is made after its answer") {
  trigger_database db;
  uuid const other = db.make_job("other", {db.make_test("u").id}).id;
  auto remove = [](trigger_database& subject, uuid job, bool& gone) -> task<> {
    auto const done = co_await subject.jobs.remove(subject.as_ed(), job, subject.soon());
    CHECK(done.outcome.has_value());
    gone = true;
  };
  auto trigger = [](trigger_database& fixture, std::optional<errc>& failed) -> task<> {
    store::trigger_request const request{.job = fixture.id, .triggered_by = "ci"};
    failed = failure(co_await fixture.triggers.trigger(fixture.as_ed(), request, fixture.soon()));
  };
  bool gone = false, other_gone = false;
  std::optional<errc> late;
  auto play = [&](trigger_database& counter) -> task<> {
    auto work = co_await begin_as_trigger(counter);
    asio::co_spawn(counter.io, remove(counter, counter.id, gone), asio::detached);
    asio::co_spawn(counter.io, remove(counter, other, other_gone), asio::detached);
    postgres::query waits{{"deletion_waits_test", until_another_waits}};
    static_cast<void>((co_await work.run(std::move(waits))).value());
    // The server ends a transaction that is idle for three seconds.
    co_await wait_until(counter.io, [&] { return other_gone; }, deadline::after(milliseconds(2000)));
    CHECK(other_gone);
    asio::co_spawn(counter.io, trigger(counter, late), asio::detached);
    steady_timer pause(counter.io, milliseconds(100));
    co_await pause.async_wait(awaiting);
    CHECK_FALSE(gone);
    CHECK_FALSE(late);
    static_cast<void>((co_await work.commit()).value());
    co_await wait_until(counter.io, [&] { return gone && late; });
    CHECK(gone);
  };
  db.wait(play(db));
  CHECK(late == errc::not_found);
  CHECK(db.run_count() == 0);
}

TEST_CASE("the deletion of another project's job takes no lock of it") {
  trigger_database db;
  std::optional<errc> failed;
  auto play = [&](trigger_database& counter) -> task<> {
    auto work = co_await begin_as_trigger(counter);
    failed = failure(
        (co_await counter.jobs.remove(counter.elsewhere(), counter.id, deadline::after(milliseconds(2000)))).outcome);
    static_cast<void>((co_await work.commit()).value());
  };
  db.wait(play(db));
  CHECK(failed == errc::not_found);
}
