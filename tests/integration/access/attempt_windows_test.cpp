#include "svc/access/attempt_windows.hpp"
#include "integration/access/fixture.hpp"

using namespace svc;
using namespace svc::access;

namespace {

constexpr timestamp attempts_now{1'700'000'000'000'000};

/// One of four instances that share a Redis.
struct attempting_instance {
  explicit attempting_instance(redis::worker& w, std::string const& url)
      : client(w.io, redis::patient(url), {&admission::script()}),
        local(w.io, instances, milliseconds(50)),
        redis(client),
        windows(redis, local, table, [] { return attempts_now; }) {
    w.connect(client);
  }

  std::atomic<int> instances{4};
  limit_table table{};
  redis::client client;
  fallback local;
  admission redis;
  attempt_windows windows;
};

struct four_instances {
  four_instances() {
    for (int i = 0; i < 4; ++i) all.push_back(std::make_unique<attempting_instance>(w, server.url()));
  }

  limit_decision count(std::size_t instance, std::string const& subject,
                       rate_class which = rate_class::sign_in_account) {
    return w.run(all[instance]->windows.count(which, subject, deadline::after(std::chrono::seconds(10))));
  }
  int admitted(int attempts, std::string const& subject) {
    int out = 0;
    for (int i = 0; i < attempts; ++i) out += count(static_cast<std::size_t>(i) % 4, subject).admitted ? 1 : 0;
    return out;
  }

  test::private_redis server;
  redis::worker w;
  std::vector<std::unique_ptr<attempting_instance>> all{};
};

}  // namespace

TEST_CASE("ten attempts at an account pass over four instances, and the owner's browser has a window of its own") {
  four_instances four;
  CHECK(four.admitted(400, "account:ada") == 10);
  auto const refused = four.count(0, "account:ada");
  CHECK_FALSE(refused.admitted);
  CHECK(refused.window == window_limit{10, 900});
  CHECK(refused.retry_micros > refused.now_micros);
  CHECK(refused.retry_micros - refused.now_micros <= 900 * second);
  CHECK(four.admitted(4, "device:of ada") == 4);
  CHECK(four.admitted(40, "device:of ada") == 6);
  CHECK(four.admitted(40, "account:eve") == 10);
  // Other classes count the same subject apart.
  CHECK(four.count(1, "account:ada", rate_class::recovery).admitted);
}

TEST_CASE("without Redis the instances together allow no more, and the owner still signs in") {
  four_instances four;
  for (auto& each : four.all) each->local.redis_lost();
  CHECK(four.admitted(400, "account:ada") == 8);
  CHECK(four.admitted(4, "device:of ada") == 4);
}
