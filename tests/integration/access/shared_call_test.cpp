// Callers that share one call of the script: each is answered as if it had asked after those before it.
#include "integration/access/fixture.hpp"

#include <random>

using namespace svc;
using namespace svc::access;

namespace {

struct caller {
  std::string log;
  std::string mode = "none", epoch = "0";
  std::int64_t limit = 0;
};

std::vector<admission_reply> ask_together(script_bench& bench, std::vector<caller> const& callers) {
  std::vector<std::string> keys, arguments;
  for (auto const& c : callers) {
    keys.insert(keys.end(), {c.log, "svc:{s}:epoch"});
    arguments.insert(arguments.end(), {c.mode, c.epoch, std::to_string(c.limit), std::to_string(minute), "86400000"});
  }
  std::vector<admission_reply> replies;
  for (auto& part : bench.evaluate(admission::script(), keys, arguments).elements)
    replies.push_back(read_admission_reply({redis::delivery::answered, std::move(part)}, {rate_class::cli, {}}));
  REQUIRE(replies.size() == callers.size());
  return replies;
}

/// Sorted stamps of every kind: expired long ago, in the window, ahead of the clock by less or more than a second.
std::vector<std::int64_t> any_stamps(std::mt19937_64& draw, std::int64_t now) {
  auto const up_to = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(draw); };
  std::vector<std::int64_t> stamps;
  for (auto left = up_to(12); left > 0; --left) stamps.push_back(now - minute - second - up_to(minute));
  for (auto left = up_to(12); left > 0; --left) stamps.push_back(now - up_to(minute - 10 * second));
  auto const kind = up_to(3);
  if (kind == 0) stamps.push_back(now + 900'000);
  for (auto left = kind == 1 ? up_to(12) : 0; left > 0; --left) stamps.push_back(now + 5 * second + up_to(minute));
  std::sort(stamps.begin(), stamps.end());
  return stamps;
}

}  // namespace

TEST_CASE("callers of one call, over two logs and under several limits: each answer is the model's") {
  script_bench bench;
  std::mt19937_64 draw(31);
  int denied_behind_own = 0;
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    bench.command({"FLUSHALL"});
    std::map<std::string, window_model> models;
    models.insert({bench.log, {minute, any_stamps(draw, bench.time())}});
    models.insert({"svc:{s}:w:cli:2", {minute}});
    bench.seed(models.at(bench.log).stamps);
    std::vector<caller> callers(std::uniform_int_distribution<std::size_t>(1, 32)(draw));
    for (auto& c : callers) {
      c.log = draw() % 3 == 0 ? "svc:{s}:w:cli:2" : bench.log;
      c.limit = std::uniform_int_distribution<std::int64_t>(1, 20)(draw);
    }

    auto const replies = ask_together(bench, callers);
    for (std::size_t i = 0; i < callers.size(); ++i) {
      CAPTURE(i);
      auto& model = models.at(callers[i].log);
      auto const own = static_cast<std::int64_t>(std::ranges::count(model.stamps, replies[i].decision.now_micros));
      CHECK(answer_of(replies[i].decision) == model.ask(replies[i].decision.now_micros, callers[i].limit));
      denied_behind_own += !replies[i].decision.admitted && own >= callers[i].limit ? 1 : 0;
    }
    CHECK(bench.stamps() == models.at(bench.log).stamps);
    if (!bench.stamps().empty()) CHECK(bench.life(bench.log) > 0);
  }
  CHECK(denied_behind_own > 100);  // by a lower limit than the callers before it had: the rarest case
}

TEST_CASE("callers of one call see the epoch that earlier callers advanced") {
  struct {
    std::string mode, epoch;
    bool stale;
    std::int64_t reported;
  } const steps[] = {
      {"cached", "5", false, 5}, {"fresh", "4", true, 5},   {"fresh", "7", false, 7}, {"cached", "5", true, 7},
      {"cached", "7", false, 7}, {"forced", "6", false, 7}, {"none", "1", false, 1},  {"forced", "9", false, 9},
      {"fresh", "9", false, 9},  {"cached", "7", true, 9},
  };
  script_bench bench;
  bench.command({"SET", "svc:{s}:epoch", "5"});
  std::vector<caller> callers;
  for (auto const& step : steps) callers.push_back({bench.log, step.mode, step.epoch, 100});
  auto const replies = ask_together(bench, callers);
  std::size_t admitted = 0;
  for (std::size_t i = 0; i < std::size(steps); ++i) {
    CAPTURE(i);
    CHECK(replies[i].verdict == (steps[i].stale ? admission_verdict::stale : admission_verdict::ok));
    CHECK(replies[i].epoch == steps[i].reported);
    admitted += steps[i].stale ? 0 : 1;
  }
  CHECK(bench.text({"GET", "svc:{s}:epoch"}) == "9");
  CHECK(bench.stamps().size() == admitted);
}

TEST_CASE("callers of one call find no epoch until one of them sets it") {
  script_bench bench;
  auto const replies = ask_together(bench, {{bench.log, "cached", "3", 9},
                                            {bench.log, "fresh", "3", 9},
                                            {bench.log, "cached", "3", 9},
                                            {bench.log, "cached", "3", 0}});
  CHECK(replies[0].verdict == admission_verdict::stale);
  CHECK(replies[0].epoch == std::nullopt);
  for (std::size_t i : {1, 2, 3}) CHECK(replies[i].verdict == admission_verdict::ok);
  CHECK(bench.stamps().size() == 2);
}
