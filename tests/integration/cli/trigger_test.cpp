// Tests the requests of `svc job trigger` to the real service: their runs, refusals, reports, and lost answers.
#include "integration/cli/scripted_server.hpp"
#include "integration/cli/shell_jobs.hpp"
#include "integration/cli/svc_user.hpp"
#include "support/free_port.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace svc::test {
namespace {

shell_jobs& trigger_stage() {
  static shell_jobs shared;
  return shared;
}

std::string const some_id = "01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70";
std::string const some_key = "svc_trigger_0123456789abcdef0123456789abcdef";

TEST_CASE("without waiting: the run that was made, in each format") {
  auto& t = trigger_stage();
  auto const job = t.job({{"plain", "true"}}, {{"name", "plain"}, {"parameters", {{{"name", "BRANCH"}}}}});
  auto const ids = [](std::string const& text) { return text.substr(0, 36); };

  auto const quiet = run_svc(t.with({"job", "trigger", job, "--param", "BRANCH=a=b", "--quiet"}));
  REQUIRE_MESSAGE(quiet.code == 0, quiet.err);
  CHECK(t.run(ids(quiet.out)).at("parameters") == boost::json::object{{"BRANCH", "a=b"}});
  CHECK(quiet.out.size() == 37);

  auto const json = run_svc(t.with({"job", "trigger", "plain", "--json", "--idempotency-key", "once"}));
  REQUIRE_MESSAGE(json.code == 0, json.err);
  auto const reported = boost::json::parse(json.out).as_object();
  CHECK(reported.at("success") == true);
  for (std::vector<std::string> const& words :
       {std::vector<std::string>{"job", "trigger", job}, {"api", "POST", "/api/jobs/" + job + "/trigger"}}) {
    auto empty = words;
    empty.insert(empty.end(), {"--idempotency-key", ""});
    auto const refused = run_svc(t.with(empty));
    CHECK(refused.code == 3);
    CHECK(has_text(refused.err, "--idempotency-key must not be empty; nothing was sent."));
  }
  auto const again = run_svc(t.with({"job", "trigger", job, "--quiet", "--idempotency-key", "once"}));
  CHECK(ids(again.out) == reported.at("data").at("runId").as_string());

  auto in_file = t.with({"job", "trigger", job, "--params-file", "-"});
  in_file.input = R"({"BRANCH": "from a file"})";
  auto const text = run_svc(in_file);
  CHECK(text.code == 0);
  CHECK(has_text(text.out, "plain"));
}

TEST_CASE("scripts are in the trace of the pipeline that triggers, or of the request that runs them again") {
  auto& t = trigger_stage();
  std::string const first = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  std::string const later = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
  auto const job = t.job({{"traced", "echo \"trace: ${TRACEPARENT-none}\""}});
  auto const followed = [&](std::vector<std::string> const& environment) {
    auto const got = run_svc(t.with({"job", "trigger", job, "--follow"}, environment));
    REQUIRE_MESSAGE(got.code == 0, got.err);
    return got;
  };
  auto const plain = followed({});
  CHECK_MESSAGE(has_text(plain.err, "\ntrace: none\n"), plain.err);
  CHECK(has_text(followed({"TRACEPARENT=00-0-0-01"}).err, "\ntrace: none\n"));
  auto const traced = followed({"TRACEPARENT=" + first});
  CHECK_MESSAGE(has_text(traced.err, "\ntrace: " + first + "\n"), traced.err);

  auto const target = "/api/runs/" + shell_jobs::text(printed_run(traced), "id") + "/rerun";
  auto const again = t.api.call("POST", target, {}, {{"traceparent", later}});
  REQUIRE_MESSAGE(again.status == 202, again.body);
  auto const id = shell_jobs::text(boost::json::parse(again.body).as_object(), "id");
  CHECK(t.ends(id));
  auto const printed = run_svc(t.with({"run", "output", id}));
  CHECK_MESSAGE(has_text(printed.out, "trace: " + later + "\n"), printed.out << printed.err);
}

TEST_CASE("a trigger that is wrong or whose run cannot be waited for is not sent") {
  auto& t = trigger_stage();
  boost::json::array const declared{{{"name", "BRANCH"}}, {{"name", "REGION"}, {"required", true}}};
  auto const job = t.job({{"p", "true"}}, {{"parameters", declared}});
  auto const key = std::string(
      t.made("/api/jobs/" + job + "/trigger-keys", {{"name", "k"}}).at("triggerKey").at("key").as_string());
  auto const key_alone = std::vector<std::string>{"SERVICE_TOKEN=", "SERVICE_TRIGGER_KEY=" + key};
  auto const bad_token = std::vector<std::string>{"SERVICE_TOKEN=svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O",
                                                  "SERVICE_TRIGGER_KEY=" + key};
  std::string const unknown = "01934f2e-4444-7d3e-9b1f-5a2c8e4d6f70";
  struct {
    char const* name;
    std::vector<std::string> words, environment;
    int code;
    char const* said;
  } const cases[] = {
      {"a key alone sees no runs", {job, "--wait"}, key_alone, 3, "Waiting for a run needs a CLI token"},
      {"nor follows them", {job, "--follow"}, key_alone, 3, "nothing was triggered"},
      {"a key knows no names", {"job p", "--quiet"}, key_alone, 3, "Give the job's id"},
      {"a token that is not good", {job, "--wait", "--param", "REGION=eu"}, bad_token, 2, "Nothing was triggered"},
      {"a job that the token does not see", {unknown, "--wait"}, {}, 3, "Nothing was triggered"},
      {"a parameter that is not declared",
       {job, "--wait", "--param", "BRANHC=x", "--param", "REGION=eu"},
       {},
       3,
       "It takes BRANCH, REGION."},
      {"a parameter that is needed", {job, "--wait"}, {}, 3, "needs the parameter REGION"},
      {"no value", {job, "--param", "BRANCH"}, {}, 3, "--param NAME=VALUE"},
      {"the service refuses it without waiting, too", {job}, {}, 1, "REGION"},
  };
  auto const before = t.runs();
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    std::vector<std::string> words{"job", "trigger"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    auto const got = run_svc(t.with(words, c.environment));
    CHECK_MESSAGE(got.code == c.code, got.err);
    CHECK_MESSAGE(has_text(got.err, c.said), got.err);
    CHECK(got.out == "");
  }
  CHECK(t.runs() == before);
  CHECK(run_svc(t.with({"job", "trigger", job, "--param", "REGION=eu"}, key_alone)).code == 0);
  CHECK(t.runs() == before + 1);
}

std::string report_text(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the cases that Python's parser (expat) reads in a report. Each line has a case's name and the tags in it.
std::string cases_in(std::string const& file) {
  static constexpr auto script =
      "import sys, xml.etree.ElementTree as tree\n"
      "for case in tree.parse(sys.argv[1]).getroot().iter('testcase'):\n"
      "    print(case.get('name'), *[each.tag for each in case])\n";
  temporary_directory const scratch;
  auto const program = scratch.write("cases.py", script);
  auto const out = scratch.path() + "/out";
  REQUIRE(std::system(("/usr/bin/python3 " + program + " " + file + " >" + out).c_str()) == 0);
  return report_text(out);
}

TEST_CASE("a run is written as JUnit XML and as Markdown for the pipeline, also when its end was not seen") {
  auto& t = trigger_stage();
  temporary_directory const files;
  auto const junit = files.path() + "/reports/junit.xml", markdown = files.path() + "/summary.md";
  auto const job = t.job({{"good", "echo fine"}, {"bad & worse", "printf '<last> \\001 line\\n'; exit 3"}});
  auto const got = run_svc(
      t.with({"job", "trigger", job, "--follow", "--junit", junit, "--summary-markdown", markdown, "--quiet"}));
  CHECK(got.code == 1);
  CHECK(cases_in(junit) == "good\nbad & worse failure\n");
  CHECK(has_text(report_text(junit), "&lt;last&gt; \\x01 line"));
  CHECK(has_text(report_text(markdown), "bad"));
  auto const run = got.out.substr(0, 36);

  // The user fetches the results later, without following. The summary of a second run is appended, and the report
  // can be the output.
  auto const again = run_svc(t.with({"run", "get", run, "--junit", "-", "--summary-markdown", markdown}));
  REQUIRE_MESSAGE(again.code == 0, again.err);
  CHECK(again.out == report_text(junit));
  auto const summary = report_text(markdown);
  CHECK(summary.find("###") != summary.rfind("###"));

  auto const slow = t.job({{"slow", "sleep 60"}});
  auto const outputs = files.path() + "/outputs";
  auto const timed = run_svc(t.with({"job", "trigger", slow, "--follow", "--junit", junit, "--timeout", "4"},
                                    {"GITHUB_ACTIONS=true", "GITHUB_OUTPUT=" + outputs}));
  CHECK(timed.code == 5);
  CHECK(has_text(report_text(outputs), "status=unknown"));
  CHECK(cases_in(junit) == "slow skipped\nrun error\n");
  t.api.post("/api/runs/" + shell_jobs::text(printed_run(timed), "id") + "/cancel");

  // The service knows the results of tests at the end only; `svc` writes the results that the output has reported.
  auto const two = t.job({{"first", "echo one"}, {"second", "echo two; sleep 60"}});
  auto const half = run_svc(t.with({"job", "trigger", two, "--follow", "--junit", junit, "--timeout", "6"}));
  CHECK(half.code == 5);
  CHECK_MESSAGE(has_text(half.err, "\ntwo\n"), half.err);
  CHECK(cases_in(junit) == "first\nsecond skipped\nrun error\n");
  auto const half_run = printed_run(half);
  CHECK(half_run.at("status") == "running");
  CHECK(half_run.at("tests").at(0).at("status") == "passed");
  CHECK(half_run.at("tests").at(1).at("status") == "running");
  t.api.post("/api/runs/" + shell_jobs::text(half_run, "id") + "/cancel");

  // `svc` finds a report that cannot be written before it triggers anything.
  auto const before = t.runs();
  auto const refused = run_svc(t.with({"job", "trigger", job, "--follow", "--junit", files.path()}));
  CHECK(refused.code == 3);
  CHECK(has_text(refused.err, "it is a directory"));
  auto const too_long = run_svc(t.with({"job", "trigger", job, "--follow", "--junit", std::string(300, 'a')}));
  CHECK(too_long.code == 3);
  CHECK(has_text(too_long.err, "cannot be written: File name too long."));
  CHECK(run_svc(t.with({"job", "trigger", job, "--junit", junit})).code == 3);
  CHECK(t.runs() == before);
}

TEST_CASE("a trigger that fails leaves no report of an earlier run") {
  auto& t = trigger_stage();
  temporary_directory const files;
  auto const junit = files.write("junit.xml", "<testsuites name=\"green\"/>");
  auto const missing =
      run_svc(t.with({"job", "trigger", "01934f2e-4444-7d3e-9b1f-5a2c8e4d6f70", "--follow", "--junit", junit}));
  CHECK(missing.code != 0);
  CHECK_FALSE(std::filesystem::exists(junit));
}

/// Four tries may fit into three seconds or not.
bool gave_up(svc_result const& got) {
  return got.code == 4 || got.code == 5;
}

TEST_CASE("a trigger whose answer was lost names the key that makes it safe to repeat") {
  std::set<std::string> keys;
  scripted_server const lossy([](received const&) { return scripted_answer{.close = true}; });
  auto const got = run_svc({.arguments = {"job", "trigger", some_id, "--timeout", "3"},
                            .environment = {"SERVICE_URL=" + lossy.url(), "SERVICE_TRIGGER_KEY=" + some_key}});
  CHECK_MESSAGE(gave_up(got), got.err);
  for (auto const& r : lossy.requests()) keys.insert(r.field("Idempotency-Key"));
  REQUIRE(keys.size() == 1);
  CHECK(keys.begin()->size() == 36);
  CHECK(has_text(got.err, "The run may exist nevertheless."));
  CHECK(has_text(got.err, "--idempotency-key " + *keys.begin()));

  // A refusal says nothing about an earlier try whose answer was lost.
  scripted_server const refuses([](received const& r) {
    return r.nth == 0 ? scripted_answer{.close = true} : whole_answer(409, error_body("job_disabled"));
  });
  auto const refused = run_svc({.arguments = {"job", "trigger", some_id},
                                .environment = {"SERVICE_URL=" + refuses.url(), "SERVICE_TRIGGER_KEY=" + some_key}});
  CHECK(refused.code == 1);
  CHECK(has_text(refused.err, "The run may exist nevertheless."));

  auto const nobody = "SERVICE_URL=http://127.0.0.1:" + std::to_string(free_port());
  auto const none = run_svc({.arguments = {"job", "trigger", some_id, "--timeout", "3"},
                             .environment = {nobody, "SERVICE_TRIGGER_KEY=" + some_key}});
  CHECK_MESSAGE(gave_up(none), none.err);
  CHECK_FALSE(has_text(none.err, "may exist"));
}

}  // namespace
}  // namespace svc::test
