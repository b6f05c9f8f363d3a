// Plays a day of CI on three instances behind HAProxy, for SOAK_MINUTES. After a third it kills Redis's primary,
// after half of the time PostgreSQL's. After two thirds it replaces the instances in turn.
#include "soak.hpp"
#include "measure.hpp"
#include "support/metrics_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace svc::test {
namespace {

using soak_clock = std::chrono::steady_clock;
/// Minutes before memory settles: threads get arenas, records fill caches.
constexpr int short_soak = 20;
constexpr soak_bounds while_warming{.growth = 0.25};

/// Returns Redis Sentinel, or the stores that SOAK_REDIS names: `cluster`.
topology const& soaked_stores() {
  char const* const chosen = std::getenv("SOAK_REDIS");
  return chosen != nullptr && std::string_view(chosen) == "cluster" ? cluster_stores : replicated_stores;
}

/// Returns an older svcd that the instances run at first, so that their replacement is a rolling upgrade.
std::string soaked_from() {
  char const* const chosen = std::getenv("SOAK_FROM");
  return chosen == nullptr ? "" : chosen;
}

class soak {
 public:
  explicit soak(int minutes)
      : minutes_(minutes), clients_(rig_, long_form("SOAK_RATE", 60)), begun_(soak_clock::now()) {}

  void run() {
    std::vector<std::pair<double, std::function<void()>>> events{
        {1.0 / 3, [this] { event("Redis's primary is killed", [this] { rig_.redis().fail_over(); }); }},
        {1.0 / 2, [this] { event("PostgreSQL's primary is killed", [this] { rig_.postgres().fail_over(); }); }},
        {2.0 / 3, [this] { event("the instances are replaced in turn", [this] { replace_all(); }); }}};
    std::printf("minute | requests | no answer or 503 | MiB of each instance | descriptors\n");
    for (std::size_t next = 0; minute() < minutes_; std::this_thread::sleep_for(std::chrono::seconds(1))) {
      if (next < events.size() && minute() >= events[next].first * minutes_) events[next++].second();
      sample();
    }
    clients_.stop();
    clients_.check_runs();
  }

  soak_facts facts() {
    facts_.minutes = minutes_;
    for (std::size_t i = 0; i < rig_.size(); ++i) count_lines(i);
    auto const found = clients_.wrong();
    facts_.wrong.insert(found.begin(), found.end());
    return facts_;
  }
  long asked() const { return clients_.requests(); }
  long unavailable() const { return clients_.unavailable(); }

 private:
  double minute() const { return std::chrono::duration<double>(soak_clock::now() - begun_).count() / 60; }

  void event(char const* subject, std::function<void()> const& happens) {
    auto const failed = clients_.unavailable();
    auto const start = soak_clock::now();
    happens();
    rig_.await_normal();
    std::printf("%6.1f | %s: normal after %.1f s, %ld requests without an answer or 503\n", minute(), subject,
                std::chrono::duration<double>(soak_clock::now() - start).count(), clients_.unavailable() - failed);
    std::fflush(stdout);
  }

  void replace_all() {
    for (std::size_t i = 0; i < rig_.size(); ++i) {
      count_lines(i);
      if (rig_.replace(i) != 0) facts_.wrong.insert("an instance ended badly");
      rig_.await_normal();
    }
  }

  /// Adds the log lines and requests of an instance, including requests of runners, HAProxy and this test.
  void count_lines(std::size_t instance) {
    facts_.log_lines += static_cast<double>(rig_.log_lines_of(instance));
    facts_.requests += sum_of(rig_.pages(instance).get("/metrics").body, "http_server_requests_total");
  }

  /// Samples each instance ten times in a minute of the long form, and often enough that the short form can be
  /// judged.
  void sample() {
    auto const now = minute();
    if (now < next_sample_) return;
    next_sample_ = now + std::min(0.1, minutes_ / 60.0);
    std::string held, open;
    for (std::size_t i = 0; i < rig_.size(); ++i) {
      auto const page = rig_.pages(i).get("/metrics").body;
      soak_sample const soak_sample{rig_.pid_of(i), now, sum_of(page, "process_resident_memory_bytes"),
                                    sum_of(page, "process_open_fds")};
      facts_.samples.push_back(soak_sample);
      held += " " + std::to_string(static_cast<int>(soak_sample.resident / 1024 / 1024));
      open += " " + std::to_string(static_cast<int>(soak_sample.descriptors));
    }
    if (now < next_line_) return;
    next_line_ = now + 1;
    std::printf("%6.1f | %ld | %ld |%s |%s\n", now, clients_.requests(), clients_.unavailable(), held.c_str(),
                open.c_str());
    std::fflush(stdout);
  }

  int minutes_;
  // Retention is off, because deleted runs would count as lost.
  rig rig_{{.stores = soaked_stores(), .environment = {"SVC_RETENTION_RUNS_PER_JOB=0"}, .first = soaked_from()}};
  soak_clients clients_;
  soak_clock::time_point begun_;
  double next_sample_ = 0, next_line_ = 0;
  soak_facts facts_{};
};

TEST_CASE("soak: a day of CI with a failover of each store and a rolling restart") {
  auto const minutes = long_form("SOAK_MINUTES", 0);
  if (minutes == 0) return;
  soak day(minutes);
  day.run();
  auto const facts = day.facts();
  auto const wrong = broken(facts, minutes < short_soak ? while_warming : soak_bounds{});
  std::printf(
      "%d minutes: %ld requests of users, %ld without an answer or 503, %zu wrong answers; %.0f requests in all, "
      "%.2f lines of log for each\n",
      minutes, day.asked(), day.unavailable(), facts.wrong.size(), facts.requests, facts.log_lines / facts.requests);
  CHECK_MESSAGE(wrong.empty(), wrong);
  CHECK(day.asked() > 100L * minutes);
}

TEST_CASE("soak: its clients see a run that was lost") {
  if (long_form("SOAK_MINUTES", 0) == 0) return;
  rig rig({.stores = single_stores});
  soak_clients clients(rig, 60);
  REQUIRE(comes_true([&] { return clients.requests() > 200; }, std::chrono::seconds(60)));
  clients.stop();
  clients.check_runs();
  CHECK(clients.wrong().empty());
  rig.sql("DELETE FROM runs WHERE id = (SELECT id FROM runs LIMIT 1)");
  clients.check_runs();
  CHECK(clients.wrong() == std::set<std::string>{"1 acknowledged runs are lost"});
}

soak_facts forged_soak() {
  soak_facts out{.minutes = 100, .requests = 1000, .log_lines = 1100};
  for (int i = 0; i < 100; ++i)
    out.samples.push_back({1, static_cast<double>(i), i < 15 ? 20e6 + 1e6 * i : 40e6, 50});
  return out;
}

TEST_CASE(
    "soak: its judge sees memory that grows, descriptors that are lost, a log that is loud, and wrong answers") {
  CHECK(broken(forged_soak(), {}).empty());
  struct {
    char const* name;
    std::function<void(soak_facts&)> bug;
    char const* seen;
  } const bugs[] = {
      {"memory",
       [](soak_facts& f) {
         for (auto& s : f.samples) s.resident += s.minute * 40'000;
       },
       " grew from "},
      {"descriptors",
       [](soak_facts& f) {
         for (auto& s : f.samples) s.descriptors += s.minute / 4;
       },
       " descriptors "},
      {"log", [](soak_facts& f) { f.log_lines = 1501; }, "1501 lines of log for 1000 requests"},
      {"answer", [](soak_facts& f) { f.wrong.insert("GET /api/jobs: 500"); }, "wrong: GET /api/jobs: 500"}};
  for (auto const& entry : bugs) {
    CAPTURE(entry.name);
    auto facts = forged_soak();
    entry.bug(facts);
    CHECK(broken(facts, {}).find(entry.seen) != std::string::npos);
  }
  // A replaced process is judged by itself.
  auto replaced = forged_soak();
  for (int i = 0; i < 30; ++i) replaced.samples.push_back({2, 70.0 + i, 80e6, 90});
  CHECK(broken(replaced, {}).empty());
}

}  // namespace
}  // namespace svc::test
