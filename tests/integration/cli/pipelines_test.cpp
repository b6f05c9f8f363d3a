// Tests the lines that a newcomer pastes: those that `svcd dev` prints, and the pipelines of deploy/ci.
#include "integration/cli/svc_process.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace svc::test;

namespace {

constexpr std::chrono::seconds for_a_start{60};

/// The shell part of a pipeline's file, taken from its syntax.
constexpr char const* script_reader = R"py(
import re, sys, yaml
text = open(sys.argv[1]).read()
def lines(found): return found if isinstance(found, str) else "\n".join(found)
def walk(node):
    if isinstance(node, dict):
        for name, value in node.items():
            if name == "script" or (name in ("run", "command") and isinstance(value, str)): yield lines(value)
            else: yield from walk(value)
    elif isinstance(node, list):
        for value in node: yield from walk(value)
if sys.argv[1].endswith(".sh"): parts = [text]
elif sys.argv[1].endswith("Jenkinsfile"): parts = re.findall(r"sh '''(.*?)'''", text, re.DOTALL)
else: parts = list(walk(yaml.safe_load(text)))
assert len(parts) == 1, parts
print(parts[0])
)py";

svc_result run_program(std::string const& program, std::vector<std::string> arguments,
                       std::string const& directory = {}, std::vector<std::string> environment = {}) {
  svc_process process({.arguments = std::move(arguments),
                       .environment = std::move(environment),
                       .directory = directory,
                       .home = directory},
                      program);
  return process.wait(std::chrono::seconds(120));
}

/// A development service with its runner; the tests use only its printed text.
struct newcomer_fixture {
  temporary_directory directory;
  service process{{"dev", "--data-dir", directory.path() + "/dev", "--listen", "127.0.0.1:0", "--admin",
                   "127.0.0.1:0", "--print", "lines"}};
  std::string announced;

  newcomer_fixture() {
    auto const last = process.out().wait_line(
        [](std::string const& line) { return line.find("/api/cli-tokens") != std::string::npos; }, for_a_start);
    if (!last) throw std::runtime_error("svcd dev is not ready: " + process.err().text());
    announced = process.out().text();
  }
  static newcomer_fixture& shared() {
    static newcomer_fixture fixture;
    return fixture;
  }
  /// Returns the lines to paste that are only for `svc`.
  std::string client_lines() const {
    auto const begin = announced.find("# the client");
    auto const end = announced.find("The same with curl");
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    return announced.substr(begin, end - begin);
  }
  /// Runs a shell in which the exports were pasted.
  svc_result shell(std::string const& script) const {
    auto const lines = client_lines();
    return run_program("/bin/bash", {"-c", lines.substr(0, lines.find("eval ")) + "set -e\n" + script},
                       directory.path());
  }
  std::string word(std::string const& script) const {
    auto const result = shell(script);
    INFO(result.err);
    REQUIRE(result.code == 0);
    return result.out.substr(0, result.out.find('\n'));
  }
};

/// The environment of pipelines: the package, a job, and the variables of their CI system.
struct pipeline_world {
  std::string passing, failing, key_of_passing, key_of_failing;
  std::vector<std::string> usual;       ///< variables of all pipelines
  mutable std::string report, outputs;  ///< files that the last pipeline left

  static pipeline_world& shared() {
    static pipeline_world world;
    return world;
  }
  pipeline_world() {
    auto& fixture = newcomer_fixture::shared();
    auto const& home = fixture.directory;
    home.write("failing.sh", "echo about to fail\nexit 1\n");
    failing = fixture.word(
        "svc test create fails --type command --script failing.sh >/dev/null\n"
        "svc job create red --type command --test fails --template '{id}'");
    passing = fixture.word("svc job list --template '{id} {name}' | sed -n 's/ Hello$//p'");
    key_of_failing = fixture.word("svc job keys create red ci --secret-only");
    key_of_passing = fixture.word("printf '%s\\n' $SERVICE_TRIGGER_KEY");
    for (std::string const name : {"SERVICE_URL", "SERVICE_CACERT", "SERVICE_TOKEN"})
      usual.push_back(name + "=" + fixture.word("printf '%s\\n' $" + name));
    // The packages are already installed.
    std::filesystem::create_directory(home.path() + "/stubs");
    home.write("stubs/apt-get", "#!/bin/sh\n");
    std::filesystem::permissions(home.path() + "/stubs/apt-get", std::filesystem::perms::owner_all);
  }

  std::string address() const {
    for (auto const& each : usual)
      if (each.starts_with("SERVICE_URL=")) return each.substr(12);
    return {};
  }

  static std::string text_of_file_in(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  svc_result run(std::string const& script, std::vector<std::string> variables, bool good) const {
    auto const& fixture = newcomer_fixture::shared();
    temporary_directory const work;
    for (auto const& each : usual) {
      auto const name = each.substr(0, each.find('=') + 1);
      if (std::ranges::none_of(variables, [&](std::string const& text) { return text.starts_with(name); }))
        variables.push_back(each);
    }
    variables.push_back("SERVICE_JOB=" + (good ? passing : failing));
    variables.push_back("SERVICE_TRIGGER_KEY=" + (good ? key_of_passing : key_of_failing));
    for (std::string const name :
         {"GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB", "GITHUB_ACTION", "LEG", "CI_JOB_ID",
          "CIRCLE_WORKFLOW_JOB_ID", "BUILD_TAG", "BUILD_BUILDID", "SYSTEM_JOBID", "SYSTEM_JOBATTEMPT", "BUILD_ID"})
      variables.push_back(name + "=" + work.path());  // an id of this attempt
    variables.push_back("RUNNER_TEMP=" + work.path());
    variables.push_back("JOB=" + (good ? passing : failing));
    variables.push_back("TIMEOUT=600");
    variables.push_back("PARAMS=");
    variables.push_back("GITHUB_OUTPUT=" + work.path() + "/outputs");
    variables.push_back("PATH=" + fixture.directory.path() + "/stubs:/usr/local/bin:/usr/bin:/bin");
    variables.push_back("GITHUB_STEP_SUMMARY=" + work.path() + "/summary.md");
    auto const out = run_program("/bin/sh", {"-xec", script}, work.path(), variables);
    report = text_of_file_in(work.path() + "/svc-report.xml");
    outputs = text_of_file_in(work.path() + "/outputs");
    return out;
  }
};

}  // namespace

TEST_CASE("the lines that svcd dev prints work as printed: exports, completion, jobs, a run to its end") {
  auto& fixture = newcomer_fixture::shared();
  auto const pasted =
      run_program("/bin/bash", {"-ec", fixture.client_lines() + "complete -p svc"}, fixture.directory.path());
  CAPTURE(pasted.err);
  CHECK(pasted.code == 0);
  CHECK(pasted.out.find("Hello") != std::string::npos);
  CHECK(pasted.out.find("complete -F _svc svc") != std::string::npos);
  CHECK(pasted.err.find("step 3 of 3") != std::string::npos);
}

TEST_CASE("after a login with an address, later commands need neither address nor authority nor token") {
  auto const& fixture = newcomer_fixture::shared();
  temporary_directory const home;
  auto const run = [&](std::vector<std::string> arguments, std::string const& input = {}) {
    return run_svc({.arguments = std::move(arguments), .input = input, .home = home.path()});
  };
  auto const url = fixture.word("printf '%s\\n' $SERVICE_URL"),
             authority = fixture.word("printf '%s\\n' $SERVICE_CACERT");
  auto const token = fixture.word("printf '%s\\n' $SERVICE_TOKEN");
  auto const login = run({"login", "--url", url, "--cacert", authority, "--token", "-"}, token + "\n");
  CAPTURE(login.err);
  CHECK(login.code == 0);
  CHECK(run({"whoami"}).code == 0);
  auto const followed = run({"job", "trigger", "Hello", "--follow"});
  CAPTURE(followed.err);
  CHECK(followed.code == 0);
  // The user's own file is not overwritten.
  CHECK(run({"login", "--url", "https://localhost:1", "--token", "-"}, token + "\n").code == 4);
  CHECK(run({"whoami"}).code == 0);
}

TEST_CASE("each pipeline of deploy/ci is green for a run that passes and red for one that fails") {
  struct row {
    char const* file;
    std::vector<std::string> variables;
  };
  row const rows[] = {
      {"github-actions.yml", {"CI=true", "GITHUB_ACTIONS=true"}},
      {"gitlab-ci.yml", {"CI=true", "GITLAB_CI=true"}},
      {"circleci.yml", {"CI=true", "CIRCLECI=true"}},
      {"Jenkinsfile", {"CI=true", "JENKINS_URL=https://jenkins.example.org/"}},
      {"azure-pipelines.yml", {"TF_BUILD=True"}},
      {"pipeline.sh", {}},
      {"github-action/action.yml", {"CI=true", "GITHUB_ACTIONS=true"}},
  };
  auto const& world = pipeline_world::shared();
  for (auto const& r : rows) {
    CAPTURE(r.file);
    auto const script =
        run_program("/usr/bin/python3", {"-c", script_reader, std::string(SVC_CI_DIRECTORY) + "/" + r.file});
    REQUIRE(script.code == 0);
    auto const green = world.run(script.out, r.variables, true);
    CAPTURE(green.err);
    CHECK(green.code == 0);
    CHECK((green.out + green.err).find("step 3 of 3") != std::string::npos);
    CHECK(world.report.find("failures=\"0\" errors=\"0\"") != std::string::npos);
    bool const github = std::string(r.file).starts_with("github");
    CHECK((world.outputs.find("status=passed") != std::string::npos) == github);
    auto const red = world.run(script.out, r.variables, false);
    CAPTURE(red.err);
    CHECK(red.code == 1);
    CHECK((red.out + red.err).find("about to fail") != std::string::npos);
    CHECK(world.report.find("failures=\"1\"") != std::string::npos);
    // An address with a slash at the end is the same. A failed installation starts no client, even if a file is
    // there.
    auto elsewhere = r.variables;
    elsewhere.push_back("SERVICE_URL=" + world.address() + "/");
    CHECK(world.run(script.out, elsewhere, true).code == 0);
    elsewhere.back() = "SERVICE_URL=https://127.0.0.1:1";
    auto const broken = world.run(
        "mkdir -p .svc svc; printf '#!/bin/sh\nexit 0\n' >.svc/svc; cp .svc/svc svc/svc\n"
        "chmod +x .svc/svc svc/svc\n" +
            script.out,
        elsewhere, true);
    CHECK(broken.code != 0);
    // `sh -x` prints every command line.
    for (auto const& result : {green, red}) {
      CHECK((result.out + result.err).find("svc_live_") == std::string::npos);
      CHECK((result.out + result.err).find("svc_trigger_") == std::string::npos);
    }
  }
}
