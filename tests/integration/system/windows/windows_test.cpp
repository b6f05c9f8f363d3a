#include "integration/system/jobs.hpp"
#include "support/together.hpp"
#include "support/window_model.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

namespace svc::test {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int clients = 8;
constexpr int windows = 10;
constexpr milliseconds window{2000};
constexpr milliseconds beside_the_seam{25};
constexpr int burst = 5;
constexpr int strays = 4;

notification select_alert_details(answer const& answer) {
  auto const state = answer.header("ratelimit").value();
  return {answer.status == 202, answer.number("x-ratelimit-remaining"), answer.number("x-ratelimit-reset"),
          std::atoll(state.substr(state.find("t=") + 2).c_str()),
          answer.status == 429 ? answer.number("retry-after") : 0};
}

/// The times of one client's requests: bursts on both sides of every boundary, where a window that does not slide
/// would admit twice as many, and some in between.
std::vector<clock::time_point> moments(clock::time_point begin, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> within(0, static_cast<int>(window.count()) - 1);
  std::vector<clock::time_point> all;
  for (int w = 0; w < windows; ++w) {
    auto const seam = begin + w * window;
    for (int i = 0; i < burst; ++i) {
      all.push_back(seam - beside_the_seam);
      all.push_back(seam + beside_the_seam);
    }
    for (int i = 0; i < strays; ++i) all.push_back(seam + milliseconds(within(random)));
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// One request every `pace`; after a stall it does not catch up, so there are never more of them in an interval.
std::vector<answer> keep_asking(api_client& client, std::string const& path, int count, milliseconds pace) {
  std::vector<answer> got;
  for (int i = 0; i < count; ++i) {
    got.push_back(client.post(path));
    std::this_thread::sleep_for(pace);
  }
  return got;
}

std::vector<answer> attack(api_client& client, std::string const& path, std::vector<clock::time_point> const& when) {
  std::vector<answer> got;
  for (auto const time : when) {
    std::this_thread::sleep_until(time);
    got.push_back(client.post(path));
  }
  return got;
}

TEST_CASE("the model of a window: requests that are too many, and requests that are refused wrongly") {
  constexpr std::int64_t second = 1'000'000;
  struct {
    std::string name;
    std::vector<std::pair<std::int64_t, std::string>> decisions;
    int too_many, in_vain;
  } const cases[] = {
      {"filled", {{0, "ok"}, {1, "ok"}, {2, "denied"}}, 0, 0},
      {"a third", {{0, "ok"}, {1, "ok"}, {2 * second - 1, "ok"}}, 1, 0},
      {"half open", {{0, "ok"}, {1, "ok"}, {2 * second, "ok"}}, 0, 0},
      {"refused before", {{0, "ok"}, {1, "ok"}, {2 * second - 1, "denied"}}, 0, 0},
      {"refused at the end", {{0, "ok"}, {1, "ok"}, {2 * second, "denied"}}, 0, 1},
      {"refused at once", {{0, "ok"}, {1, "denied"}}, 0, 1},
      {"stale does not count", {{0, "ok"}, {1, "stale"}, {2, "ok"}}, 0, 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    std::vector<decision> all;
    for (auto const& [entry, verdict] : c.decisions) all.push_back({entry, "s", "trigger", 2, 2, verdict, "shared"});
    CHECK(evaluate(all).too_many == c.too_many);
    CHECK(evaluate(all).refused_in_vain == c.in_vain);
  }
}

/// Each admission is reported as it was decided. A refusal may repeat one of the last 50 ms: then without its own
/// decision, and that much nearer to its end.
void check_heard(std::vector<notification> const& heard, std::vector<notification> const& decided) {
  auto const admitted = [](std::vector<notification> const& all) {
    std::vector<notification> out;
    std::copy_if(all.begin(), all.end(), std::back_inserter(out), [](notification const& t) { return t.admitted; });
    return out;
  };
  CHECK(admitted(heard) == admitted(decided));
  for (auto const& t : heard) {
    if (t.admitted) continue;
    bool const repeats = std::any_of(decided.begin(), decided.end(), [&](notification const& d) {
      auto const passed = d.reset_in - t.reset_in;
      return !d.admitted && d.remaining == t.remaining && d.reset == t.reset && (passed == 0 || passed == 1) &&
             t.retry_after == std::max<std::int64_t>(1, t.reset_in);
    });
    CHECK(repeats);
  }
}

TEST_CASE("20 in 2 s hold for 8 clients on two instances over 10 windows, and the answers report it correctly") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const job = make_job(owner);
  auto const path = trigger_path(job);
  auto const key = make_key(owner, job, "k", R"("rateLimit":{"limit":20,"windowSeconds":2})");
  // A small version of 6/min under 100/min: below its limit for eight times the limit, so that a count that never
  // falls is detected.
  auto const slow = make_key(owner, job, "slow", R"("rateLimit":{"limit":10,"windowSeconds":2})");

  std::vector<std::vector<answer>> answers(clients + 1);
  auto const begin = clock::now() + milliseconds(200);
  together(clients + 1, [&](int i) {
    bool const steady = i == clients;
    auto client = fleet.client(static_cast<std::size_t>(i) % fleet.size(), steady ? slow.key : key.key);
    answers[static_cast<std::size_t>(i)] = steady ? keep_asking(client, path, 80, milliseconds(250))
                                                  : attack(client, path, moments(begin, static_cast<unsigned>(i)));
  });

  auto const verdict = evaluate(read_decisions(fleet.decision_log(), key.id, "trigger"));
  CHECK(verdict.lost == 0);
  CHECK(verdict.too_many == 0);
  CHECK(verdict.refused_in_vain == 0);
  CHECK(verdict.admitted > 20 * windows / 2);
  CHECK(verdict.refused > 0);

  std::vector<notification> heard;
  for (std::size_t i = 0; i < clients; ++i) {
    for (auto const& got : answers[i]) {
      if (got.status != 202) REQUIRE(code_of(got) == "rate_limited");
      CHECK(got.header("x-ratelimit-limit") == "20");
      CHECK(got.header("ratelimit-policy") == "\"trigger\";q=20;w=2");
      heard.push_back(select_alert_details(got));
    }
  }
  std::sort(heard.begin(), heard.end());
  check_heard(heard, verdict.answers);
  // A worker repeats a refusal for 50 ms without a decision.
  CHECK(std::ranges::count(heard, false, &notification::admitted) > verdict.admitted);
  for (auto const& got : answers[clients]) CHECK(got.status == 202);
  MESSAGE(verdict.admitted << " admitted, " << verdict.refused << " refused");
}

TEST_CASE("a retry at Retry-After succeeds") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const job = make_job(owner);
  auto const key = make_key(owner, job, "k", R"("rateLimit":{"limit":3,"windowSeconds":2})");
  auto client = fleet.client(1, key.key);
  for (int round = 0; round < 2; ++round) {
    answer got;
    do got = client.post(trigger_path(job));
    while (got.status == 202);
    CHECK(code_of(got) == "rate_limited");
    CHECK(got.number("retry-after") >= 1);
    CHECK(got.number("retry-after") <= 2);
    std::this_thread::sleep_for(std::chrono::seconds(got.number("retry-after")));
    CHECK(client.post(trigger_path(job)).status == 202);
  }
}

TEST_CASE("a changed limit holds at once, a changed window starts empty") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const job = make_job(owner);
  auto const key = make_key(owner, job, "k", R"("rateLimit":{"limit":3,"windowSeconds":60})");
  auto const address = "/api/jobs/" + job + "/trigger-keys/" + key.id;
  auto client = fleet.client(1, key.key);
  auto const call = [&] { return client.post(trigger_path(job)).status; };
  auto const change = [&](std::string const& out) {
    CHECK(owner.patch(address, R"({"rateLimit":)" + out + "}").status == 200);
    // A worker that has just refused may do so for another 50 ms.
    std::this_thread::sleep_for(milliseconds(60));
  };
  for (int const expected : {202, 202, 202, 429}) CHECK(call() == expected);
  change(R"({"limit":4})");
  for (int const expected : {202, 429}) CHECK(call() == expected);
  change(R"({"limit":1})");
  CHECK(call() == 429);
  change(R"({"windowSeconds":61})");
  for (int const expected : {202, 429}) CHECK(call() == expected);
}

}  // namespace
}  // namespace svc::test
