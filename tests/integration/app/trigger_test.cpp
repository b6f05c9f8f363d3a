#include "support/https_client.hpp"
#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <atomic>
#include <csignal>
#include <future>
#include <map>
#include <set>
#include <thread>

namespace svc::test {
namespace {

namespace json = boost::json;
using support::answer;
using support::api_client;

std::string run_of(answer const& answer) {
  return std::string(json::parse(answer.body).at("data").at("runId").as_string());
}

std::string code_of(answer const& answer) {
  return std::string(json::parse(answer.body).at("code").as_string());
}

/// Two instances on the same stores, with limits that these tests do not reach, on two noisy cores.
struct pair_of_instances {
  std::vector<std::string> const room{"SVC_LIMITS_CLI_LIMIT=100000", "SVC_REDIS_DEADLINE=1s",
                                      "SVC_HTTP_QUEUE_TIME=8s"};
  temporary_directory const dir;
  dev_service dev{dir.path(), {}, room};
  second_service other{dev, room};
  std::string const trigger = "/api/jobs/" + dev.text("jobId") + "/trigger";

  api_client client(bool second = false, std::string const& token = "token") const {
    return {second ? other.url() : dev.text("url"), dev.text("caFile"), dev.text(token)};
  }
  std::int64_t run_count() const {
    auto const page = client().get("/api/runs?limit=1&jobId=" + dev.text("jobId"));
    return json::parse(page.body).at("pagination").at("total").as_int64();
  }
};

/// The runs of every key, as reported by the answers, and how often `Idempotent-Replayed` was missing.
struct notification {
  std::map<int, std::set<std::string>> runs{};
  int answers = 0;
  int firsts = 0;
  int refusals = 0;
};

constexpr int threads = 40, keys = 1000, repetitions = 5;

/// One client's share: different clients of both instances ask for every key at about the same time.
void ask(pair_of_instances const& instances, int mine, std::atomic<int>& next, notification& into) {
  auto client = instances.client(mine % 2 == 1);
  for (int i = next++; i < keys * repetitions; i = next++) {
    int const key = i / repetitions;
    auto answer = client.call("POST", instances.trigger, {}, {{"Idempotency-Key", "key-" + std::to_string(key)}});
    // A careful client retries after these two: they say that nothing is known yet.
    while (answer.status == 503 || answer.status == 409) {
      ++into.refusals;
      answer = client.call("POST", instances.trigger, {}, {{"Idempotency-Key", "key-" + std::to_string(key)}});
    }
    if (answer.status != 202) continue;
    ++into.answers;
    if (!answer.header("Idempotent-Replayed")) ++into.firsts;
    into.runs[key].insert(run_of(answer));
  }
}

TEST_CASE("5 000 concurrent triggers with 1 000 keys on two instances make 1 000 runs, each key its own") {
  pair_of_instances instances;
  auto const before = instances.run_count();
  std::atomic<int> next{0};
  std::vector<notification> parts(threads);
  {
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i)
      all.emplace_back([&, i] { ask(instances, i, next, parts[static_cast<std::size_t>(i)]); });
  }
  std::map<int, std::set<std::string>> runs;
  std::set<std::string> distinct;
  int answers = 0, firsts = 0, refusals = 0;
  for (auto const& part : parts) {
    answers += part.answers;
    firsts += part.firsts;
    refusals += part.refusals;
    for (auto const& [key, value] : part.runs) runs[key].insert(value.begin(), value.end());
  }
  for (auto const& [key, value] : runs) {
    CAPTURE(key);
    CHECK(value.size() == 1);
    distinct.insert(value.begin(), value.end());
  }
  CHECK(answers == keys * repetitions);
  CHECK(distinct.size() == keys);
  CHECK(instances.run_count() - before == keys);
  // One answer created each run; it can only be missing if it was lost on the way.
  CHECK(firsts <= keys);
  CHECK(firsts + refusals >= keys);
}

TEST_CASE("a trigger's options over HTTP") {
  pair_of_instances instances;
  auto cli = instances.client();
  auto key = instances.client(false, "triggerKey");
  support::header_list const keyed{{"Idempotency-Key", "\"a-key\""}};
  auto const first = cli.call("POST", instances.trigger, {}, keyed);
  CHECK(first.status == 202);
  CHECK_FALSE(first.header("Idempotent-Replayed"));
  auto const again = instances.client(true).call("POST", instances.trigger, "{}", {{"Idempotency-Key", "a-key"}});
  CHECK(again.status == 202);
  CHECK(again.header("Idempotent-Replayed") == "true");
  CHECK(again.body == first.body);
  CHECK(again.header("Location") == first.header("Location"));
  auto const counted = cli.call("POST", instances.trigger, {}, keyed);
  CHECK(counted.number("x-ratelimit-remaining") == again.number("x-ratelimit-remaining") - 1);

  struct {
    char const* name;
    bool by_key;
    std::string query, body;
    support::header_list more;
    int status;
    char const* code;
  } const refusals[] = {
      {"another body", false, "", R"({"dedupKey":"d"})", keyed, 422, "idempotency_mismatch"},
      {"no key", false, "", "", {{"Idempotency-Key", "a b"}}, 400, "validation_failed"},
      {"two keys", false, "", "", {{"Idempotency-Key", "a"}, {"Idempotency-Key", "a"}}, 400, "validation_failed"},
      {"waiting by key", true, "?wait=1", "", {}, 403, "wait_needs_cli_token"},
      {"preferring by key", true, "", "", {{"Prefer", "wait=1"}}, 403, "wait_needs_cli_token"},
      {"waiting too long", false, "?wait=56", "", {}, 400, "validation_failed"},
      {"preferring too long", false, "", "", {{"Prefer", "wait=56"}}, 400, "validation_failed"},
      {"waiting for nothing", false, "?wait=0", "", {}, 400, "validation_failed"},
  };
  auto const before = instances.run_count();
  for (auto const& c : refusals) {
    CAPTURE(c.name);
    auto const got = (c.by_key ? key : cli).call("POST", instances.trigger + c.query, c.body, c.more);
    CHECK(got.status == c.status);
    CHECK(code_of(got) == c.code);
  }
  CHECK(instances.run_count() == before);

  auto const made = cli.post(instances.trigger, R"({"dedupKey":"d"})");
  CHECK(made.status == 202);
  auto const joined = key.post(instances.trigger, R"({"dedupKey":"d"})");
  CHECK(joined.status == 200);
  CHECK(run_of(joined) == run_of(made));
  CHECK(json::parse(joined.body).at("deduplicated").as_bool());
}

TEST_CASE("waiting for a run: 202 while it runs, 200 with the run when it has ended, at once on drain") {
  pair_of_instances instances;
  auto cli = instances.client();
  auto const waited = cli.post(instances.trigger + "?wait=1");
  CHECK(waited.status == 202);
  auto const run = run_of(waited);
  CHECK(json::parse(waited.body).at("data").at("run").at("id").as_string() == run);
  CHECK(cli.get("/api/runs/" + run + "?wait=1").status == 200);

  // Longer than a request may take otherwise, and ended by the other instance.
  auto ended =
      std::async(std::launch::async, [&] { return instances.client().get("/api/runs/" + run + "?wait=50"); });
  auto keyed = cli.call("POST", instances.trigger, {}, {{"Idempotency-Key", "w"}});
  auto replayed = std::async(std::launch::async, [&] {
    return instances.client().call("POST", instances.trigger + "?wait=50", {}, {{"Idempotency-Key", "w"}});
  });
  CHECK(ended.wait_for(std::chrono::milliseconds(2500)) == std::future_status::timeout);
  auto second = instances.client(true);
  CHECK(second.post("/api/runs/" + run + "/cancel").status == 202);
  CHECK(second.post("/api/runs/" + run_of(keyed) + "/cancel").status == 202);
  auto const over = ended.get();
  CHECK(over.status == 200);
  CHECK(json::parse(over.body).at("status").as_string() == "cancelled");
  auto const reported = replayed.get();
  CHECK(reported.status == 200);
  CHECK(reported.header("Idempotent-Replayed") == "true");
  CHECK(json::parse(reported.body).at("data").at("run").at("status").as_string() == "cancelled");

  auto draining = std::async(std::launch::async, [&] { return second.post(instances.trigger + "?wait=9"); });
  CHECK(draining.wait_for(std::chrono::milliseconds(500)) == std::future_status::timeout);
  instances.other.process().signal(SIGTERM);
  CHECK(draining.get().status == 202);
  CHECK(instances.other.process().wait() == 0);
}

TEST_CASE("a key with addresses works only from them, starting with the next request") {
  pair_of_instances instances;
  auto cli = instances.client();
  auto const keys_path = "/api/jobs/" + instances.dev.text("jobId") + "/trigger-keys";
  auto const made = cli.post(keys_path, R"({"name":"bound","allowedCidrs":["203.0.113.0/24","2001:db8::/32"]})");
  REQUIRE(made.status == 201);
  auto const key = json::parse(made.body).at("triggerKey");
  CHECK(key.at("allowedCidrs").as_array().size() == 2);
  auto const text = keys_path + "/" + std::string(key.at("id").as_string());
  api_client bound(instances.other.url(), instances.dev.text("caFile"), std::string(key.at("key").as_string()));
  auto const before = instances.run_count();
  auto const refused = bound.post(instances.trigger);
  CHECK(refused.status == 403);
  CHECK(code_of(refused) == "address_not_allowed");
  CHECK(refused.body.find("The trigger key may not be used from 127.0.0.1; see its allowedCidrs.") !=
        std::string::npos);
  CHECK(instances.run_count() == before);
  CHECK(cli.patch(text, R"({"allowedCidrs":["127.0.0.0/8"]})").status == 200);
  CHECK(bound.post(instances.trigger).status == 202);
  CHECK(cli.patch(text, R"({"allowedCidrs":["127.0.0.2/32"]})").status == 200);
  CHECK(bound.post(instances.trigger).status == 403);
  CHECK(cli.patch(text, R"({"allowedCidrs":null})").status == 200);
  CHECK(bound.post(instances.trigger).status == 202);
  CHECK(cli.patch(text, R"({"allowedCidrs":[]})").status == 400);
}

}  // namespace
}  // namespace svc::test
