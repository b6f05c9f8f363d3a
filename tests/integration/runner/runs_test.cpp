// Tests the input of a run and its results.
#include "workshop.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

using namespace svc::test;
namespace json = boost::json;

TEST_CASE("svc-runner registers with its token and runs a job's tests in order") {
  workshop shop;
  auto const said = shop.service().registration();
  CHECK(said.at("name").as_string() == "workshop");
  CHECK(said.at("slots").as_int64() == 2);
  CHECK(shop.service().authorization() == std::string("Bearer ") + workshop::token);
  std::string run;
  auto const end =
      shop.run_to_end({"echo one; echo two >&2; exit 0", "echo three; exit 3", "kill -9 $$", "echo four"}, {}, &run);
  CHECK(status_of(end) == "failed");
  auto const& tests = end.at("tests").as_array();
  REQUIRE(tests.size() == 4);
  std::string statuses;
  for (auto const& each : tests)
    statuses += std::string(each.at("id").as_string()) + "=" + std::string(each.at("status").as_string()) + " ";
  CHECK(statuses == "test-1=passed test-2=failed test-3=failed test-4=passed ");
  CHECK(details_of(end, 1) == "exit code 3");
  CHECK(
      details_of(end, 2).starts_with("ended by signal 9 (SIGKILL), not by this runner: the script may have sent it"));
  CHECK(tests[0].at("durationMs").as_int64() >= 0);
  auto const lines = shop.service().lines(run);
  CHECK(end.at("lastSeq").as_int64() == static_cast<std::int64_t>(lines.size()));
  auto const all = shop.service().all(run);
  CHECK(all.find("one") < all.find("three"));
  CHECK(all.find("three") < all.find("four"));
  CHECK(all.find("two\n") != std::string::npos);
  // The runner prints each result before the next test starts.
  auto const second = all.find("[svc-runner: test 2 of 4 failed after ");
  CHECK(second < all.find("[svc-runner: test 3 of 4: "));
  CHECK(all.find("three") < second);
  CHECK(all.find("[svc-runner: test 4 of 4 passed after ") != std::string::npos);
  CHECK(processes_left(run) == 0);
  CHECK(shop.scratch_is_empty());
  CHECK(shop.runner().stop() == 0);
}

TEST_CASE("a script's environment is only the run's") {
  workshop shop({.environment = {"SOME_SECRET_OF_OURS=1"}});
  std::string run;
  auto const end = shop.run_to_end(
      {"env; echo \"param: $SERVICE_PARAM_TARGET\"; echo \"variable: $GREETING\"; touch here; ls; grep SigIgn "
       "/proc/self/status"},
      {{"parameters", json::object{{"TARGET", "a b'c"}}},
       {"variables", json::array{json::object{{"key", "GREETING"}, {"value", "hello\tyou"}, {"isSecret", false}}}}},
      &run);
  CHECK(status_of(end) == "passed");
  auto const all = shop.service().all(run);
  CHECK(all.find("param: a b'c\n") != std::string::npos);
  CHECK(all.find("variable: hello\tyou\n") != std::string::npos);
  CHECK(all.find("SERVICE_RUN_ID=" + run) != std::string::npos);
  CHECK(all.find("\nhere\n") != std::string::npos);
  CHECK(all.find("SOME_SECRET_OF_OURS") == std::string::npos);
  // The C library reserves 32 and 33: processes started by make ignore them, and nobody can change that.
  constexpr unsigned long long changeable = 0x7fffffff;
  auto const ignored = all.find("SigIgn:\t");
  REQUIRE(ignored != std::string::npos);
  CHECK((std::stoull(all.substr(ignored + 8, 16), nullptr, 16) & changeable) == 0);
  CHECK(all.find("SVC_RUNNER") == std::string::npos);
}

TEST_CASE("secret variables are masked in every spelling") {
  workshop shop;
  std::string run;
  auto const end = shop.run_to_end(
      {"echo \"whole $KEY\"; printf 'cut: s3cr'; sleep 0.3; printf 'et-va'; sleep 0.3; echo 'lue end'\n"
       "printf '%s' \"$PEM\"; echo; echo $PEM; printf '%065536d%s\\n' 0 \"$KEY\""},
      {{"variables",
        json::array{json::object{{"key", "KEY"}, {"value", "s3cret-value"}, {"isSecret", true}},
                    json::object{{"key", "PEM"}, {"value", "first-half\nother-half"}, {"isSecret", true}}}}},
      &run);
  CHECK(status_of(end) == "passed");
  auto const all = shop.service().all(run);
  CHECK(all.find("whole ***\n") != std::string::npos);
  CHECK(all.find("cut: *** end\n") != std::string::npos);
  CHECK(all.find("*** ***\n") != std::string::npos);
  for (auto const* part : {"s3cret", "value", "first-half", "other-half"}) CHECK(all.find(part) == std::string::npos);
}

TEST_CASE("output and completion are repeated until the service has them, and counted once") {
  workshop shop;
  shop.service().answer_next("output", {503, 0, 500});
  shop.service().answer_next("complete", {0, 503});
  shop.service().answer_next("claim", {503});
  std::string run;
  auto const end = shop.run_to_end({"for i in 1 2 3 4 5; do echo line $i; sleep 0.15; done"}, {}, &run);
  CHECK(status_of(end) == "passed");
  CHECK(shop.service().all(run) == "line 1\nline 2\nline 3\nline 4\nline 5\n");
  CHECK(shop.runner().stop() == 0);
}

TEST_CASE("small output of a short run is sent with its result, if the claim allows it") {
  workshop shop;
  json::object const allowed{{"wholeOutputBytes", 65'536}};
  std::string run;
  // On a busy machine a run may take longer than its lines are kept back, a tenth of a second. Such a run is not a
  // short one.
  constexpr int most_runs = 20;
  SUBCASE("printed at its end") {
    json::object end;
    std::size_t sent_before = 0;
    for (int i = 0; i < most_runs && !end.contains("wholeOutput"); ++i) {
      sent_before = shop.service().count("output");
      end = shop.run_to_end({"echo one; echo two >&2"}, allowed, &run);
      CHECK(status_of(end) == "passed");
    }
    CHECK(end.at("wholeOutput").as_array().size() == 2);
    CHECK(end.at("lastSeq").as_int64() == 2);
    CHECK(shop.service().count("output") == sent_before);
  }
  SUBCASE("nothing printed") {
    auto const end = shop.run_to_end({"true"}, allowed, &run);
    CHECK(end.at("wholeOutput").as_array().empty());
  }
  SUBCASE("not allowed") {
    auto const end = shop.run_to_end({"echo one"}, {}, &run);
    CHECK_FALSE(end.contains("wholeOutput"));
    CHECK(shop.service().all(run) == "one\n");
  }
  SUBCASE("more than allowed") {
    auto const end = shop.run_to_end({"echo four; echo five"}, {{"wholeOutputBytes", 7}}, &run);
    CHECK_FALSE(end.contains("wholeOutput"));
    CHECK(shop.service().all(run) == "four\nfive\n");
  }
  SUBCASE("more lines than a batch") {
    auto const end = shop.run_to_end({"seq 1 1001"}, allowed, &run);
    CHECK_FALSE(end.contains("wholeOutput"));
    CHECK(shop.service().lines(run).size() == 1001);
  }
  SUBCASE("a longer run's lines are seen while it goes on") {
    run = shop.run({"echo early; sleep 1; echo late"}, allowed);
    shop.service().wait_line(run, "early");
    CHECK_FALSE(shop.service().completed(run));
    CHECK_FALSE(shop.service().completion(run).contains("wholeOutput"));
    CHECK(shop.service().all(run) == "early\nlate\n");
  }
  SUBCASE("the answer is lost") {
    json::object end;
    for (int i = 0; i < most_runs && !end.contains("wholeOutput"); ++i) {
      shop.service().answer_next("complete", {503});
      end = shop.run_to_end({"echo one"}, allowed, &run);
      CHECK(shop.service().all(run) == "one\n");
    }
    CHECK(end.contains("wholeOutput"));
  }
  SUBCASE("an instance of an older version refuses it: the output is sent before the result") {
    shop.service().refuse_whole_outputs();
    bool refused = false;
    for (int i = 0; i < most_runs && !refused; ++i) {
      auto const asked_before = shop.service().count("complete");
      auto const end = shop.run_to_end({"echo one; echo two"}, allowed, &run);
      CHECK(status_of(end) == "passed");
      CHECK_FALSE(end.contains("wholeOutput"));
      CHECK(end.at("lastSeq").as_int64() == 2);
      CHECK(shop.service().all(run) == "one\ntwo\n");
      refused = shop.service().count("complete") == asked_before + 2;
    }
    CHECK(refused);
  }
  CHECK(shop.runner().stop() == 0);
}

TEST_CASE("scripts that are given apart are asked for once") {
  workshop shop;
  auto& service = shop.service();
  service.give_scripts_apart();
  // The claim that has waited since the start asked for it as well.
  std::string run;
  SUBCASE("each is kept by its version") {
    for (int i = 0; i < 3; ++i) {
      CHECK(status_of(shop.run_to_end({"echo one", "echo two"}, {}, &run)) == "passed");
      CHECK(service.all(run).find("one\n") != std::string::npos);
      CHECK(service.all(run).find("two\n") != std::string::npos);
      // There are two answers, because the stand-in gives one script in each.
      CHECK(service.count("scripts") == 2);
    }
    CHECK(status_of(shop.run_to_end({"echo changed", "echo two"}, {}, &run)) == "passed");
    CHECK(service.all(run).find("changed\n") != std::string::npos);
    CHECK(service.count("scripts") == 3);
  }
  SUBCASE("runs of one moment share the request") {
    auto const text = shop.run({"sleep 0.2; echo same"}), other = shop.run({"sleep 0.2; echo same"});
    for (auto const& each : {text, other}) {
      CHECK(status_of(service.completion(each)) == "passed");
      CHECK(service.all(each) == "same\n");
    }
    CHECK(service.count("scripts") == 1);
  }
  SUBCASE("an answer that is lost is asked for again") {
    service.answer_next("scripts", {503, 0});
    CHECK(status_of(shop.run_to_end({"echo one"}, {}, &run)) == "passed");
  }
  SUBCASE("a test that was deleted after the claim is left out") {
    auto const end = shop.run_to_end({"", "echo two"}, {}, &run);
    REQUIRE(end.at("tests").as_array().size() == 1);
    CHECK(end.at("tests").at(0).at("id").as_string() == "test-2");
    auto const none = shop.run_to_end({""}, {}, &run);
    CHECK(status_of(none) == "error");
    CHECK(none.at("errorDetails").as_string() == "the run has no tests");
  }
  SUBCASE("the claim is lost meanwhile: nothing is told of the run any more") {
    service.answer_next("scripts", {409});
    run = shop.run({"echo one"});
    service.wait_count("scripts", 1);
    CHECK(status_of(shop.run_to_end({"echo two"})) == "passed");
    CHECK(shop.scratch_is_empty());
    CHECK_FALSE(service.completed(run));
    CHECK(service.all(run).empty());
  }
  SUBCASE(
      "an instance of an older version does not give them: the run is handed back, and scripts come with claims") {
    service.answer_next("scripts", {404});
    run = shop.run({"echo one"});
    service.wait_released(run);
    // A claim that was sent before may still have asked.
    CHECK(status_of(shop.run_to_end({"echo two"})) == "passed");
    auto const before = service.count("scripts");
    CHECK(status_of(shop.run_to_end({"echo three"})) == "passed");
    CHECK(service.count("scripts") == before);
  }
  SUBCASE("an instance of an older version refuses the claim") {
    service.answer_next("claim", {400});
    CHECK(status_of(shop.run_to_end({"echo one"})) == "passed");
    CHECK(status_of(shop.run_to_end({"echo two"})) == "passed");
    CHECK(service.count("scripts") <= 1);
  }
  CHECK(shop.runner().stop() == 0);
}

TEST_CASE("2 500 lines arrive complete and in order, and binary output is shown as such") {
  workshop shop;
  std::string run;
  auto const end = shop.run_to_end({"seq 1 2500; printf 'a\\000b\\377c\\r\\nno end'"}, {}, &run);
  CHECK(status_of(end) == "passed");
  auto const lines = shop.service().lines(run);
  REQUIRE(lines.size() == 2502);
  bool in_order = true;
  for (std::size_t i = 0; i < 2500; ++i) in_order = in_order && lines[i] == std::to_string(i + 1);
  CHECK(in_order);
  CHECK(lines[2500] ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD"
        "c");
  CHECK(lines[2501] == "no end");
}

TEST_CASE("a job type without its tool is left out, or prevents the start when it was requested") {
  temporary_directory tools;
  // k6 is not in Debian's archive, so a script replaces it.
  auto const k6 = tools.write("k6", "#!/bin/sh\necho \"k6 $*\"; cat \"$2\"; exit 99\n");
  std::filesystem::permissions(k6, std::filesystem::perms::all);
  std::filesystem::permissions(tools.path(), std::filesystem::perms::all);
  workshop shop({.lines = "labels = ['command', 'k6']",
                 .environment = {"PATH=" + tools.path() + ":/usr/local/bin:/usr/bin:/bin"}});
  std::string run;
  auto const end = shop.run_to_end({"export default function () {}"}, {{"jobType", "k6"}}, &run);
  CHECK(status_of(end) == "failed");
  CHECK(details_of(end) == "exit code 99");
  CHECK(shop.service().all(run) == "k6 run test-1.js\nexport default function () {}\n");

  service refused({"--config", shop.directory() + "/runner.toml"}, {"PATH=/usr/bin:/bin"}, runner_binary());
  CHECK(refused.wait() == 2);
  CHECK(refused.err().text().find("labels: k6 cannot be run: no k6 in PATH") != std::string::npos);
}
