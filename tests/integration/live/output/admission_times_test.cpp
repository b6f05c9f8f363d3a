// Measures the time of admissions while many runs print, by the service's own histogram.
#include "neighbours.hpp"
#include "support/metrics_page.hpp"

#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>
#include <numeric>
#include <sstream>

namespace svc::test {
namespace {

int const talk_seconds = long_form("TEST_TALK_SECONDS", 2);
bool const is_long = talk_seconds >= 20;
/// Allowed excess over twice the quiet time, in milliseconds. The short form runs on any machine, and one good round
/// of three is enough.
double const allowance = is_long ? 1 : 10;
int const rounds = is_long ? 1 : 3;
/// Each prints 100 lines of 100 bytes a second, unless a shorter pace is set. 0: as fast as the service accepts them.
int const talkers = long_form("TEST_TALKERS", 64);
milliseconds const talking_pace{long_form("TEST_TALK_PACE_MS", 1000)};
constexpr int askers = 4, lines_of_each = 100, bytes_of_a_line = 100, batches_of_a_run = 50;
constexpr milliseconds asking_pace{10};
constexpr int lowest_priority = 19;

/// The counters of admissions since the start of the process.
struct admission_counts {
  explicit admission_counts(configured_service const& service) {
    auto const page = api_client(service.admin_url(), {}, {}).get("/metrics").body;
    lost = sum_of(page, "svc_admissions_total{", "verdict=\"lost\"");
    admitted = sum_of(page, "svc_admissions_total{", "class=\"cli\",verdict=\"ok\"");
    std::istringstream lines(page);
    std::string const bucket = "svc_admission_seconds_bucket{le=\"";
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(bucket))
        up_to.emplace_back(std::stod(line.substr(bucket.size())), std::stod(line.substr(line.rfind(' '))));
  }

  std::vector<std::pair<double, double>> up_to{};  ///< upper bound in seconds, observations up to it
  double lost = 0, admitted = 0;
};

/// Returns milliseconds. It assumes that observations are evenly spread within a bucket, as in Prometheus.
double p99_between(admission_counts const& before, admission_counts const& after) {
  REQUIRE(!after.up_to.empty());
  double const wanted = 0.99 * (after.up_to.back().second - before.up_to.back().second);
  double bound = 0, count = 0;
  for (std::size_t i = 0; i < after.up_to.size(); ++i) {
    auto const [next, all] = after.up_to[i];
    double const in_all = all - before.up_to[i].second;
    if (in_all >= wanted) return 1000 * (bound + (next - bound) * (wanted - count) / (in_all - count));
    bound = next;
    count = in_all;
  }
  return 1000 * bound;
}

/// Threads that repeat one task until the test stops them, at the latest at the end. They return the number of
/// admissions that they used.
class at_work {
 public:
  at_work() = default;
  ~at_work() { enough_ = true; }
  at_work(at_work const&) = delete;
  at_work& operator=(at_work const&) = delete;

  void add(std::function<int(std::atomic<bool> const& enough)> work) {
    all_.push_back(std::async(std::launch::async, std::move(work), std::cref(enough_)));
  }
  int stop() {
    enough_ = true;
    return std::accumulate(all_.begin(), all_.end(), 0, [](int sum, auto& future) { return sum + future.get(); });
  }

 private:
  std::atomic<bool> enough_{false};
  std::vector<std::future<int>> all_{};
};

/// A tenant that sends requests at a steady rate; all its requests are warm.
int ask_steadily(api_client& client, std::atomic<bool> const& enough) {
  int answered = 0;
  for (auto next = clock::now(); !enough; next += asking_pace) {
    std::this_thread::sleep_until(next);
    auto const got = client.get("/api/auth/whoami");
    CHECK_MESSAGE(got.status == 200, got.body);
    ++answered;
  }
  return answered;
}

/// Prints one run after another like a runner, in batches.
class talker {
 public:
  /// `behind` delays the start, because no two runners keep step.
  talker(neighbour& neighbour, milliseconds behind)
      : neighbour_(neighbour), user_(neighbour.user_of_its_own()), client_(neighbour.executor()), behind_(behind) {}

  int talk(std::atomic<bool> const& enough) {
    // Real runners are on other machines: here they get only the processor time that the service leaves.
    REQUIRE(::nice(lowest_priority) != -1);
    std::this_thread::sleep_for(behind_);
    int triggered = 0;
    for (; !enough; ++triggered) {
      REQUIRE(user_.post(trigger_path(neighbour_.job)).status == 202);
      auto const claims = claims_of(client_.claim(5));
      if (!claims.empty()) print(claims[0], enough);
    }
    return triggered;
  }

  std::atomic<int> batches = 0;

 private:
  void print(boost::json::value const& claim, std::atomic<bool> const& enough) {
    int last = 0;
    for (auto next = clock::now(); !enough && last < batches_of_a_run * lines_of_each; next += talking_pace) {
      std::this_thread::sleep_until(next);
      auto const got = client_.post("runs/" + text_of(claim, "/runId") + "/output",
                                    {{"claimId", claim.at("claimId")}, {"lines", lines_from(last + 1)}});
      REQUIRE_MESSAGE(got.status == 200, got.status << " " << got.body);
      ++batches;
      last += lines_of_each;
    }
    CHECK(client_.complete(claim, "passed", last).status == 204);
  }

  static boost::json::array lines_from(int first) {
    boost::json::array lines;
    for (int seq = first; seq < first + lines_of_each; ++seq)
      lines.push_back({{"seq", seq}, {"stream", "stdout"}, {"text", std::string(bytes_of_a_line, 'a')}});
    return lines;
  }

  neighbour& neighbour_;
  api_client user_;
  runner_client client_;
  milliseconds behind_;
};

struct figures {
  double quiet_ms = 0, loud_ms = 0;
  int asked = 0, batches = 0;
};

/// Measures a quiet period, then an equally long one next to the printing runs. All admissions must have been decided
/// in Redis.
figures measure(configured_service const& here, neighbour& loud, neighbour& quiet) {
  REQUIRE(comes_true([&] { return page(here).held() < 1'000'000; }, patience));
  admission_counts const before(here);
  figures out;
  at_work asking;
  for (int i = 0; i < askers; ++i)
    asking.add([user = std::make_shared<api_client>(quiet.user_of_its_own())](auto const& enough) {
      return ask_steadily(*user, enough);
    });
  admission_counts const quiet_begin(here);
  std::this_thread::sleep_for(seconds(talk_seconds));
  out.quiet_ms = p99_between(quiet_begin, admission_counts(here));

  std::vector<std::unique_ptr<talker>> all;
  for (int i = 0; i < talkers; ++i) all.push_back(std::make_unique<talker>(loud, i * talking_pace / talkers));
  at_work talking;
  for (auto& talker : all) talking.add([&talker](auto const& enough) { return talker->talk(enough); });
  REQUIRE(
      comes_true([&] { return std::ranges::all_of(all, [](auto const& t) { return t->batches > 0; }); }, patience));
  auto const batches = [&] {
    return std::accumulate(all.begin(), all.end(), 0,
                           [](int sum, auto const& talker) { return sum + talker->batches; });
  };
  auto const printed = batches();
  admission_counts const loud_begin(here);
  std::this_thread::sleep_for(seconds(talk_seconds));
  out.loud_ms = p99_between(loud_begin, admission_counts(here));
  out.batches = batches() - printed;
  CHECK(page(here).shared);
  out.asked = talking.stop() + asking.stop();
  admission_counts const after(here);
  CHECK(after.lost == before.lost);
  CHECK(after.admitted - before.admitted == out.asked);
  return out;
}

TEST_CASE("64 runs print 100 lines a second each: others' admissions take hardly longer, and none is lost") {
  fleet fleet(1);
  std::vector<std::string> environment{"SVC_LIMITS_CLI_LIMIT=1000000"};
  // The long form tests the shipped deadlines, on an otherwise idle machine.
  if (!is_long) environment.insert(environment.end(), {"SVC_REDIS_DEADLINE=1s", "SVC_HTTP_DEADLINE=8s"});
  configured_service here(fleet.dev(), both_kinds, environment);
  neighbour loud(fleet, here), quiet(fleet, here);
  bool within = false;
  for (int round = 0; round < rounds && !within; ++round) {
    auto const got = measure(here, loud, quiet);
    within = got.loud_ms <= 2 * got.quiet_ms + allowance;
    MESSAGE("p99 of admissions: " << got.quiet_ms << " ms alone, " << got.loud_ms << " ms beside " << talkers
                                  << " runs; " << got.asked << " admitted, " << got.batches << " batches printed");
  }
  CHECK(within);
}

}  // namespace
}  // namespace svc::test
