#include "svc-runner/client/messages.hpp"

#include "svc-runner/environment.hpp"

#include <doctest/doctest.h>

using namespace svc::runner;
using svc::secret_string;

TEST_CASE("claims are read as the contract defines them") {
  auto const got = read_claims(R"({"claims":[{"runId":"r","claimId":"c","attempt":2,"projectId":"p","jobId":null,
    "jobName":"J","jobType":"command","traceParent":"00-t-p-01","timeoutSeconds":5,"leaseSeconds":30,"parameters":{"A":"1","B":2},
    "variables":[{"key":"K","value":"v","isSecret":true},{"key":"L","value":"w","isSecret":false}],
    "tests":[{"id":"t","title":"T","type":"command","script":"true"}]}]})");
  REQUIRE(got);
  REQUIRE(got->size() == 1);
  auto const& c = got->front();
  CHECK(c.run_id == "r");
  CHECK(c.attempt == 2);
  CHECK(c.timeout_seconds == 5);
  CHECK(*c.tests.at(0).script == "true");
  REQUIRE(secrets_of(c).size() == 1);
  CHECK(secrets_of(c).front().reveal() == "v");
  auto const environment = script_environment(c, {{"PATH", "/bin"}, {"K", "old"}});
  CHECK(environment == environment_list{{"PATH", "/bin"},
                                        {"K", "v"},
                                        {"SERVICE_RUN_ID", "r"},
                                        {"SERVICE_RUN_ATTEMPT", "2"},
                                        {"TRACEPARENT", "00-t-p-01"},
                                        {"L", "w"},
                                        {"SERVICE_PARAM_A", "1"},
                                        {"SERVICE_PARAM_B", "2"}});
}

TEST_CASE("a claim with separate scripts, and the answer that has them") {
  auto const got = read_claims(R"({"claims":[{"runId":"r","claimId":"c","tests":[{"id":"t","version":"3.7"}]}]})");
  REQUIRE(got);
  CHECK(got->front().tests.at(0).version == "3.7");
  CHECK(got->front().tests.at(0).script == nullptr);
  auto const scripts = read_scripts(R"({"scripts":[{"id":"t","version":"3.8","script":"true"}],"more":true})");
  REQUIRE(scripts);
  CHECK(scripts->more);
  REQUIRE(scripts->scripts.size() == 1);
  CHECK(scripts->scripts[0].version == "3.8");
  CHECK(*scripts->scripts[0].script == "true");
  CHECK(claim_body("r", {"k6"}, 2, 3, true) ==
        R"({"executorId":"r","labels":["k6"],"max":2,"waitSeconds":3,"scriptsApart":true})");
  CHECK(claim_body("r", {"k6"}, 2, 3, false) == R"({"executorId":"r","labels":["k6"],"max":2,"waitSeconds":3})");
  CHECK(scripts_body("c", {"t", "u"}) == R"({"claimId":"c","tests":["t","u"]})");
}

TEST_CASE("an invalid answer gives nothing") {
  for (auto const* body : {"", "[]", "{", "null", R"({"claims":[{}]})", R"({"claims":[{"runId":"r"}]})"}) {
    CAPTURE(body);
    CHECK(!read_claims(body));
    CHECK(!read_registration(body));
    CHECK(!read_through(body));
    CHECK(!read_scripts(body));
  }
  CHECK(read_claims("{}")->empty());
}

TEST_CASE("names that no environment can contain are left out") {
  claim c;
  c.variables = {
      {"", secret_string("x")}, {"A=B", secret_string("x")}, {"GOOD", secret_string(std::string("be\0hind", 7))}};
  auto const environment = script_environment(c, {});
  CHECK(environment.size() == 3);
  CHECK(environment.back() == std::pair<std::string, std::string>{"GOOD", "be"});
}

TEST_CASE("the requests to the service") {
  CHECK(register_body("n", "1", {"command"}, 2) == R"({"name":"n","version":"1","labels":["command"],"slots":2})");
  CHECK(
      output_body("c", {{1, output_stream::out, "a\"b"}, {2, output_stream::err, ""}}) ==
      R"({"claimId":"c","lines":[{"seq":1,"stream":"stdout","text":"a\"b"},{"seq":2,"stream":"stderr","text":""}]})");
  completion completion;
  completion.status = outcome::failed;
  completion.last_seq = 3;
  completion.tests.push_back(
      {.id = "t", .status = outcome::failed, .duration_ms = 7, .details = std::string(5000, 'x')});
  completion.tests.push_back({.id = "u", .status = outcome::skipped});
  auto const body = complete_body("c", completion);
  CHECK(body.starts_with(
      R"({"claimId":"c","status":"failed","lastSeq":3,"tests":[{"id":"t","status":"failed","durationMs":7,"errorDetails":"xxx)"));
  CHECK(body.ends_with(R"({"id":"u","status":"skipped"}]})"));
  CHECK(body.size() < 4300);
}

TEST_CASE("a whole output is sent with the result, if the claim allows it") {
  CHECK(read_claims(R"({"claims":[{"runId":"r","claimId":"c","wholeOutputBytes":9}]})")->front().whole_output_bytes ==
        9);
  CHECK(read_claims(R"({"claims":[{"runId":"r","claimId":"c"}]})")->front().whole_output_bytes == 0);
  completion completion{.last_seq = 2};
  CHECK(complete_body("c", completion) == R"({"claimId":"c","status":"passed","lastSeq":2,"tests":[]})");
  completion.whole_output.emplace();
  CHECK(complete_body("c", completion) ==
        R"({"claimId":"c","status":"passed","lastSeq":2,"tests":[],"wholeOutput":[]})");
  completion.whole_output->push_back({1, output_stream::out, "a\"b"});
  completion.whole_output->push_back({2, output_stream::err, ""});
  CHECK(complete_body("c", completion)
            .ends_with(R"("wholeOutput":[{"stream":"stdout","text":"a\"b"},{"stream":"stderr","text":""}]})"));
}

TEST_CASE("requests about several runs have the bodies of those about one") {
  CHECK(with_run("r", release_body("c")) == R"({"runId":"r","claimId":"c"})");
  CHECK(
      heartbeats_body({{"r", "c"}, {"s", "d", true}}, std::chrono::milliseconds(5)) ==
      R"({"runs":[{"runId":"r","claimId":"c"},{"runId":"s","claimId":"d","cancelling":true}],"waitMilliseconds":5})");
}

TEST_CASE("answers about several runs are read as the contract defines them") {
  auto const news = read_heartbeats(R"({"leaseSeconds":23,"cancel":["a"],"lost":["b","c"]})");
  REQUIRE(news);
  CHECK(news->lease_seconds == 23);
  CHECK(news->cancel == std::set<std::string>{"a"});
  CHECK(news->lost == std::set<std::string>{"b", "c"});
  auto const held = read_gathered(R"({"held":[{"runId":"a","through":7}],"lost":["b"]})");
  REQUIRE(held);
  CHECK(held->held == std::map<std::string, std::int64_t>{{"a", 7}});
  CHECK(held->lost == std::set<std::string>{"b"});
  auto const ended = read_gathered(R"({"lost":[]})");
  REQUIRE(ended);
  CHECK_FALSE(ended->held);
  for (auto const* body : {"", "[]", "{", "null", "{}", R"({"cancel":[]})", R"({"lost":1,"cancel":[]})"}) {
    CAPTURE(body);
    CHECK(!read_heartbeats(body));
    if (std::string_view(body).find("\"lost\":[") == std::string_view::npos) CHECK(!read_gathered(body));
  }
}
