#include "integration/access/fixture.hpp"

#include <atomic>
#include <thread>

using namespace svc;
using namespace svc::access;

namespace {

constexpr window_limit limit{20, 2};
constexpr std::int64_t window = limit.seconds * second;

/// One client with its own connection and thread. Asks until Redis's time is `end`: without a pause near the time
/// when a slot becomes free, and rarely in between.
class hammer {
 public:
  hammer(std::string const& url, std::int64_t end) : thread_([this, url, end] { run(url, end); }) {}
  hammer(hammer const&) = delete;
  hammer& operator=(hammer const&) = delete;

  std::vector<limit_decision> join() {
    thread_.join();
    return seen_;
  }

 private:
  void run(std::string const& url, std::int64_t end) {
    asio::io_context io(1);
    redis::client client(io, redis::patient(url), {&admission::script()});
    client.start();
    asio::co_spawn(io, ask(client, end), [&](std::exception_ptr) { client.stop(); });
    io.run();
  }

  task<> ask(redis::client& client, std::int64_t end) {
    co_await client.wait_connected(deadline::after(std::chrono::seconds(10)));
    admission shared(client);
    steady_timer pause(co_await asio::this_coro::executor);
    while (seen_.empty() || seen_.back().now_micros < end) {
      auto const reply = co_await shared.admit({"s", epoch_mode::none, 0, rate_class::cli, limit},
                                               deadline::after(std::chrono::seconds(10)));
      if (reply.verdict != admission_verdict::ok && reply.verdict != admission_verdict::denied) co_return;
      seen_.push_back(reply.decision);
      auto const ahead = reply.decision.retry_micros - reply.decision.now_micros;
      if (reply.decision.admitted || ahead < 5'000) continue;
      pause.expires_after(microseconds(std::min<std::int64_t>(ahead - 4'000, 100'000)));
      co_await pause.async_wait(awaiting);
    }
  }

  std::vector<limit_decision> seen_{};
  std::thread thread_;
};

std::int64_t counted(std::vector<std::int64_t> const& admitted, std::int64_t after, std::int64_t until) {
  return std::upper_bound(admitted.begin(), admitted.end(), until) -
         std::upper_bound(admitted.begin(), admitted.end(), after);
}

void check_refusal(std::vector<std::int64_t> const& admitted, limit_decision const& d) {
  // No slot was free; one becomes free at retry and not a microsecond earlier, if nobody else comes.
  CHECK(counted(admitted, d.now_micros - window, d.now_micros) == limit.limit);
  CHECK(counted(admitted, d.retry_micros - window, d.now_micros) < limit.limit);
  CHECK(counted(admitted, d.retry_micros - 1 - window, d.now_micros) == limit.limit);
  CHECK(d.remaining == 0);
}

}  // namespace

TEST_CASE("eight clients share one window: never more than its limit, never fewer than possible") {
  test::private_redis const server;
  redis::worker w;
  redis::client client(w.io, redis::patient(server.url()), {&admission::script()});
  w.connect(client);
  admission first(client);
  auto const ask = [&] {
    return w
        .run(first.admit({"s", epoch_mode::none, 0, rate_class::cli, limit},
                         deadline::after(std::chrono::seconds(10))))
        .decision;
  };

  // Half of the first window at its start, the other half 100 ms before its end: from then on there are bursts on
  // both sides of each boundary of two windows.
  std::vector<limit_decision> seen;
  for (int i = 0; i < 10; ++i) seen.push_back(ask());
  auto const begin = seen.front().now_micros;
  bool late = false;
  steady_timer pause(w.io, microseconds(window - second / 10));
  pause.async_wait([&](boost::system::error_code) { late = true; });
  REQUIRE(w.run_until([&] { return late; }));

  std::vector<std::unique_ptr<hammer>> clients;
  for (int i = 0; i < 8; ++i)
    clients.push_back(std::make_unique<hammer>(server.url(), begin + 3 * window + second / 2));
  for (auto& c : clients) {
    auto const more = c->join();
    REQUIRE_FALSE(more.empty());
    CHECK(more.back().now_micros >= begin + 3 * window);
    seen.insert(seen.end(), more.begin(), more.end());
  }
  // Within one microsecond the order is that in which the slots were taken.
  std::sort(seen.begin(), seen.end(), [](auto const& a, auto const& b) {
    return std::pair(a.now_micros, b.remaining) < std::pair(b.now_micros, a.remaining);
  });

  std::vector<std::int64_t> admitted;
  for (auto const& d : seen) {
    if (!d.admitted) continue;
    auto const before = counted(admitted, d.now_micros - window, d.now_micros);
    CHECK(d.remaining == limit.limit - before - 1);
    admitted.push_back(d.now_micros);
    CHECK(d.reset_micros == *std::upper_bound(admitted.begin(), admitted.end(), d.now_micros - window) + window);
  }
  for (std::size_t i = limit.limit; i < admitted.size(); ++i)
    CHECK(admitted[i] - admitted[i - limit.limit] >= window);
  for (auto const& d : seen)
    if (!d.admitted) check_refusal(admitted, d);
  // 10 at the start, then 10 before and 10 after each of three boundaries.
  CHECK(admitted.size() == 70);
  CHECK(seen.size() > 2 * admitted.size());
}
