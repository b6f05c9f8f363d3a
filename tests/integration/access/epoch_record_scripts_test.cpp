#include "integration/access/fixture.hpp"

#include "support/run_task.hpp"
#include "svc/access/epoch_publisher.hpp"
#include "svc/access/record_cache.hpp"
#include "svc/access/relay.hpp"
#include "svc/core/bytes.hpp"
#include "svc/domain/principal.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/tokens/auth_reader.hpp"
#include "svc/store/tokens/outbox_store.hpp"

#include <set>

using namespace svc;
using access::script_bench;

namespace {

constexpr std::int64_t micros = 1'763'635'872'000'000;

redis::script const& named(std::string_view name) {
  for (auto const* script : access::scripts())
    if (script->name() == name) return *script;
  FAIL("no such script");
  throw std::logic_error("unreachable");
}

/// Authentication requires a PostgreSQL, but nobody asks it here.
struct no_reader final : store::auth_reader {
  task<store::auth_reading> read(std::vector<sha256_digest>, deadline) override { co_return store::auth_reading{}; }
};

/// Redis answers at once here, so nobody reads the outbox.
struct unasked_outbox {
  explicit unasked_outbox(asio::io_context& io) : db(io, {}) {}
  postgres::pool db;
  store::outbox_store outbox{db};
};

token_record record_of(std::int64_t epoch, std::int64_t read_at, token_state state) {
  token_record r;
  r.caller.epoch = epoch;
  r.read_at = {read_at};
  r.state = state;
  return r;
}

struct put_case {
  std::string_view name;
  char const* stored;  ///< null: nothing
  std::int64_t epoch, read_at;
  bool replaces;
};

constexpr put_case put_cases[] = {
    {"absent", nullptr, 10, 100, true},
    {"marker", "?", 10, 100, true},
    {"negative", "n:1763635872000000", 10, 100, true},
    {"unreadable", "r:x:y:[]", 10, 100, true},
    {"older epoch", "r:9:100:[1]", 10, 100, true},
    {"older epoch, read later", "r:9:101:[1]", 10, 100, true},
    {"same epoch, read before", "r:10:99:[1]", 10, 100, true},
    {"the same", "r:10:100:[1]", 10, 100, false},
    {"same epoch, read later", "r:10:101:[1]", 10, 100, false},
    {"newer epoch", "r:11:100:[1]", 10, 100, false},
    {"newer epoch, read before", "r:11:99:[1]", 10, 100, false},
    {"newer epoch of more digits", "r:100:1:[1]", 99, 100, false},
    {"older epoch of fewer digits", "r:99:200:[1]", 100, 100, true},
    {"one microsecond newer", "r:1763635872000001:1763635872000000:[1]", micros, micros + 9, false},
    {"one microsecond older", "r:1763635872000000:1763635872000009:[1]", micros + 1, micros, true},
    {"read one microsecond later", "r:1763635872000000:1763635872000001:[1]", micros, micros, false},
    {"read one microsecond before", "r:1763635872000000:1763635872000000:[1]", micros, micros + 1, true},
};

}  // namespace

TEST_CASE("advances in any order leave the highest epoch, and each returns the current one") {
  script_bench bench(access::scripts());
  std::array<std::int64_t, 5> epochs{9, 10, 99, micros, micros + 1};
  do {
    bench.command({"DEL", "svc:{s}:epoch"});
    std::int64_t highest = 0;
    for (auto const epoch : epochs) {
      highest = std::max(highest, epoch);
      auto const reported = bench.evaluate(named("raise"), {"svc:{s}:epoch"}, {std::to_string(epoch), "60000"});
      CHECK(reported.text == std::to_string(highest));
      CHECK(bench.text({"GET", "svc:{s}:epoch"}) == std::to_string(highest));
    }
  } while (std::next_permutation(epochs.begin(), epochs.end()));
}

TEST_CASE("an advance that changes nothing writes nothing") {
  script_bench bench(access::scripts());
  bench.command({"SET", "svc:{s}:epoch", "10", "PX", "5000"});
  auto const before = bench.everything();
  for (auto const epoch : {"10", "9", "1"}) {
    CHECK(bench.evaluate(named("raise"), {"svc:{s}:epoch"}, {epoch, "60000"}).text == "10");
    CHECK(bench.everything() == before);
  }
}

TEST_CASE("each advance is published once, whatever its cause; a call that advances nothing is not published") {
  script_bench bench(access::scripts());
  auto const subject = uuid::generate_v7();
  auto const key = epoch_key(subject.to_string());
  std::vector<std::int64_t> heard;
  access::epoch_subscriber subscription(bench.loop().io, bench.where(),
                                        {.heard = [&](std::vector<subject_epoch> const& bumped) {
                                          for (auto const& entry : bumped) {
                                            CHECK(entry.subject == subject);
                                            heard.push_back(entry.epoch);
                                          }
                                        }});
  subscription.start();
  auto const listening = [&] { return bench.command({"PUBSUB", "NUMSUB", "svc:raised"}).elements.at(1).number == 1; };
  REQUIRE(bench.loop().run_until(listening));

  struct {
    std::string_view name;  ///< raise, or the mode of an admission
    std::int64_t epoch;
    bool reported;
  } const steps[] = {{"raise", 10, true},   {"raise", 10, false}, {"raise", 9, false},  {"cached", 10, false},
                     {"cached", 11, false}, {"fresh", 11, true},  {"raise", 11, false}, {"forced", 12, true},
                     {"forced", 11, false}, {"raise", 13, true}};
  std::vector<std::int64_t> expected;
  for (auto const& step : steps) {
    CAPTURE(step.name);
    CAPTURE(step.epoch);
    auto const epoch = std::to_string(step.epoch);
    if (step.name == "raise") {
      bench.evaluate(named("raise"), {key}, {epoch, "60000"});
    } else {
      bench.evaluate(access::admission::script(), {bench.log, key},
                     {std::string(step.name), epoch, "0", "1000000", "60000"});
    }
    if (step.reported) expected.push_back(step.epoch);
    CHECK(bench.loop().run_until([&] { return heard.size() >= expected.size(); }));
    CHECK(heard == expected);
  }
  // A key that Redis has lost is set again without a message: no record becomes outdated by that.
  bench.command({"DEL", key});
  bench.evaluate(access::admission::script(), {bench.log, key}, {"fresh", "14", "0", "1000000", "60000"});
  bench.evaluate(named("raise"), {key}, {"15", "60000"});
  expected.push_back(15);
  CHECK(bench.loop().run_until([&] { return heard.size() >= expected.size(); }));
  CHECK(heard == expected);
  subscription.stop();
}

TEST_CASE("published epochs are kept for a day, not all for the same time") {
  script_bench bench(access::scripts());
  unasked_outbox behind(bench.loop().io);
  access::epoch_publisher publisher(bench.client(), behind.outbox, std::chrono::seconds(10));
  std::vector<subject_epoch> touched;
  for (int i = 0; i < 40; ++i) touched.push_back({uuid::generate_v7(), micros + i});
  test::run_task(bench.loop().io, publisher.publish(touched));
  std::set<std::int64_t> lives;
  for (auto const& epoch : touched) {
    auto const key = epoch_key(epoch.subject.to_string());
    CHECK(bench.text({"GET", key}) == std::to_string(epoch.epoch));
    auto const life = bench.life(key);
    CHECK(life > 24 * 3600 * 900 - 10'000);
    CHECK(life <= 24 * 3600 * 1100);
    lives.insert(life / 60'000);
  }
  CHECK(lives.size() > 10);
}

TEST_CASE("a record replaces only an absent, unknown or older one") {
  script_bench bench(access::scripts());
  for (auto const& c : put_cases) {
    for (bool const known_good : {false, true}) {
      CAPTURE(c.name);
      CAPTURE(known_good);
      bench.command({"FLUSHALL"});
      if (c.stored != nullptr) bench.command({"SET", "svc:tok:{d}", c.stored, "PX", "5000"});
      auto const before = bench.everything();
      auto const epoch = std::to_string(c.epoch), read_at = std::to_string(c.read_at);
      auto const mine = "r:" + epoch + ":" + read_at + ":[1,\"mine\"]";
      std::vector<std::string> keys{"svc:tok:{d}"};
      if (known_good) keys.emplace_back("svc:seen:{d}");
      auto const reported = bench.evaluate(named("put"), keys, {mine, epoch, read_at, "30000", "3600000"});
      CHECK(reported.number == (c.replaces ? 1 : 0));
      if (!c.replaces) {
        CHECK(bench.everything() == before);
        continue;
      }
      CHECK(bench.text({"GET", "svc:tok:{d}"}) == mine);
      CHECK(bench.life("svc:tok:{d}") > 20'000);
      CHECK(bench.life("svc:tok:{d}") <= 30'000);
      CHECK(bench.text({"EXISTS", "svc:seen:{d}"}) == (known_good ? "1" : "0"));
    }
  }
}

TEST_CASE("a confirmed record is kept for its age; only a usable one marks its digest as seen") {
  script_bench bench(access::scripts());
  no_reader reader;
  access::authenticator mine(bench.loop().io, bench.client(), reader, {50, 2000});
  for (auto const state : {token_state::usable, token_state::disabled, token_state::revoked}) {
    CAPTURE(static_cast<int>(state));
    bench.command({"FLUSHALL"});
    auto const digest = sha256("digest");
    auto record = record_of(micros, micros, state);
    record.max_age_micros = 33'000'000;
    auto const kept = std::make_shared<token_record const>(record);
    mine.keep(digest, kept, false);
    CHECK(bench.everything().empty());  // what came from Redis is not written back to it
    mine.keep(digest, kept, true);
    auto const key = access::record_key(digest), seen = "svc:seen:{" + to_hex(digest) + "}";
    bench.loop().run_until([&] { return bench.text({"EXISTS", key}) == "1"; });
    CHECK(bench.text({"GET", key}) == access::encode_record(record));
    CHECK(bench.life(key) > 27'000);
    CHECK(bench.life(key) <= 33'000);
    bool const usable = state == token_state::usable;
    CHECK(bench.text({"EXISTS", seen}) == (usable ? "1" : "0"));
    if (usable) CHECK(bench.life(seen) > 3'590'000);
    if (usable) CHECK(bench.life(seen) <= 3'600'000);
  }
}

TEST_CASE("a created token is announced over nothing or a negative entry, never over a record") {
  script_bench bench(access::scripts());
  unasked_outbox behind(bench.loop().io);
  access::epoch_publisher publisher(bench.client(), behind.outbox, std::chrono::seconds(10));
  auto const digest = sha256("digest");
  auto const key = access::record_key(digest);
  for (char const* stored : {static_cast<char const*>(nullptr), "n:1763635872000000", "?", "r:10:100:[1]"}) {
    auto const before = std::string(stored == nullptr ? "" : stored);
    CAPTURE(before);
    bench.command({"FLUSHALL"});
    if (stored != nullptr) bench.command({"SET", key, before, "PX", "5000"});
    auto const all = bench.everything();
    test::run_task(bench.loop().io, publisher.announce({digest}));
    if (before.starts_with("r:")) {
      CHECK(bench.everything() == all);
      continue;
    }
    CHECK(bench.text({"GET", key}) == "?");
    CHECK(bench.life(key) > 20'000);
    CHECK(bench.life(key) <= 30'000);
  }
}

TEST_CASE("a late put after an announcement, and an announcement after a put, leave the record") {
  script_bench bench(access::scripts());
  std::vector<std::string> const put{"r:10:100:[1]", "10", "100", "30000", "3600000"};
  for (bool const announced_first : {true, false}) {
    CAPTURE(announced_first);
    bench.command({"FLUSHALL"});
    if (announced_first) bench.evaluate(named("announce"), {"svc:tok:{d}"}, {"30000"});
    bench.evaluate(named("put"), {"svc:tok:{d}"}, put);
    if (!announced_first) bench.evaluate(named("announce"), {"svc:tok:{d}"}, {"30000"});
    CHECK(bench.text({"GET", "svc:tok:{d}"}) == "r:10:100:[1]");
  }
}
