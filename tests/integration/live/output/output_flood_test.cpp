// One project prints more than Redis can hold, while another one works.
#include "neighbours.hpp"
#include "support/private_redis.hpp"

#include <atomic>
#include <future>

namespace svc::test {
namespace {

constexpr std::size_t line_size = 16'000, lines_of_a_batch = 60;

/// One request with most of a megabyte.
answer flood(runner_client& client, boost::json::value const& claim, std::int64_t first) {
  boost::json::array lines;
  for (std::size_t i = 0; i < lines_of_a_batch; ++i)
    lines.push_back({{"seq", first + static_cast<std::int64_t>(i)},
                     {"stream", "stdout"},
                     {"text", std::string(line_size, static_cast<char>('a' + i % 26))}});
  return client.post("runs/" + text_of(claim, "/runId") + "/output",
                     {{"claimId", claim.at("claimId")}, {"lines", std::move(lines)}});
}

/// Claims one run after another and prints three megabytes in each; ends them all on request.
void attack(runner_client client, std::atomic<bool> const& enough, std::atomic<int>& printed) {
  boost::json::array held;
  while (!enough) {
    auto claims = claims_of(client.claim());
    if (claims.empty()) {
      std::this_thread::sleep_for(milliseconds(20));
      continue;
    }
    for (std::int64_t first = 1; first < 200 && !enough; first += lines_of_a_batch)
      if (flood(client, claims[0], first).status == 200) ++printed;
    held.push_back(claims[0]);
  }
  for (auto const& claim : held) client.complete(claim, "passed", 240);
}

/// A run of a project that prints little, from its trigger to its output. What is wrong with it, or nothing.
std::string one_run(neighbour& neighbour, runner_client& client) {
  auto const triggered = neighbour.user.post(trigger_path(neighbour.job));
  if (triggered.status != 202) return "trigger: " + triggered.body;
  auto const claims = claims_of(client.claim(5));
  if (claims.size() != 1) return "no claim";
  auto const run = text_of(claims[0], "/runId");
  for (int line = 1; line <= 3; ++line) {
    auto const got = client.print(claims[0], line, "line " + std::to_string(line));
    if (got.status != 200) return "output: " + std::to_string(got.status) + got.body;
  }
  auto const ended = client.complete(claims[0], "passed", 3);
  if (ended.status != 204) return "complete: " + std::to_string(ended.status) + ended.body;
  auto const status = neighbour.user.get("/api/runs/" + run + "/status");
  if (status.status != 200 || text_of(body_of(status), "/status") != "passed") return "status: " + status.body;
  auto const printed = neighbour.user.get("/api/runs/" + run + "/output");
  if (printed.body != "line 1\nline 2\nline 3\n") return "printed: " + std::to_string(printed.status) + printed.body;
  return {};
}

TEST_CASE("one project prints more than Redis holds: another one's runs print and end, admissions stay shared") {
  auto const runs = long_form("TEST_FLOOD_RUNS", 30);
  auto const last = seconds(long_form("TEST_FLOOD_SECONDS", 2));
  fleet fleet(1);
  fleet.redis({"CONFIG", "SET", "maxmemory", "48mb"});
  configured_service here(fleet.dev(), both_kinds,
                          {"SVC_REDIS_DEADLINE=1s", "SVC_HTTP_DEADLINE=8s", "SVC_LIMITS_CLI_LIMIT=1000000"});
  neighbour loud(fleet, here), quiet(fleet, here);
  for (int i = 0; i < runs; ++i) loud.trigger();
  auto client = quiet.executor();
  CHECK(one_run(quiet, client) == "");

  std::atomic<bool> enough{false};
  std::atomic<int> printed{0};
  std::vector<std::future<void>> attackers;
  for (int i = 0; i < 3; ++i)
    attackers.push_back(
        std::async(std::launch::async, attack, loud.executor(), std::cref(enough), std::ref(printed)));
  bool cut = false;
  int good = 0;
  auto const begin = clock::now();
  while (clock::now() < begin + last || (!cut && clock::now() < begin + last + seconds(10))) {
    auto const wrong = one_run(quiet, client);
    CHECK(wrong == "");
    page const now(here);
    CHECK(now.shared);
    cut = cut || now.output() == "cut";
    if (!wrong.empty() || !now.shared) break;
    ++good;
  }
  CHECK(cut);
  auto const held = page(here).held();
  CHECK(held > 8'000'000);
  enough = true;
  for (auto& future : attackers) future.get();

  auto const stopped = clock::now();
  CHECK(comes_true(
      [&] {
        return page(here).output() == "whole" && page(here).held() < 8'000'000 &&
               fleet.sql("SELECT count(*) FROM run_output WHERE stored_at IS NULL")[0][0] == "0";
      },
      seconds(10)));
  auto const back = std::chrono::duration_cast<milliseconds>(clock::now() - stopped);
  CHECK(here.process().err().text().find("\"live output is degraded\"") != std::string::npos);
  // The project that was cut can print again.
  auto again = loud.executor();
  while (!claims_of(again.claim()).empty()) {
  }
  CHECK(one_run(loud, again) == "");
  MESSAGE(good << " runs of the quiet project beside " << printed.load() << " MB, " << held
               << " bytes held, back after " << back.count() << " ms");
}

TEST_CASE("output has its own Redis: when that is gone, runs end, admissions stay shared, and it says so") {
  private_redis output;
  auto const there = "SVC_REDIS_OUTPUT_URL=" + output.url();
  fleet fleet(1, {there});
  configured_service here(fleet.dev(), both_kinds, {there, "SVC_REDIS_DEADLINE=1s", "SVC_HTTP_DEADLINE=8s"});
  neighbour quiet(fleet, here);
  auto client = quiet.executor();
  CHECK(one_run(quiet, client) == "");
  CHECK(fleet.redis({"EXISTS", "svc:{output}:runs"}) == "0");
  auto const run = quiet.trigger();
  auto const claims = claims_of(client.claim(5));
  REQUIRE(claims.size() == 1);
  CHECK(client.print(claims[0], 1, "before").status == 200);

  output.kill();
  CHECK(comes_true([&] { return page(here).output() == "lost"; }, patience));
  auto const begin = clock::now();
  CHECK(client.complete(claims[0], "passed", 1).status == 204);
  CHECK(clock::now() - begin < seconds(2));
  CHECK(text_of(body_of(quiet.user.get("/api/runs/" + run + "/status")), "/status") == "passed");
  CHECK(page(here).shared);
  // A run that prints does not wait for ever either.
  auto const another = quiet.trigger();
  auto const next = claims_of(client.claim(5));
  REQUIRE(next.size() == 1);
  CHECK(comes_true([&] { return client.print(next[0], 1, "lost").status == 200; }, patience));
  CHECK(client.complete(next[0], "passed", 1).status == 204);

  output.start();
  CHECK(comes_true([&] { return page(here).output() == "whole"; }, seconds(10)));
  CHECK(one_run(quiet, client) == "");
}

}  // namespace
}  // namespace svc::test
