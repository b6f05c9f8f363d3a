#include "workshop.hpp"

#include "svc/core/random.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace svc::test {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr uid_t nobody = 65534;

int count_processes(std::string const& run) {
  int found = 0;
  std::error_code gone;
  for (auto const& entry : fs::directory_iterator("/proc", gone)) {
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    if (text.find("SERVICE_RUN_ID=" + run) != std::string::npos) ++found;
  }
  return found;
}

}  // namespace

std::string runner_binary() {
  return (fs::read_symlink("/proc/self/exe").parent_path() / "svc-runner").string();
}

bool is_root() {
  return ::geteuid() == 0;
}

void not_shown(std::string const& subject) {
  MESSAGE("not shown on this machine: " << subject);
}

std::vector<workshop::options> ways() {
  std::vector<workshop::options> out{{.sandbox = "auto"}, {.sandbox = "none"}};
  if (!is_root()) {
    not_shown("runners of root, because the tests are not");
  } else if (::access("/usr/bin/setpriv", X_OK) != 0) {
    not_shown("runners of other users: no setpriv");
  } else {
    out.push_back({.sandbox = "auto", .as_nobody = true});
    out.push_back({.sandbox = "none", .as_nobody = true});
  }
  return out;
}

std::string name_of(workshop::options const& way) {
  return way.sandbox + (way.as_nobody ? " as nobody" : "");
}

workshop::workshop(options const& options) {
  // Scripts run as separate users, who must be able to reach their directories but not see the others.
  ::chmod(directory_.path().c_str(), 0711);
  stand_in_ = std::make_unique<stand_in>(directory_.path() + "/service.sock");
  ::chmod((directory_.path() + "/service.sock").c_str(), 0666);
  ::mkdir((directory_.path() + "/work").c_str(), 0711);
  std::string text = "url = 'unix:" + directory_.path() + "/service.sock'\nwork_dir = '" + directory_.path() +
                     "/work'\nname = 'workshop'\nconcurrency = 2\n";
  // Wherever a script ignores SIGTERM, the default of five seconds would be waited for.
  std::vector<std::string> environment{"SVC_RUNNER_LIMITS_TIMEOUT_GRACE=300ms"};
  environment.insert(environment.end(), options.environment.begin(), options.environment.end());
  if (options.token_in_environment) {
    environment.push_back(std::string("SVC_RUNNER_TOKEN=") + token);
  } else {
    directory_.write("token", std::string(token) + "\n");
    ::chmod(token_file().c_str(), 0600);
    text += "token_file = '" + token_file() + "'\n";
  }
  text += options.lines + "\n[sandbox]\nmode = '" + options.sandbox + "'\n";
  auto const file = directory_.write("runner.toml", text);
  std::vector<std::string> arguments{"--config", file};
  auto program = runner_binary();
  if (options.as_nobody) {
    for (auto const* each : {"/token", "/work"})
      static_cast<void>(!::chown((directory_.path() + each).c_str(), nobody, nobody));
    arguments.insert(arguments.begin(), {"--reuid=65534", "--regid=65534", "--clear-groups", program});
    program = "/usr/bin/setpriv";
  }
  arguments_ = std::move(arguments);
  environment_ = std::move(environment);
  program_ = std::move(program);
  start_runner();
}

void workshop::start_runner() {
  runner_.reset();
  runner_.emplace(arguments_, environment_, program_);
  auto const line = json::parse(runner_->wait_error_line("\"starting\"")).as_object();
  isolation_ = std::string(line.at("isolation").as_string());
}

bool workshop::scratch_is_empty() const {
  // The directory is deleted after the answer to the completion.
  for (int i = 0; i < 500; ++i) {
    if (fs::is_empty(directory_.path() + "/work")) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::string workshop::run(std::vector<std::string> const& scripts, json::object members) {
  auto const id = "run-" + random_alphanumeric(12);
  json::array tests;
  for (auto const& script : scripts) {
    auto const number = std::to_string(tests.size() + 1);
    tests.emplace_back(json::object{
        {"id", "test-" + number}, {"title", "Title " + number}, {"type", "command"}, {"script", script}});
  }
  members["tests"] = std::move(tests);
  service().queue(id, std::move(members));
  return id;
}

json::object workshop::run_to_end(std::vector<std::string> const& scripts, json::object members, std::string* id) {
  auto const run_id = run(scripts, std::move(members));
  if (id != nullptr) *id = run_id;
  return service().completion(run_id);
}

int processes_left(std::string const& run) {
  int left = 0;
  for (int i = 0; i < 250; ++i) {
    left = count_processes(run);
    if (left == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return left;
}

std::string status_of(json::object const& completion) {
  return std::string(completion.at("status").as_string());
}

std::string details_of(json::object const& completion, std::size_t test) {
  auto const& object = completion.at("tests").as_array().at(test).as_object();
  auto const* details = object.if_contains("errorDetails");
  return details == nullptr ? "" : std::string(details->as_string());
}

}  // namespace svc::test
