// An instance gets more requests than it can serve: it refuses some of them at once, lists before reads before
// changes. It serves the others as fast as without overload. `TEST_OVERLOAD=20`: seconds of each load.
#include "integration/system/extra_instance.hpp"
#include "integration/system/faults/faults.hpp"
#include "integration/system/jobs.hpp"
#include "support/fault_proxy.hpp"
#include "support/metrics_page.hpp"
#include "support/together.hpp"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <future>

namespace svc::test {
namespace {

using std::chrono::steady_clock;

/// Each handler keeps the worker for 4 ms, so it can serve at most 250 requests a second on any machine.
constexpr int capacity = 250, load_clients = 250;
constexpr std::chrono::seconds settling{2};
constexpr int short_form = 3;

struct load_answers {
  std::array<std::atomic<int>, 3> served{}, refused{};  ///< lists, reads, changes
  std::atomic<int> others{0};

  double refused_share(std::size_t count) const {
    return static_cast<double>(refused[count]) / std::max(1, served[count] + refused[count]);
  }
};

/// The counts of the instance itself: clients that wait for a processor would count late.
struct server_counts {
  explicit server_counts(std::string const& page)
      : served(sum_of(page, "http_server_requests_total{", "http_response_status_code=\"20")),
        lists(sum_of(page, "http_server_request_duration_seconds_count{", route)),
        fast_lists(
            sum_of(page, "http_server_request_duration_seconds_bucket{", std::string(route) + ",le=\"0.005\"")),
        shed_lists(sum_of(page, "svc_requests_shed_total{", "class=\"lists\"")) {}
  static constexpr char const* route = R"(http_request_method="GET",http_route="/api/jobs")";
  steady_clock::time_point time = steady_clock::now();
  double served, lists, fast_lists, shed_lists;
};

struct offered {
  server_counts before, after;

  double served_a_second() const {
    return (after.served - before.served) / std::chrono::duration<double>(after.time - before.time).count();
  }
  double lists() const { return after.lists - before.lists; }
  /// Returns the lists that were answered within 5 ms of their complete head.
  double fast_lists() const { return after.fast_lists - before.fast_lists; }
  double shed_lists() const { return after.shed_lists - before.shed_lists; }
};

/// An instance with one worker, and its clients' requests. `slow`: the environment that makes the instance slow.
/// Several projects share the load, because a single one reaches its share of the database before the instance is
/// full.
class busy_instance {
 public:
  explicit busy_instance(std::vector<std::string> slow, std::size_t projects = 8)
      : instance_(with_limits(std::move(slow))), customers_(projects) {
    for (auto& each : customers_) {
      each.owner = shared_fleet().make_tenant();
      auto owner = shared_fleet().client(0, each.owner.token);
      each.job = make_job(owner);
    }
  }

  /// Offers that many requests a second, evenly and independently of the answers, as far as the clients can wait. A
  /// fifth are lists, two fifths are reads and two fifths are triggers. Answers from the first seconds, while clients
  /// connect and the level settles, do not count. Returns the instance's counts from then on.
  offered offer(int a_second, double seconds, load_answers& into) const {
    auto const start = steady_clock::now(), begin = start + settling;
    auto const end =
        begin + std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(seconds));
    auto const gap = std::chrono::duration<double>(static_cast<double>(load_clients) / a_second);
    auto counted = std::async(std::launch::async, [&] {
      std::this_thread::sleep_until(begin);
      auto const before = counts();
      std::this_thread::sleep_until(end);
      return offered{before, counts()};
    });
    together(load_clients, [&](int me) {
      auto const& mine = customers_[static_cast<std::size_t>(me) % customers_.size()];
      auto client = instance_.client(mine.owner.token);
      for (int i = 0;; ++i) {
        auto const due = start + std::chrono::duration_cast<steady_clock::duration>(
                                     gap * (i + static_cast<double>(me) / load_clients));
        if (std::max(due, steady_clock::now()) >= end) break;
        std::this_thread::sleep_until(due);
        ask(client, mine.job, static_cast<std::size_t>((me / 8 + i) % 5), {begin, end}, into);
      }
    });
    return counted.get();
  }
  server_counts counts() const { return server_counts(metrics()); }
  std::string metrics() const { return instance_.pages().get("/metrics").body; }
  bool calm() const {
    auto const page = metrics();
    return sum_of(page, "svc_load_shedding_level{") == 0;
  }
  api_client client() const { return instance_.client(customers_.front().owner.token); }

 private:
  static std::vector<std::string> with_limits(std::vector<std::string> slow) {
    slow.insert(slow.end(), {"SVC_WORKERS=1", "SVC_HTTP_IN_FLIGHT=100000", "SVC_HTTP_QUEUE_TIME=100ms",
                             "SVC_QUOTAS_QUEUED_RUNS=0"});
    return slow;
  }
  struct period {
    steady_clock::time_point begin, end;
  };

  /// Sends one request. Answers outside of `counted` do not count.
  void ask(api_client& client, std::string const& job, std::size_t which, period counted, load_answers& into) const {
    std::size_t const count = which == 0 ? 0 : which <= 2 ? 1 : 2;
    auto const got = count == 0   ? client.get("/api/jobs")
                     : count == 1 ? client.get("/api/jobs/" + job)
                                  : client.post(trigger_path(job));
    if (auto const now = steady_clock::now(); now < counted.begin || now > counted.end) return;
    bool const refused = got.status == 503 && code_of(got) == "overloaded" && got.header("retry-after");
    if (got.status < 300)
      ++into.served[count];
    else
      ++(refused ? into.refused[count] : into.others);
  }

  extra_instance instance_;
  struct customer {
    tenant owner;
    std::string job;
  };
  std::vector<customer> customers_;
};

TEST_CASE("twice to five times the capacity of an instance: it serves as much as ever, the rest is refused at once") {
  busy_instance const busy({"SVC_FAILPOINTS=pipeline.before_handler=sleep:4"});
  double const seconds = long_form("TEST_OVERLOAD", short_form);
  // A few seconds on a noisy machine cannot distinguish rates that differ by a tenth.
  double const least = seconds > short_form ? 0.9 : 0.8;
  load_answers warm, full;
  busy.offer(capacity / 4, 1, warm);
  CHECK(warm.refused_share(0) == 0);
  CHECK(warm.others == 0);
  // The real capacity of this machine.
  double const best = busy.offer(capacity, seconds, full).served_a_second();
  for (int const times : {2, 3, 5}) {
    CAPTURE(times);
    load_answers seen;
    auto const by_server = busy.offer(static_cast<int>(times * best), seconds, seen);
    MESSAGE(times << " times: " << by_server.served_a_second() << " a second, " << best
                  << " at the capacity; refused " << seen.refused_share(0) << " of lists, " << seen.refused_share(1)
                  << " of reads, " << seen.refused_share(2) << " of triggers; " << by_server.fast_lists() << " of "
                  << by_server.lists() << " lists within 5 ms");
    CHECK(seen.others == 0);
    CHECK(by_server.served_a_second() >= least * best);
    CHECK(seen.refused_share(0) > 0.9);
    CHECK(seen.refused_share(0) >= seen.refused_share(1));
    CHECK(seen.refused_share(1) > seen.refused_share(2));
    if (times == 2) CHECK(seen.refused_share(2) < 0.35);
    // Nearly all of these are refused lists: answered 5 ms after their head was complete, by the server's histogram.
    CHECK(by_server.lists() > 20);
    CHECK(by_server.fast_lists() >= 0.9 * by_server.lists());
  }
  auto client = busy.client();
  REQUIRE(comes_true([&] { return client.get("/api/jobs").status == 200 && busy.calm(); }, milliseconds(5000)));
  for (int i = 0; i < 20; ++i) CHECK(client.get("/api/jobs").status == 200);
  CHECK(sum_of(busy.metrics(), "svc_requests_shed_total{", "class=\"lists\"") > 0);
}

TEST_CASE(
    "twice the capacity of an instance, from one project: the project's lists are refused before authentication") {
  busy_instance const busy({"SVC_FAILPOINTS=pipeline.before_handler=sleep:4"}, 1);
  load_answers seen;
  auto const by_server = busy.offer(2 * capacity, long_form("TEST_OVERLOAD", short_form), seen);
  MESSAGE(by_server.served_a_second() << " a second; refused " << seen.refused_share(0) << " of lists, "
                                      << seen.refused_share(1) << " of reads, " << seen.refused_share(2)
                                      << " of triggers; " << by_server.fast_lists() << " of "
                                      << by_server.shed_lists() << " refused lists within 5 ms, " << by_server.lists()
                                      << " in all");
  CHECK(seen.others == 0);
  CHECK(seen.refused_share(0) > 0.5);
  CHECK(seen.refused_share(0) >= seen.refused_share(1));
  CHECK(seen.refused_share(1) >= seen.refused_share(2));
  CHECK(seen.served[2] > 0);
  CHECK(by_server.shed_lists() > 20);
  CHECK(by_server.fast_lists() >= 0.9 * by_server.shed_lists());
  auto client = busy.client();
  REQUIRE(comes_true([&] { return client.get("/api/jobs").status == 200 && busy.calm(); }, milliseconds(5000)));
  for (int i = 0; i < 20; ++i) CHECK(client.get("/api/jobs").status == 200);
}

/// The database of the shared fleet, whose answers arrive 8 ms late on average.
struct late_postgres {
  std::string url() const {
    auto const direct = shared_fleet().text("postgresUrl");
    return direct.substr(0, direct.find("host=")) + "host=" + sockets.path();
  }
  static std::string socket() {
    auto const redis = shared_fleet().redis_socket();
    return redis.substr(0, redis.rfind('/')) + "/.s.PGSQL.5432";
  }
  temporary_directory sockets{};
  fault_proxy proxy{sockets.path() + "/.s.PGSQL.5432", socket(), {1, 0, milliseconds(16)}, 1};
};

TEST_CASE("more lists than PostgreSQL can answer: they are refused at once, and nobody waits until the deadline") {
  late_postgres const late;
  constexpr char const* one_connection = "SVC_POSTGRES_POOL_PER_WORKER=1";
  busy_instance const busy({"SVC_POSTGRES_URL=" + late.url(), one_connection, "SVC_HTTP_DEADLINE=2s"});
  load_answers seen;
  // The load is twice the capacity of one connection.
  auto const by_server = busy.offer(capacity, long_form("TEST_OVERLOAD", short_form), seen);
  MESSAGE(by_server.served_a_second() << " a second; refused " << seen.refused_share(0) << " of lists, "
                                      << seen.refused_share(1) << " of reads, " << seen.refused_share(2)
                                      << " of triggers");
  CHECK(seen.others == 0);
  CHECK(seen.refused_share(0) > 0.5);
  CHECK(seen.refused_share(0) > seen.refused_share(1));
  CHECK(seen.refused_share(1) >= seen.refused_share(2));
  CHECK(seen.served[2] > 0);
}

}  // namespace
}  // namespace svc::test
