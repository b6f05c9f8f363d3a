// A new timeline begins above all epochs that were given before.
#include "svc/store/tokens/outbox_store.hpp"

#include "shop.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <chrono>
#include <cstdlib>

using namespace svc;
using namespace svc::test;
using postgres::query;

namespace {

constexpr std::int64_t a_day = 86'400'000'000;

struct timelines : shop {
  std::int64_t begin(std::int64_t timeline, std::int64_t system = 4711) {
    return number({{"begin_test", "SELECT begin_timeline($1, $2)", true}, postgres::parameters(system, timeline)});
  }
  std::int64_t lowest() { return number({{"lowest_test", "SELECT min(epoch) FROM subjects"}}); }
  std::int64_t highest() { return number({{"highest_test", "SELECT max(epoch) FROM subjects"}}); }
  std::int64_t now() {
    return number({{"now_test", "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"}});
  }
};

}  // namespace

TEST_CASE(
    "each new timeline advances all subjects once, above the replicated epochs and any clock of the lost window") {
  timelines db;
  auto const before = db.highest();
  auto const first = db.begin(2);
  CHECK(first >= before + a_day);
  CHECK(first >= db.now() + a_day - 60'000'000);
  CHECK(db.lowest() == first);
  CHECK(db.highest() == first);
  CHECK(db.begin(2) == first);
  // A change raises from there, and the next timeline begins above that, though no clock is so far.
  db.as_owner("SELECT bump_subjects(ARRAY(SELECT id FROM subjects LIMIT 1))");
  CHECK(db.highest() == first + 1);
  auto const second = db.begin(3);
  CHECK(second == first + 1 + a_day);
  CHECK(db.lowest() == second);
  // One that was begun before changes nothing, nor does a restored cluster make numbers smaller.
  CHECK(db.begin(2) == second);
  CHECK(db.begin(1, 4712) == second + a_day);
  // Lua in Redis compares them as doubles.
  CHECK(db.highest() < std::int64_t{1} << 53);
}

TEST_CASE("a subject that is made later is never below the lowest epoch") {
  timelines db;
  auto const lowest = db.begin(2);
  db.as_owner("INSERT INTO subjects (id) VALUES (gen_random_uuid())");
  CHECK(db.lowest() == lowest);
}

TEST_CASE("many sessions that start one timeline at once advance it once, and a change in progress is not lost") {
  timelines db;
  postgres::settings settings{.url = secret_string(db.url()), .size = 1};
  std::vector<std::int64_t> begun;
  store::begin_timelines(settings, [&](std::int64_t lowest) { begun.push_back(lowest); });
  // The timeline of this server was begun by the migration; it shall be new.
  db.as_owner("DELETE FROM timelines");
  // Somebody has locked subjects already, and raises one: lifting waits for the end.
  auto change = db.wait(db.pool.begin(timelines::soon()));
  db.wait(change.run(postgres::query{{"lock_test", "SELECT count(*) FROM (SELECT FROM subjects FOR UPDATE) s"}}))
      .value();
  std::vector<std::unique_ptr<postgres::pool>> pools;
  for (int i = 0; i < 4; ++i) {
    pools.push_back(std::make_unique<postgres::pool>(db.io, settings));
    pools.back()->start();
  }
  auto const end = steady::now() + milliseconds(100);
  while (steady::now() < end) db.io.run_one_for(milliseconds(5));
  CHECK(begun.empty());
  CHECK_FALSE(pools[0]->healthy());
  query const bump{{"bump_test", "SELECT max(subject_epoch) FROM bump_subjects(ARRAY(SELECT id FROM subjects))"}};
  auto const bumped = db.wait(change.commit({bump})).value().front().front().integer(0);
  auto const late = steady::now() + std::chrono::seconds(20);
  while (begun.size() < 4 && steady::now() < late) db.io.run_one_for(milliseconds(5));
  REQUIRE(begun.size() == 4);
  CHECK(begun[0] >= bumped + a_day);
  CHECK(begun == std::vector<std::int64_t>(4, begun[0]));
  CHECK(db.number({{"rows_test", "SELECT count(*) FROM timelines"}}) == 1);
  CHECK(db.lowest() == begun[0]);
  for (auto& pool : pools) pool->stop();
}

TEST_CASE("the service may start timelines, but not write the table") {
  timelines db;
  CHECK_FALSE(db.run({{"forge_test", "UPDATE timelines SET lowest_epoch = 0"}}).has_value());
  CHECK_FALSE(db.run({{"forge_more_test", "DELETE FROM timelines"}}).has_value());
}

TEST_CASE("the time to start a new timeline (SVC_STORE_LONG)") {
  if (std::getenv("SVC_STORE_LONG") == nullptr) return;
  timelines db;
  std::int64_t timeline = 2;
  for (int const more : {10'000, 90'000, 900'000}) {
    db.as_owner("INSERT INTO subjects (id) SELECT gen_random_uuid() FROM generate_series(1, " + std::to_string(more) +
                ")");
    auto const start = steady::now();
    db.as_owner("SELECT begin_timeline(4711, " + std::to_string(timeline++) + ")");
    MESSAGE(db.number({{"subjects_test", "SELECT count(*) FROM subjects"}})
            << " subjects: " << std::chrono::duration_cast<milliseconds>(steady::now() - start).count() << " ms");
  }
}
