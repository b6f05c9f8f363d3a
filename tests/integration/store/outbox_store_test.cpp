#include "svc/store/tokens/outbox_store.hpp"

#include "shop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>

using namespace svc;
using namespace svc::test;

namespace {

/// The shop with an empty outbox: the changes of the fixtures are deleted from it.
struct outbox_room : shop {
  outbox_room() { as_owner("TRUNCATE subject_outbox"); }

  /// Adds rows of one subject each; `age` is SQL, with `i` from 1 to `many`.
  void add(int many, std::string const& age, bool delivered) {
    std::string const reported = delivered ? "at" : "NULL";
    as_owner(
        "INSERT INTO subject_outbox (ids, epochs, created_at, delivered_at) SELECT ARRAY[gen_random_uuid()],"
        " ARRAY[i], at, " +
        reported + " FROM (SELECT i::bigint, clock_timestamp() - (" + age + ") AS at FROM generate_series(1, " +
        std::to_string(many) + ") i) r");
  }
  std::int64_t rows() { return number({{"outbox_rows_test", "SELECT count(*) FROM subject_outbox"}}); }
  std::int64_t waiting() {
    return number({{"outbox_waiting_test", "SELECT count(*) FROM subject_outbox WHERE delivered_at IS NULL"}});
  }

  store::outbox_store outbox{pool};
};

/// Returns how many pages the statement read, including its parts.
long pages_of(std::string const& plan) {
  auto const position = plan.find("Buffers: shared");
  REQUIRE(position != std::string::npos);
  std::string const line = plan.substr(position, plan.find('\n', position) - position);
  long sum = 0;
  for (auto const* kind : {"hit=", "read="})
    if (auto const found = line.find(kind); found != std::string::npos)
      sum += std::atol(line.c_str() + found + std::string_view(kind).size());
  return sum;
}

struct sweeper {
  std::int64_t deleted = 0;
  double longest_ms = 0;
};

/// Sweeps like an instance, but without its pauses.
task<> sweep_all(store::outbox_store& outbox, sweeper& sweeper, int& left) {
  store::outbox_store::swept done{.after = 0};
  while (done.after) {
    auto const begun = steady::now();
    done = co_await outbox.sweep(*done.after, deadline::after(std::chrono::seconds(20)));
    sweeper.deleted += done.deleted;
    sweeper.longest_ms =
        std::max(sweeper.longest_ms, std::chrono::duration<double, std::milli>(steady::now() - begun).count());
  }
  --left;
}

}  // namespace

TEST_CASE("a change is read until Redis has it, and a while longer; it is deleted when it is delivered and old") {
  struct {
    char const* name;
    char const* age;
    bool delivered;
    bool read, kept;
  } const cases[] = {
      {"new", "interval '0 s'", false, true, true},
      {"just delivered: a flush may have swallowed it", "interval '40 s'", true, true, true},
      {"delivered", "interval '50 s'", true, false, true},
      {"delivered, not yet old", "interval '9 minutes 50 s'", true, false, true},
      {"delivered and old", "interval '10 minutes 1 s'", true, false, false},
      {"not delivered for a day", "interval '1 day'", false, true, true},
  };
  outbox_room db;
  for (auto const& c : cases) {
    CAPTURE(c.name);
    db.as_owner("TRUNCATE subject_outbox");
    db.add(1, c.age, c.delivered);
    auto const found = db.wait(db.outbox.recent(db.soon()));
    CHECK(found.epochs.size() == (c.read ? 1U : 0U));
    CHECK(found.undelivered.size() == (c.delivered ? 0U : 1U));
    auto const done = db.wait(db.outbox.sweep(0, db.soon()));
    CHECK(done.deleted == (c.kept ? 0 : 1));
    CHECK_FALSE(done.after);
    CHECK(db.rows() == (c.kept ? 1 : 0));
  }
}

TEST_CASE("a waiter learns that another instance has updated Redis, about its own subjects and young changes only") {
  struct {
    char const* name;
    char const* age;
    bool delivered, asked, are_published;
  } const cases[] = {
      {"waits", "interval '1 s'", false, true, false},
      {"delivered", "interval '1 s'", true, true, true},
      {"somebody else's waits", "interval '1 s'", false, false, true},
      {"nearly too old to matter", "interval '9 s'", false, true, false},
      {"too old to matter", "interval '11 s'", false, true, true},
  };
  outbox_room db;
  for (auto const& c : cases) {
    CAPTURE(c.name);
    db.as_owner("TRUNCATE subject_outbox");
    db.add(1, c.age, c.delivered);
    auto const row =
        db.wait(db.pool.run(postgres::query{{"outbox_subject_test", "SELECT ids FROM subject_outbox"}}, db.soon()));
    std::vector<uuid> asked{uuid::generate_v7()};
    if (c.asked) asked.push_back(row.value().front().ids(0).front());
    CHECK(db.wait(db.outbox.are_published(std::move(asked), db.soon())) == c.are_published);
  }
}

TEST_CASE("a sweep passes rows that must stay, 1 000 rows at a time, and stops at young rows") {
  outbox_room db;
  db.add(1000, "interval '1 hour'", false);
  db.add(1500, "interval '1 hour'", true);
  db.add(1000, "interval '1 minute'", true);
  std::vector<std::int64_t> deleted;
  store::outbox_store::swept done{.after = 0};
  while (done.after) {
    done = db.wait(db.outbox.sweep(*done.after, db.soon()));
    deleted.push_back(done.deleted);
  }
  CHECK(deleted == std::vector<std::int64_t>{0, 1000, 500, 0});
  CHECK(db.rows() == 2000);
}

TEST_CASE("rows that another instance holds delay neither marking nor deleting") {
  outbox_room db;
  db.add(2, "interval '1 hour'", true);
  db.add(2, "interval '1 hour'", false);
  auto hold = [](outbox_room& room) -> task<> {
    auto work = co_await room.pool.begin(room.soon());
    auto const held = co_await work.run(postgres::query{{"hold_outbox_test",
                                                         "SELECT id FROM subject_outbox WHERE id IN (SELECT min(id) "
                                                         "FROM subject_outbox GROUP BY delivered_at IS NULL)"
                                                         " FOR UPDATE"}});
    REQUIRE(held.value().size() == 2);
    auto const soon = deadline::after(std::chrono::seconds(2));
    auto const found = co_await room.outbox.recent(soon);
    CHECK(found.undelivered.size() == 2);
    co_await room.outbox.mark_delivered(found.undelivered, soon);
    auto const done = co_await room.outbox.sweep(0, soon);
    CHECK(done.deleted == 2);  // the free one from before, and the one that was marked now
    auto const ended = co_await work.commit();
    static_cast<void>(ended.value());
  };
  db.wait(hold(db));
  CHECK(db.rows() == 2);
  CHECK(db.waiting() == 1);
  CHECK(db.wait(db.outbox.sweep(0, db.soon())).deleted == 1);
}

// SVC_STORE_LONG=1 uses ten million rows and takes several minutes.
TEST_CASE("the outbox is read by its indexes however many rows it has, and two instances empty it") {
  bool const whole = std::getenv("SVC_STORE_LONG") != nullptr;
  int const many = whole ? 10'000'000 : 30'000;
  outbox_room db;
  db.add(3, "interval '40 days'", false);
  db.add(many, "interval '1 hour' + (" + std::to_string(many) + " - i) * interval '0.1 s'", true);
  db.add(20, "interval '5 s'", true);
  db.add(5, "interval '5 s'", false);
  db.as_owner("VACUUM ANALYZE subject_outbox");
  postgres::pool pool(db.io, {.url = secret_string(db.url()), .size = 1});
  pool.start();
  store::outbox_store outbox(pool);
  auto const found = db.wait(outbox.recent(db.soon()));
  CHECK(found.undelivered.size() == 8);
  CHECK(found.epochs.size() == 28);
  CHECK_FALSE(db.wait(outbox.sweep(INT64_MAX, db.soon())).after);
  db.wait(outbox.mark_delivered({}, db.soon()));
  CHECK(db.wait(outbox.are_published({uuid::generate_v7()}, db.soon())));
  std::vector<plan_case> const cases{
      {"outbox_recent", "", {"subject_outbox_recent", "subject_outbox_undelivered"}},
      {"outbox_mark", "ARRAY[1, 2, 3]", {"subject_outbox_pkey"}},
      {"outbox_sweep", "0", {"subject_outbox_pkey"}},
      {"outbox_told", "ARRAY[gen_random_uuid()]", {"using subject_outbox_"}},  // either index is short
  };
  // A sweep reads 1 000 rows, and locks and deletes each.
  std::map<std::string_view, long> const most_pages{
      {"outbox_recent", 100}, {"outbox_mark", 100}, {"outbox_sweep", 20'000}, {"outbox_told", 100}};
  db.check_plans(pool, cases, [&](plan_case const& c, std::string const& plan) {
    CHECK(plan.find("Seq Scan") == std::string::npos);
    CHECK(pages_of(plan) <= most_pages.at(c.statement));
  });
  store::outbox_store other(db.pool);
  sweeper all[2];
  int left = 2;
  asio::co_spawn(db.io, sweep_all(db.outbox, all[0], left), asio::detached);
  asio::co_spawn(db.io, sweep_all(other, all[1], left), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  if (whole)
    for (auto const& each : all)
      std::printf("%ld rows deleted, longest batch %.1f ms\n", each.deleted, each.longest_ms);
  CHECK(db.rows() == 28);
  CHECK(db.waiting() == 8);
}
