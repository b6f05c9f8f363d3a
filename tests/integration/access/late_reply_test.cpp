#include "integration/access/fixture.hpp"
#include "support/fault_proxy.hpp"
#include "support/temporary_directory.hpp"
#include "svc/access/fallback.hpp"

using namespace svc;
using namespace svc::access;
using namespace std::chrono_literals;

namespace {

constexpr window_limit twenty{20, 600};
/// Long, so that a busy machine does not open the breaker in the test of late replies.
constexpr milliseconds prompt = 200ms;

/// A worker that reaches Redis through a proxy, and what its requests got.
struct proxied_worker {
  proxied_worker() {
    client.on_silence([this](steady::time_point now) {
      ++silences;
      windows.redis_missed(now);
    });
    windows.when_lost([this] { client.give_up(); });
    w.connect(client);
  }

  redis::settings settings() const {
    auto out = redis::patient("unix:" + directory.path() + "/redis");
    out.command_deadline = prompt;
    out.longest_wait = 10s;
    return out;
  }

  task<> ask_one() {
    auto const reply =
        co_await windows.ask(shared, {"s", epoch_mode::none, 0, rate_class::cli, twenty}, deadline::after(15s));
    ++ended;
    if (!reply) {
      ++not_asked;
    } else if (reply->verdict == admission_verdict::lost) {
      ++lost;
    } else {
      admitted += reply->decision.admitted ? 1 : 0;
    }
  }
  void start_one() {
    ++asked;
    asio::co_spawn(w.io, ask_one(), asio::detached);
  }

  test::private_redis server;
  test::temporary_directory directory;
  test::fault_proxy proxy{directory.path() + "/redis", server.socket(), {}, 1};
  redis::worker w;
  redis::client client{w.io, settings(), {&admission::script()}};
  admission shared{client};
  std::atomic<int> instances{1};
  fallback windows{w.io, instances, prompt};
  int silences = 0, asked = 0, ended = 0, lost = 0, not_asked = 0, admitted = 0;
};

}  // namespace

TEST_CASE("a limit stays exact when replies of a healthy Redis are late") {
  proxied_worker worker;
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    bool const late = i % 5 == 0;
    auto const before = worker.silences;
    if (late) worker.proxy.fall_silent(test::silence::stalled_answers);
    worker.start_one();
    if (late) {
      // The reply is late by now.
      REQUIRE(worker.w.run_until([&] { return worker.silences > before || worker.ended == worker.asked; }));
      worker.proxy.fall_silent(test::silence::none);
    }
    REQUIRE(worker.w.run_until([&] { return worker.ended == worker.asked; }));
  }
  CHECK(worker.silences >= 6);
  CHECK(worker.lost == 0);
  CHECK(worker.not_asked == 0);
  CHECK(worker.admitted == static_cast<int>(twenty.limit));
  CHECK_FALSE(worker.windows.redis().is_open());
  CHECK(worker.client.stats().missed == 0);
}

TEST_CASE("only silence opens the breaker, and it releases every request that waits for a reply") {
  proxied_worker worker;
  auto const start = steady::now();
  worker.server.freeze();
  for (int i = 0; i < 10; ++i) worker.start_one();
  REQUIRE(worker.w.run_until([&] { return worker.windows.redis().is_open(); }));
  // A single request would have been enough, because only the length of the silence counts.
  CHECK(steady::now() - start >= 5 * prompt);
  CHECK(worker.silences == 5);
  REQUIRE(worker.w.run_until([&] { return worker.ended == worker.asked; }));
  CHECK(worker.lost == 10);
  CHECK(worker.client.connected());
  worker.start_one();
  REQUIRE(worker.w.run_until([&] { return worker.ended == worker.asked; }));
  CHECK(worker.not_asked == 1);
  worker.server.thaw();
}
