// Reads of what windows count, compared with the decisions of the script that counts.
#include "svc/access/window_reader.hpp"
#include "integration/access/fixture.hpp"
#include "support/redis_cluster.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"

#include <algorithm>
#include <atomic>
#include <set>

using namespace svc;
using namespace svc::access;

namespace {

constexpr std::uint32_t read_seconds = 60;
constexpr std::int64_t read_length = read_seconds * second, read_room = 1'000'000;

/// A reader on a client, with a breaker that tests open.
struct reader_bench {
  explicit reader_bench(redis::worker& worker, redis::client& client)
      : w(worker), decisions(worker.io, instances, milliseconds(50)), reader(client, decisions) {}

  std::vector<window_use> read(std::vector<subject_window> windows) {
    return w.run(reader.read(std::move(windows), deadline::after(std::chrono::seconds(10))));
  }
  window_use read(std::string subject, std::uint32_t seconds = read_seconds) {
    return read(std::vector{subject_window{std::move(subject), {rate_class::cli, {1, seconds}}}}).at(0);
  }

  redis::worker& w;
  std::atomic<int> instances{1};
  fallback decisions;
  window_reader reader;
};

std::vector<redis::script const*> both_scripts() {
  return {&admission::script(), &window_reader::script()};
}

void add_stamps(std::vector<std::int64_t>& stamps, std::size_t count, std::int64_t first, std::int64_t step) {
  for (std::size_t i = 0; i < count; ++i) stamps.push_back(first + static_cast<std::int64_t>(i) * step);
}

/// Replaces a log by these stamps, oldest first.
void seed_log(script_bench& bench, std::string const& log, std::vector<std::int64_t> const& stamps) {
  bench.command({"DEL", log});
  for (std::size_t i = 0; i < stamps.size();) {
    std::vector<std::string> words{"LPUSH", log};
    for (; i < stamps.size() && words.size() < 1000; ++i) words.push_back(std::to_string(stamps[i]));
    bench.command(words);
  }
}

task<> read_counted(window_reader& reader, std::vector<std::int64_t>& counts) {
  auto const uses =
      co_await reader.read({{"s", {rate_class::cli, {1, read_seconds}}}}, deadline::after(std::chrono::seconds(10)));
  counts.push_back(uses.at(0).counted);
}

/// After each of the requests reads five times at once what the window counts.
task<bool> request_and_read(admission& shared, window_reader& reader, int requests,
                            std::vector<std::int64_t>& counts) {
  for (int i = 0; i < requests; ++i) {
    co_await shared.admit({.subject = "s", .which = rate_class::cli, .window = {read_room, read_seconds}},
                          deadline::after(std::chrono::seconds(10)));
    std::vector<task<>> reads;
    for (int j = 0; j < 5; ++j) reads.push_back(read_counted(reader, counts));
    co_await together(std::move(reads));
  }
  co_return true;
}

/// The commands that Redis has run since its statistics were reset.
std::set<std::string> commands_of(script_bench& bench) {
  std::set<std::string> out;
  auto const text = bench.text({"INFO", "commandstats"});
  for (std::size_t position = 0; (position = text.find("cmdstat_", position)) != std::string::npos; ++position)
    out.insert(text.substr(position + 8, text.find(':', position) - position - 8));
  return out;
}

}  // namespace

TEST_CASE("a window counts what the next decision finds, and reading changes nothing") {
  script_bench bench(both_scripts());
  reader_bench reader(bench.loop(), bench.client());
  std::string const log = "svc:{s}:w:cli:60";
  CHECK(reader.read("s").counted == 0);
  CHECK(reader.read("s").reset_micros == 0);
  for (std::size_t const expired : {0, 1, 4, 5, 100, 820, 2500}) {
    for (std::size_t const live : {0, 1, 2, 300, 820}) {
      for (std::int64_t const ahead : {std::int64_t{0}, second / 2, 90 * second}) {
        CAPTURE(expired);
        CAPTURE(live);
        CAPTURE(ahead);
        // Live stamps stay in the window for another half of it, so that none expires between the two reads.
        auto const now = bench.time();
        std::vector<std::int64_t> stamps;
        add_stamps(stamps, expired, now - 3 * read_length, 10'000);
        add_stamps(stamps, live, now - read_length / 2, 1'000);
        if (ahead > 0) stamps.push_back(now + ahead);
        seed_log(bench, log, stamps);
        auto const before = bench.everything();
        auto const use = reader.read("s");
        CHECK(bench.everything() == before);
        auto const decision = bench.admit(log, read_room, read_length);
        CHECK(use.counted == read_room - 1 - decision.remaining);
        CHECK(use.counted == static_cast<std::int64_t>(live + (ahead > 0 ? 1 : 0)));
        if (live > 0) CHECK(use.reset_micros == decision.reset_micros);
        if (use.counted == 0) CHECK(use.reset_micros == 0);
        // A stamp from beyond the next second counts as of now.
        if (live == 0 && ahead > 0) {
          CHECK(use.reset_micros >= now + read_length);
          CHECK(use.reset_micros <= decision.reset_micros);
        }
      }
    }
  }
}

TEST_CASE("a stamp is counted until exactly the end of its window") {
  script_bench bench(both_scripts());
  reader_bench reader(bench.loop(), bench.client());
  std::string const log = "svc:{s}:w:cli:60";
  for (std::int64_t const age : {read_length - 1, read_length, read_length + 1}) {
    CAPTURE(age);
    // A newest stamp that is less than a second ahead of Redis's clock is the time of the decision. The others are
    // counted unless they are as old as the window.
    auto const now = bench.time() + second / 2;
    std::vector<std::int64_t> stamps(9, now - age);
    stamps.push_back(now);
    seed_log(bench, log, stamps);
    auto const use = reader.read("s");
    // Redis's clock may have passed the newest stamp on a busy machine; all older ones have expired then.
    if (bench.time() < now) CHECK(use.counted == (age < read_length ? 10 : 1));
  }
}

TEST_CASE("while requests are counted, any number of reads run only commands that read") {
  script_bench bench(both_scripts());
  reader_bench reader(bench.loop(), bench.client());
  admission shared(bench.client());
  std::vector<std::int64_t> seen;
  constexpr int requests = 200;
  CHECK(bench.loop().run(request_and_read(shared, reader.reader, requests, seen)));
  REQUIRE(seen.size() == 5 * requests);
  CHECK(std::ranges::is_sorted(seen));
  CHECK(seen.front() == 1);
  CHECK(seen.back() == requests);

  bench.command({"CONFIG", "RESETSTAT"});
  auto const before = bench.everything();
  bench.command({"CONFIG", "RESETSTAT"});
  for (int i = 0; i < 100; ++i) CHECK(reader.read("s").counted == requests);
  auto const commands = commands_of(bench);
  for (auto const& each : commands) {
    CAPTURE(each);
    CHECK(std::set<std::string>{"evalsha", "time", "llen", "lindex", "info", "config|resetstat"}.contains(each));
  }
  CHECK(commands.contains("evalsha"));
  CHECK(bench.everything() == before);
}

TEST_CASE("in a Redis Cluster the windows of a hundred subjects are read in their slots") {
  test::redis_cluster cluster({.replicas = false});
  redis::settings where = redis::patient("redis://127.0.0.1");
  where.cluster = {*redis::parse_address(cluster.address(0))};
  redis::worker w;
  redis::client client(w.io, where, both_scripts());
  w.connect(client);
  reader_bench reader(w, client);
  admission shared(client);
  std::set<std::uint16_t> slots;
  std::vector<subject_window> windows;
  for (int i = 0; i < 100; ++i) {
    auto const subject = "subject " + std::to_string(i);
    slots.insert(client.part_of("svc:{" + subject + "}:epoch"));
    windows.push_back({subject, {rate_class::cli, {1, read_seconds}}});
    for (int j = 0; j < i % 4; ++j)
      w.run(shared.admit({.subject = subject, .which = rate_class::cli, .window = {read_room, read_seconds}},
                         deadline::after(std::chrono::seconds(10))));
  }
  CHECK(slots.size() > 90);
  auto const uses = reader.read(windows);
  REQUIRE(uses.size() == windows.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    CAPTURE(i);
    CHECK(uses[i].counted == static_cast<std::int64_t>(i % 4));
    CHECK((uses[i].reset_micros > 0) == (i % 4 > 0));
  }
}

TEST_CASE("while Redis is lost, and while its answers are not trusted, nothing is read") {
  test::private_redis server;
  auto settings = redis::patient(server.url());
  redis::worker w;
  redis::client client(w.io, settings, both_scripts());
  w.connect(client);
  reader_bench reader(w, client);
  CHECK(reader.read("s").counted == 0);
  reader.decisions.redis_lost("a test");
  CHECK_THROWS_AS(reader.read("s"), unavailable);
  CHECK(reader.decisions.redis_back(reader.decisions.redis().losses()));
  CHECK(reader.read("s").counted == 0);
  server.kill();
  REQUIRE(w.run_until([&] { return !client.connected(); }));
  CHECK_THROWS_AS(reader.read("s"), unavailable);
}
