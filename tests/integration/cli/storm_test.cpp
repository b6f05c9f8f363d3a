#include "integration/cli/fault_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

using namespace svc::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr int clients = 100;
constexpr int never_admitted = 20;  // of them, the first ones
constexpr seconds first_wait{5};
constexpr seconds timeout{40};

int client_of(received const& r) {
  return std::stoi(r.field("X-Client"));
}

/// Refuses everybody once, and the first ones always.
class limiter {
 public:
  scripted_answer answer(received const& r) {
    std::lock_guard const lock(mutex_);
    int const tries = ++tries_[client_of(r)];
    if (tries > 1 && client_of(r) >= never_admitted) return whole_answer(200, "{}");
    auto const wait = tries == 1 ? first_wait : seconds(1);
    return whole_answer(429, error_body("rate_limited"), "Retry-After: " + std::to_string(wait.count()) + "\r\n");
  }

 private:
  std::mutex mutex_;
  std::map<int, int> tries_;
};

using arrivals = std::map<int, std::vector<std::chrono::steady_clock::time_point>>;

arrivals by_client(std::vector<received> const& all) {
  arrivals out;
  for (auto const& each : all) out[client_of(each)].push_back(each.time);
  return out;
}

}  // namespace

TEST_CASE("a storm of 100 clients at a limit: none retries early, all at different times, none more than 4 times") {
  limiter limit;
  scripted_server server([&](received const& r) { return limit.answer(r); });
  std::vector<std::unique_ptr<svc_process>> storm;
  for (int i = 0; i < clients; ++i) {
    // A POST without a key: nothing has happened, so it is retried too.
    storm.push_back(std::make_unique<svc_process>(
        invocation{.arguments = {"api", "POST", "/api/jobs", "-H", "X-Client: " + std::to_string(i), "--timeout",
                                 std::to_string(timeout.count()), "--json"},
                   .environment = environment_of(server)}));
  }
  for (int i = 0; i < clients; ++i) {
    CAPTURE(i);
    auto const result = storm[static_cast<std::size_t>(i)]->wait();
    CHECK(result.code == (i < never_admitted ? 4 : 0));
    CHECK(failure_code(result) == (i < never_admitted ? "rate_limited" : ""));
    CHECK(result.elapsed < timeout);
  }
  auto const seen = by_client(server.requests());
  REQUIRE(seen.size() == clients);
  auto shortest = milliseconds::max(), longest = milliseconds::zero();
  for (auto const& [client, time] : seen) {
    CAPTURE(client);
    CHECK(time.size() == (client < never_admitted ? 4 : 2));
    auto const waited = std::chrono::duration_cast<milliseconds>(time.at(1) - time.at(0));
    shortest = std::min(shortest, waited);
    longest = std::max(longest, waited);
    for (std::size_t i = 2; i < time.size(); ++i) CHECK(time[i] - time[i - 1] >= seconds(1));
  }
  CHECK(shortest >= first_wait);
  CHECK(longest - shortest >= first_wait * 15 / 100);
  MESSAGE("second tries came " << shortest.count() << " to " << longest.count() << " ms after the first ones");
}
