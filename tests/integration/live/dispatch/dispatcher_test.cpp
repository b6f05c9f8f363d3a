#include "svc/live/dispatch/dispatcher.hpp"

#include "integration/redis/fixture.hpp"
#include "integration/store/migrated_database.hpp"
#include "svc/live/dispatch/claim_hub.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <set>

using namespace svc;
using namespace svc::test;

namespace {

uuid const organization = uuid::generate_v7();
uuid const project = uuid::generate_v7();

/// Two instances with two workers each, on one thread.
struct office {
  explicit office(private_redis const& server) {
    for (auto& client : clients) {
      client = std::make_unique<redis::client>(io, redis::patient(server.url()), std::vector<redis::script const*>{});
      client->start();
      CHECK(wait(client->wait_connected(soon())));
    }
    for (std::size_t i = 0; i < claim_hubs.size(); ++i) {
      claim_hubs[i] = std::make_unique<dispatch::claim_hub>(io, redis::patient(server.url()));
      for (auto k : {0, 1}) {
        workers.push_back(std::make_unique<dispatch::dispatcher>(
            io, *claim_hubs[i], *clients[i],
            [this](std::vector<uuid> asked, deadline) -> task<std::vector<uuid>> {
              questions.push_back(asked);
              if (refused) std::rethrow_exception(refused);
              co_return changed ? asked : std::vector<uuid>{};
            },
            polls));
        static_cast<void>(k);
      }
      claim_hubs[i]->start();
    }
  }
  ~office() {
    for (auto& dispatcher : workers) dispatcher->drain();
    for (auto& entry : claim_hubs) entry->stop();
    for (auto& entry : clients) entry->stop();
    io.restart();
    io.run_for(milliseconds(50));
  }

  static deadline soon() { return deadline::after(std::chrono::seconds(20)); }
  template <class T>
  T wait(task<T> content) {
    return run_task(io, std::move(content));
  }
  /// Runs until the condition holds; fails the test if it never does.
  void until(std::function<bool()> const& so) {
    auto const end = steady::now() + std::chrono::seconds(20);
    io.restart();
    while (!so() && steady::now() < end) io.run_one_for(milliseconds(10));
    CHECK(so());
  }
  /// A claim that waits. It counts itself when it is woken, and is gone when its time is over.
  task<> claim(std::size_t worker, std::string label, std::int64_t most, int& woken, deadline over) {
    dispatch::dispatcher::claim_wait mine(*workers[worker], {uuid{}, organization, std::nullopt}, {label}, most);
    if (co_await mine.until(over)) ++woken;
  }
  void start_claim(std::size_t worker, int& woken, std::string label = "command", std::int64_t most = 1,
                   deadline over = soon()) {
    asio::co_spawn(io, claim(worker, std::move(label), most, woken, over), asio::detached);
  }

  asio::io_context io{1};
  bool changed = false;
  std::vector<std::vector<uuid>> questions{};  ///< questions to the database, from the last one to be cleared on
  std::exception_ptr refused{};
  background_loop_ptr polls = std::make_shared<background_loop>("dispatch_poll", "0", dispatch::dispatcher::interval);
  std::array<std::unique_ptr<redis::client>, 2> clients;
  std::array<std::unique_ptr<dispatch::claim_hub>, 2> claim_hubs;
  std::vector<std::unique_ptr<dispatch::dispatcher>> workers;
};

queued_work runs(std::int64_t count, std::string type = "command") {
  return {organization, project, std::move(type), count};
}

TEST_CASE("published announcements are read back, and unreadable messages are skipped") {
  uuid const run = uuid::generate_v7();
  auto const text = dispatch::write_dispatch("me", {{.work = runs(7)}, {.cancelled = run}});
  auto const read = dispatch::read_dispatch(text + "\nz 1\nq x\nq " + organization.to_string() + " " +
                                            project.to_string() + " k6 0\nc\n\n");
  CHECK(read.source == "me");
  REQUIRE(read.news.size() == 2);
  CHECK(read.news[0].work->project == project);
  CHECK(read.news[0].work->organization == organization);
  CHECK(read.news[0].work->job_type == "command");
  CHECK(read.news[0].work->count == 7);
  CHECK(read.news[1].cancelled == run);
  CHECK(dispatch::read_dispatch("").news.empty());
}

TEST_CASE("work wakes as many claims as can take it: the worker's own first, then others', then other instances'") {
  private_redis server;
  office office(server);
  int here = 0, beside = 0, far = 0, other = 0;
  for (int i = 0; i < 3; ++i) office.start_claim(0, here);
  office.start_claim(1, beside);
  office.start_claim(2, far, "command", 2);
  office.start_claim(0, other, "k6");
  office.until([&] { return office.workers[0]->waiting() == 4 && office.workers[2]->waiting() == 1; });
  office.workers[0]->queued(runs(2));
  office.until([&] { return here == 2; });
  CHECK(beside == 0);
  office.workers[0]->queued(runs(2));
  office.until([&] { return here == 3 && beside == 1; });
  // Both instances listen by now.
  office.until([&] {
    office.workers[0]->queued(runs(1));
    office.io.run_for(milliseconds(10));
    return far == 1;
  });
  CHECK(other == 0);
  office.workers[3]->queued(runs(1, "k6"));
  office.until([&] { return other == 1; });
}

TEST_CASE("news that arrives together wakes one claim that can take everything, otherwise further ones") {
  private_redis server;
  office subject(server);
  auto take = [](office& office, int& woken) -> task<> {
    dispatch::dispatcher::claim_wait mine(*office.workers[0], {uuid{}, organization, std::nullopt}, {"command"}, 5);
    if (!co_await mine.until(office::soon())) co_return;
    ++woken;
    mine.looks();
  };
  for (int const several : {1, 2}) {
    CAPTURE(several);
    int first = 0, second = 0;
    asio::co_spawn(subject.io, take(subject, first), asio::detached);
    subject.until([&] { return subject.workers[0]->waiting() == 1; });
    asio::co_spawn(subject.io, take(subject, second), asio::detached);
    subject.until([&] { return subject.workers[0]->waiting() == 2; });
    for (int i = 0; i < 4 * several; ++i) subject.workers[0]->queued(runs(1));
    subject.until([&] { return first + second == several; });
    CHECK(subject.workers[0]->waiting() == static_cast<std::size_t>(2 - several));
    subject.workers[0]->queued(runs(5));
    subject.until([&] { return subject.workers[0]->waiting() == 0; });
  }
}

TEST_CASE("news for a claim that is about to leave is passed to the next") {
  private_redis server;
  office office(server);
  int second = 0;
  {
    dispatch::dispatcher::claim_wait busy(*office.workers[0], {uuid{}, organization, std::nullopt}, {"command"}, 1);
    office.start_claim(0, second);
    office.until([&] { return office.workers[0]->waiting() == 1; });
    office.workers[0]->queued(runs(1));
  }
  office.until([&] { return second == 1; });
}

TEST_CASE("a waiting claim looks every second without any news; a wait ends at its time and at the drain") {
  private_redis server;
  office office(server);
  int woken = 0;
  office.start_claim(0, woken);
  office.start_claim(0, woken, "k6");
  office.until([&] { return woken == 2; });
  int late = 0;
  office.start_claim(1, late, "command", 1, deadline::after(milliseconds(1)));
  office.until([&] { return office.workers[1]->waiting() == 0; });
  int drained = 0;
  office.start_claim(1, drained);
  office.until([&] { return office.workers[1]->waiting() == 1; });
  office.workers[1]->drain();
  office.until([&] { return office.workers[1]->waiting() == 0; });
  CHECK(late + drained == 0);
}

TEST_CASE("a poll wakes at most 32 claims of one scope that name different labels, and the others in turn") {
  private_redis server;
  office office(server);
  constexpr int count = 70;
  int woken = 0;
  for (int i = 0; i < count; ++i) office.start_claim(0, woken, "label " + std::to_string(i));
  office.until([&] { return office.workers[0]->waiting() == count; });
  office.until([&] { return woken > 0; });
  office.io.poll();
  CHECK(woken == 32);
  office.until([&] { return woken == count; });
}

TEST_CASE("a cancellation reaches the waiting heartbeat on any instance, and without news by looking") {
  private_redis server;
  office subject(server);
  std::multiset<std::size_t> reported;
  uuid const run = uuid::generate_v7();
  auto wait_on = [](office& office, std::size_t worker, uuid which, std::multiset<std::size_t>& into) -> task<> {
    dispatch::dispatcher::run_wait mine(*office.workers[worker],
                                        {{uuid::generate_v7(), uuid::generate_v7()}, {which, uuid::generate_v7()}});
    if (co_await mine.until(office::soon())) into.insert(worker);
  };
  for (std::size_t worker : {0U, 1U, 3U}) {
    asio::co_spawn(subject.io, wait_on(subject, worker, run, reported), asio::detached);
    subject.until([&] { return subject.workers[worker]->waiting() == 1; });
    subject.until([&] {
      subject.workers[0]->cancel_requested(run);
      subject.io.run_for(milliseconds(10));
      return reported.contains(worker);
    });
  }
  asio::co_spawn(subject.io, wait_on(subject, 2, run, reported), asio::detached);
  subject.changed = true;
  subject.until([&] { return reported.contains(2); });
}

TEST_CASE(
    "a claim has one wait: repeated heartbeats end the older ones and do not multiply the database's questions") {
  private_redis server;
  office subject(server);
  auto const claims_of = [](std::size_t count) {
    std::vector<dispatch::waited_run> out(count);
    for (auto& run : out) run = {uuid::generate_v7(), uuid::generate_v7()};
    return out;
  };
  int ended = 0, woken = 0;
  auto wait_on = [](office& office, std::vector<dispatch::waited_run> which, int& all, int& news) -> task<> {
    dispatch::dispatcher::run_wait mine(*office.workers[0], std::move(which));
    if (co_await mine.until(office::soon())) ++news;
    ++all;
  };
  auto const start = [&](std::vector<dispatch::waited_run> which) {
    asio::co_spawn(subject.io, wait_on(subject, std::move(which), ended, woken), asio::detached);
  };
  auto const pair = claims_of(2);
  for (int i = 0; i < 50; ++i) start(pair);
  subject.until([&] { return subject.workers[0]->waiting() == 1 && ended == 49; });
  CHECK(woken == 0);
  // The change takes one of two claims, so the older wait continues with the other.
  start({pair[0]});
  subject.until([&] { return subject.workers[0]->waiting() == 2; });
  subject.workers[0]->cancel_requested(pair[1].run);
  subject.until([&] { return ended == 50; });
  CHECK(woken == 1);
  subject.workers[0]->cancel_requested(pair[0].run);
  subject.until([&] { return ended == 51; });
  CHECK(woken == 2);
}

TEST_CASE("the database is asked about each run once, a thousand at a time") {
  private_redis server;
  office office(server);
  constexpr std::size_t count = 2500;
  std::vector<dispatch::waited_run> all(count);
  for (auto& run : all) run = {uuid::generate_v7(), uuid::generate_v7()};
  // A run whose former claim still waits counts once.
  auto former = all.front();
  former.claim = uuid::generate_v7();
  std::vector<std::unique_ptr<dispatch::dispatcher::run_wait>> waits;
  for (std::size_t first = 0; first < count; first += 100)
    waits.push_back(std::make_unique<dispatch::dispatcher::run_wait>(
        *office.workers[0], std::vector(all.begin() + static_cast<std::ptrdiff_t>(first),
                                        all.begin() + static_cast<std::ptrdiff_t>(first + 100))));
  waits.push_back(std::make_unique<dispatch::dispatcher::run_wait>(*office.workers[0], std::vector{former}));
  office.until([&] { return office.questions.size() >= 3; });
  std::set<uuid> asked;
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(office.questions[i].size() == (i < 2 ? 1000 : 500));
    asked.insert(office.questions[i].begin(), office.questions[i].end());
  }
  CHECK(asked.size() == count);
  waits.clear();
}

/// The exceptions of the store for a refusal. Most SQLSTATEs count as a bug, those of a lock or of resources as an
/// outage.
std::exception_ptr const refusals[] = {std::make_exception_ptr(std::logic_error("unchecked server error 42501")),
                                       std::make_exception_ptr(unavailable("55P03"))};

TEST_CASE("a wait for a cancellation is answered although the database refused unexpectedly") {
  private_redis server;
  office subject(server);
  auto wait = [](office& office, bool& done) -> task<> {
    dispatch::dispatcher::run_wait mine(*office.workers[0], {{uuid::generate_v7(), uuid::generate_v7()}});
    done = co_await mine.until(office::soon());
  };
  // Nobody waits yet, so the loop does not count as standing still.
  CHECK(subject.polls->at(steady::now() + std::chrono::hours(1)).health == loop_health::good);
  for (auto const& refusal : refusals) {
    bool reported = false;
    subject.refused = refusal;
    subject.changed = false;
    asio::co_spawn(subject.io, wait(subject, reported), asio::detached);
    subject.until([&] { return subject.polls->at(steady::now()).health == loop_health::failing; });
    subject.refused = nullptr;
    subject.changed = true;
    subject.until([&] { return reported; });
    CHECK(subject.polls->at(steady::now()).health == loop_health::good);
  }
}

}  // namespace
