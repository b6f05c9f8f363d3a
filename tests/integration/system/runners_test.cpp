// A run from its trigger to its end, over two instances, with a runner written for the test.
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <set>

namespace svc::test {
namespace {

namespace json = boost::json;

struct workshop {
  workshop()
      : service(fleet.dev(), both_kinds),
        other(fleet.dev(), both_kinds),
        user("https://" + service.address(0), fleet.text("caFile"), tenant.token),
        job(make_job(user)) {}

  std::string token(std::string const& where, std::string const& spot) {
    auto const made = fleet.admin({"create-runner", where, spot, "--name", "r" + std::to_string(++names)});
    token_id = text_of(made, "/id");
    return text_of(made, "/key");
  }
  /// Returns a registered runner on this instance.
  runner_client runner(configured_service& service, std::string const& secret) {
    runner_client made("https://" + service.address(1), fleet.text("caFile"), secret);
    REQUIRE(made.enroll().status == 200);
    return made;
  }
  runner_client runner() { return runner(other, token("--project", tenant.project)); }
  std::string trigger(std::string const& query = {}) {
    return text_of(body_of(user.post(trigger_path(job) + query)), "/data/runId");
  }
  std::string status(std::string const& run) {
    return text_of(body_of(user.get("/api/runs/" + run + "/status")), "/status");
  }

  class fleet& fleet = shared_fleet();
  tenant tenant = fleet.make_tenant();
  configured_service service, other;
  api_client user;
  std::string job;
  std::string token_id;
  int names = 0;
};

/// Returns this number of claims, with as many requests as that takes.
json::array claim_all(runner_client& client, std::size_t count) {
  json::array out;
  while (out.size() < count)
    for (auto const& claim : claims_of(client.claim(5, static_cast<int>(count)))) out.push_back(claim);
  return out;
}

TEST_CASE("requests about several runs: each has its own verdict, and a cancellation ends the wait") {
  workshop shop;
  auto client = shop.runner();
  for (int i = 0; i < 4; ++i) shop.trigger();
  auto held = claim_all(client, 4);
  // The last run does not belong to this runner any more.
  CHECK(client.release(held[3]).status == 204);
  auto const ids = [](json::value const& subject, char const* member) {
    std::set<std::string> out;
    for (auto const& each : subject.at(member).as_array()) out.emplace(each.as_string());
    return out;
  };
  std::vector<std::string> runs;
  for (auto const& claim : held) runs.push_back(text_of(claim, "/runId"));
  auto const about = [&](json::object const& more) {
    json::array out;
    for (std::size_t i = 0; i < held.size(); ++i) {
      json::object object{{"runId", held[i].at("runId")}, {"claimId", held[i].at("claimId")}};
      for (auto const& [name, value] : more) object[name] = value;
      out.push_back(std::move(object));
    }
    return out;
  };
  auto const heartbeat = [&](json::array array, int wait) {
    return body_of(client.post("heartbeats", {{"runs", std::move(array)}, {"waitMilliseconds", wait}}));
  };
  auto const at_once = heartbeat(about({}), 20'000);
  CHECK(ids(at_once, "lost") == std::set{runs[3]});
  CHECK(ids(at_once, "cancel").empty());
  CHECK(at_once.at("leaseSeconds").as_int64() == 23);

  json::object const line{{"seq", 1}, {"stream", "stdout"}, {"text", "a"}};
  auto const printed = body_of(client.post("outputs", {{"runs", about({{"lines", json::array{line}}})}}));
  CHECK(printed.at("held").as_array().size() == 3);
  for (auto const& entry : printed.at("held").as_array()) CHECK(entry.at("through").as_int64() == 1);
  CHECK(ids(printed, "lost") == std::set{runs[3]});

  held.pop_back();
  auto waiting = std::async(std::launch::async, [&] { return heartbeat(about({}), 20'000); });
  CHECK(shop.user.post("/api/runs/" + runs[1] + "/cancel").status < 300);
  auto const reported = waiting.get();
  CHECK(ids(reported, "cancel") == std::set{runs[1]});
  CHECK(ids(reported, "lost").empty());
  // A cancellation that the runner already knows does not end the wait, and is still reported.
  auto const begun = std::chrono::steady_clock::now();
  CHECK(ids(heartbeat(about({{"cancelling", true}}), 300), "cancel") == std::set{runs[1]});
  CHECK(std::chrono::steady_clock::now() - begun >= std::chrono::milliseconds(300));

  auto ends = about({{"status", "passed"}, {"lastSeq", 1}, {"tests", json::array()}});
  ends[1].as_object()["status"] = "cancelled";
  ends[2].as_object()["claimId"] = held[0].at("claimId");
  for (int i = 0; i < 2; ++i) {
    auto const done = client.post("completions", {{"runs", ends}});
    CHECK(done.status == 200);
    CHECK(ids(body_of(done), "lost") == std::set{runs[2]});
  }
  CHECK(shop.status(runs[0]) == "passed");
  CHECK(shop.status(runs[1]) == "cancelled");
  CHECK(shop.status(runs[2]) == "running");
  CHECK(client.complete(held[2], "failed", 1).status == 204);
}

TEST_CASE("scripts that were left out of a claim are given to its holder, by any instance, and to nobody else") {
  workshop shop;
  auto const secret = shop.token("--project", shop.tenant.project);
  auto client = shop.runner(shop.other, secret);
  shop.trigger();
  auto const got = client.post(
      "claim", {{"executorId", client.id()}, {"labels", {"command"}}, {"max", 1}, {"scriptsApart", true}});
  auto const claim = claims_of(got).at(0);
  auto const test = claim.at("tests").at(0);
  CHECK_FALSE(test.as_object().contains("script"));
  auto const ask = [&](runner_client& as, json::value const& claim_id, json::array tests) {
    return as.post("runs/" + text_of(claim, "/runId") + "/scripts",
                   {{"claimId", claim_id}, {"tests", std::move(tests)}});
  };
  auto const given = ask(client, claim.at("claimId"), {test.at("id")});
  REQUIRE(given.status == 200);
  CHECK(given.header("Cache-Control") == "no-store");
  auto const body = body_of(given);
  CHECK_FALSE(body.at("more").as_bool());
  REQUIRE(body.at("scripts").as_array().size() == 1);
  CHECK(body.at("scripts").at(0).at("version") == test.at("version"));
  auto const shown = body_of(shop.user.get("/api/tests/" + text_of(test, "/id") + "?includeScript=true"));
  CHECK(text_of(body, "/scripts/0/script") == text_of(shown, "/script"));

  CHECK(body_of(ask(client, claim.at("claimId"), {text_of(claim, "/runId")})).at("scripts").as_array().empty());
  CHECK(code_of(ask(client, claim.at("runId"), {test.at("id")})) == "claim_lost");
  CHECK(code_of(ask(client, claim.at("claimId"), {})) == "validation_failed");
  auto stranger = shop.runner(shop.other, shop.token("--project", shop.fleet.make_tenant().project));
  CHECK(code_of(ask(stranger, claim.at("claimId"), {test.at("id")})) == "claim_lost");
  CHECK(client.complete(claim, "passed").status == 204);
  CHECK(code_of(ask(client, claim.at("claimId"), {test.at("id")})) == "claim_lost");
}

TEST_CASE("output in a result is stored with it, and read and followed like any other") {
  workshop shop;
  auto client = shop.runner();
  for (int i = 0; i < 5; ++i) shop.trigger();
  auto held = claim_all(client, 5);
  for (auto const& claim : held) CHECK(claim.at("wholeOutputBytes").as_int64() == 65'536);
  auto const output = [&](std::size_t which) {
    return shop.user.get("/api/runs/" + text_of(held[which], "/runId") + "/output");
  };
  auto const stored = [&](std::size_t which) {
    return shop.fleet.sql("SELECT stored_at IS NOT NULL FROM run_output WHERE run_id = '" +
                          text_of(held[which], "/runId") + "'")[0][0];
  };
  // The repetition is as after a lost answer; a different output in its place changes nothing.
  for (auto const* line : {"alone", "alone", "other"}) CHECK(client.complete_with(held[0], line).status == 204);
  CHECK(stored(0) == "t");
  CHECK(output(0).body == "alone\n");

  auto const end = [&](std::size_t which, json::array lines) {
    return json::object{{"runId", held[which].at("runId")},
                        {"claimId", held[which].at("claimId")},
                        {"status", "passed"},
                        {"lastSeq", lines.size()},
                        {"tests", json::array()},
                        {"wholeOutput", std::move(lines)}};
  };
  auto const line = [](std::string const& text, char const* stream = "stdout") {
    return json::object{{"stream", stream}, {"text", text}};
  };
  // If one part of a request cannot be accepted, the service executes no part.
  std::string const half(40'000, 'x');
  auto const large = client.post("completions", {{"runs", {end(1, {line("a")}), end(2, {line(half), line(half)})}}});
  CHECK(code_of(large) == "validation_failed");
  CHECK(large.body.find("/runs/1/wholeOutput") != std::string::npos);
  auto malformed = end(1, {line("a", "stdlog")});
  CHECK(code_of(client.post("completions", {{"runs", {malformed}}})) == "validation_failed");
  CHECK(shop.status(text_of(held[1], "/runId")) == "running");

  auto const both = client.post("completions", {{"runs", {end(1, {line("a"), line("b", "stderr")}), end(2, {})}}});
  CHECK(both.status == 200);
  CHECK(output(1).body == "a\nb\n");
  CHECK(output(2).body.empty());
  CHECK(shop.fleet.sql(
            "SELECT e.silent, (SELECT count(*) FROM run_output o WHERE o.run_id = e.run_id) FROM run_results e"
            " WHERE e.run_id = '" +
            text_of(held[2], "/runId") + "'")[0] == std::vector<std::string>{"t", "0"});

  // In a later attempt the output of the first attempt appears before.
  CHECK(client.print(held[3], 1, "first").status == 200);
  CHECK(client.release(held[3]).status == 204);
  auto const again = claims_of(client.claim(5));
  REQUIRE(again.size() == 1);
  CHECK(again[0].at("attempt").as_int64() == 2);
  CHECK_FALSE(again[0].as_object().contains("wholeOutputBytes"));
  CHECK(code_of(client.complete_with(again[0], "second")) == "validation_failed");
  CHECK(client.print(again[0], 1, "second").status == 200);
  CHECK(client.complete(again[0], "passed", 1).status == 204);
  CHECK(output(3).body == "first\nsecond\n");
  CHECK(code_of(client.complete_with(held[3], "late")) == "claim_lost");
}

TEST_CASE("a run triggered on one instance is executed through another: waiting claim, output, results, end") {
  workshop shop;
  CHECK(shop.user.post("/api/variables", R"({"key":"COLOUR","value":"blue","isSecret":true})").status == 201);
  auto client = shop.runner();
  auto waiting = std::async(std::launch::async, [&] { return client.claim(30); });
  auto triggered = std::async(std::launch::async, [&] {
    api_client second("https://" + shop.service.address(0), shop.fleet.text("caFile"), shop.tenant.token);
    return second.post(trigger_path(shop.job) + "?wait=30");
  });
  auto const got = waiting.get();
  CHECK(got.header("cache-control") == "no-store");
  auto const claims = claims_of(got);
  REQUIRE(claims.size() == 1);
  auto const& claim = claims[0];
  CHECK(claim.at("attempt").as_int64() == 1);
  CHECK(claim.at("leaseSeconds").as_int64() == 30);
  CHECK(claim.at("jobType").as_string() == "command");
  CHECK(text_of(claim, "/tests/0/script") == "true");
  CHECK(text_of(claim, "/variables/0/value") == "blue");
  CHECK(claim.at("variables").at(0).at("isSecret").as_bool());
  auto const run = text_of(claim, "/runId");
  CHECK(shop.status(run) == "running");
  CHECK(body_of(client.heartbeat(claim)).at("cancel").as_bool() == false);
  CHECK(body_of(client.print(claim, 1, "hello")).at("through").as_int64() == 1);
  CHECK(body_of(client.print(claim, 1, "hello")).at("through").as_int64() == 1);
  CHECK(client.complete(claim, "passed", 1).status == 204);
  CHECK(client.complete(claim, "passed", 1).status == 204);
  CHECK(code_of(client.complete(claim, "failed", 1)) == "claim_lost");
  CHECK(code_of(client.print(claim, 2, "late")) == "claim_lost");
  CHECK(code_of(client.heartbeat(claim)) == "claim_lost");
  CHECK(code_of(client.release(claim)) == "claim_lost");
  auto const answer = triggered.get();
  CHECK(answer.status == 200);
  CHECK(text_of(body_of(answer), "/data/run/status") == "passed");
  CHECK(text_of(body_of(answer), "/data/run/tests/0/status") == "passed");
  CHECK(shop.user.get("/api/runs/" + run + "/output").body == "hello\n");
}

TEST_CASE("a running run is cancelled: its runner's waiting heartbeat on another instance is answered") {
  workshop shop;
  auto client = shop.runner();
  auto const run = shop.trigger();
  auto const claim = claims_of(client.claim(10)).at(0);
  auto waiting = std::async(std::launch::async, [&] { return client.heartbeat(claim, 20); });
  auto const asked = shop.user.post("/api/runs/" + run + "/cancel");
  CHECK(asked.status == 202);
  CHECK(text_of(body_of(asked), "/status") == "running");
  auto const start = std::chrono::steady_clock::now();
  CHECK(body_of(waiting.get()).at("cancel").as_bool());
  // The promise is 2 s; a loaded machine gets more time.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  CHECK(client.complete(claim, "cancelled").status == 204);
  CHECK(shop.status(run) == "cancelled");
  CHECK(code_of(shop.user.post("/api/runs/" + run + "/cancel")) == "run_already_over");
}

TEST_CASE("a run that is handed back is claimed again; the earlier claim can do nothing any more") {
  workshop shop;
  auto client = shop.runner();
  auto const run = shop.trigger();
  auto const first = claims_of(client.claim(10)).at(0);
  CHECK(client.release(first).status == 204);
  auto const second = claims_of(client.claim(10)).at(0);
  CHECK(text_of(second, "/runId") == run);
  CHECK(second.at("attempt").as_int64() == 2);
  CHECK(code_of(client.complete(first, "passed")) == "claim_lost");
  CHECK(client.complete(second, "failed").status == 204);
  CHECK(shop.status(run) == "failed");
  CHECK(claims_of(client.claim()).empty());
}

TEST_CASE("after the answer to a revocation a runner can do nothing, and its waiting claim ends") {
  workshop shop;
  auto client = shop.runner();
  shop.trigger();
  auto const claim = claims_of(client.claim(10)).at(0);
  auto idle = shop.runner(shop.service, client.api().token());
  auto waiting = std::async(std::launch::async, [&] { return idle.claim(30); });
  shop.fleet.admin({"revoke-runner", shop.token_id});
  CHECK(code_of(client.heartbeat(claim)) == "token_revoked");
  CHECK(code_of(client.print(claim, 1, "x")) == "token_revoked");
  CHECK(code_of(client.complete(claim, "passed")) == "token_revoked");
  CHECK(code_of(client.release(claim)) == "token_revoked");
  CHECK(code_of(client.claim()) == "token_revoked");
  CHECK(code_of(client.enroll()) == "token_revoked");
  CHECK(code_of(waiting.get()) == "token_revoked");
  auto const again = shop.fleet.admin({"list-runners"});
  CHECK(boost::json::serialize(again).find(shop.token_id) == std::string::npos);
}

/// Sends a claim, and does not read the answer.
void send_claim(runner_client& client, std::string const& secret) {
  std::string const body = boost::json::serialize(
      boost::json::object{{"executorId", client.id()}, {"labels", {"command"}}, {"max", 1}, {"waitSeconds", 30}});
  client.api().http().pipelined(
      "POST /internal/v1/claim HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + secret +
          "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body,
      0);
}

void check_first_attempt(runner_client& client, std::string const& run) {
  auto const claims = claims_of(client.claim(10));
  REQUIRE(claims.size() == 1);
  CHECK(text_of(claims[0], "/runId") == run);
  CHECK(claims[0].at("attempt").as_int64() == 1);
}

TEST_CASE("a runner that is killed while it waits takes no run with it") {
  workshop shop;
  auto const secret = shop.token("--project", shop.tenant.project);
  for (int i = 0; i < 4; ++i) {
    auto dead = shop.runner(shop.service, secret);
    send_claim(dead, secret);
    dead.api().http().close();
  }
  auto client = shop.runner(shop.service, secret);
  check_first_attempt(client, shop.trigger());
}

/// While this object lives, claims wait in the middle of their statement.
class halted_claims {
 public:
  explicit halted_claims(fleet& fleet) : fleet_(fleet) { until("granted AND mode = 'AccessExclusiveLock'", "1"); }
  ~halted_claims() {
    fleet_.sql(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock'"
        " AND relation = 'project_claims'::regclass");
  }
  halted_claims(halted_claims const&) = delete;
  halted_claims& operator=(halted_claims const&) = delete;
  void until_one_waits() { until("NOT granted", "1"); }

 private:
  void until(std::string const& which, std::string const& count) {
    auto const over = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (fleet_.sql("SELECT count(*) FROM pg_locks WHERE relation = 'project_claims'::regclass AND " +
                      which)[0][0] != count)
      REQUIRE(std::chrono::steady_clock::now() < over);
  }
  fleet& fleet_;
  std::future<void> holder_ = std::async(std::launch::async, [this] {
    try {
      fleet_.sql("BEGIN; LOCK TABLE project_claims; SELECT pg_sleep(30)");
    } catch (std::runtime_error const&) {
      return;  // ended above
    }
  });
};

TEST_CASE("a runner that is killed while its claim is carried out takes no run with it either") {
  workshop shop;
  auto const secret = shop.token("--project", shop.tenant.project);
  auto dead = shop.runner(shop.service, secret);
  auto client = shop.runner(shop.service, secret);
  auto const run = shop.trigger();
  {
    halted_claims halted(shop.fleet);
    send_claim(dead, secret);
    halted.until_one_waits();
    dead.api().http().close();
  }
  check_first_attempt(client, run);
}

TEST_CASE("tokens of one contract are invalid for the other") {
  workshop shop;
  auto const secret = shop.token("--organization", shop.tenant.organization);
  api_client visitor("https://" + shop.service.address(0), shop.fleet.text("caFile"), secret);
  for (auto const* const path : {"/api/auth/whoami", "/api/jobs", "/internal/v1/claim"}) {
    CHECK(code_of(visitor.get(path)) == "invalid_token");
  }
  CHECK(code_of(visitor.post(trigger_path(shop.job))) == "invalid_token");
  runner_client stranger("https://" + shop.service.address(1), shop.fleet.text("caFile"), shop.tenant.token);
  CHECK(code_of(stranger.enroll()) == "invalid_token");
  auto client = shop.runner(shop.service, secret);
  CHECK(text_of(body_of(client.enroll()), "/scope") == "organization");
  shop.trigger();
  CHECK(claims_of(client.claim(10)).size() == 1);
}

}  // namespace
}  // namespace svc::test
