#include "integration/cli/svc_user.hpp"

#include <boost/json/parse.hpp>

#include <filesystem>
#include <stdexcept>
#include <thread>

namespace svc::test {
namespace {

std::string admin_line(dev_service const& dev_service, std::vector<std::string> words) {
  words.insert(words.begin(), "admin");
  words.insert(words.end(), {"--json", "--config", dev_service.text("configFile")});
  service command(words);
  if (command.wait() != 0) throw std::runtime_error("svcd admin " + words[1] + ": " + command.err().text());
  return command.out().wait_line([](std::string const&) { return true; }, std::chrono::seconds(10)).value();
}

}  // namespace

svc_user::svc_user(dev_service const& service, std::string const& token) : environment_(environment_of(service)) {
  if (!token.empty()) environment_.back() = "SERVICE_TOKEN=" + token;
}

invocation svc_user::how(std::vector<std::string> const& arguments) const {
  return {.arguments = arguments, .environment = environment_, .home = home_.path()};
}

svc_result svc_user::run(std::vector<std::string> const& arguments, std::string const& input) const {
  auto invocation = how(arguments);
  invocation.input = input;
  return run_svc(invocation);
}

svc_result svc_user::at_terminal(std::vector<std::string> const& arguments, terminal_size const& size,
                                 std::string const& question, std::string const& typed) const {
  auto invocation = how(arguments);
  invocation.terminal = size;
  if (question.empty()) return run_svc(invocation);
  invocation.input = std::nullopt;
  svc_process process(invocation);
  auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!process.out().text().ends_with(question) && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  process.write(typed);
  return process.wait();
}

svc_result svc_user::shell(std::string const& line) const {
  auto invocation = how({"-c", line});
  invocation.environment.push_back("PATH=" + std::filesystem::path(client_binary()).parent_path().string() +
                                   ":/usr/bin:/bin");
  return svc_process(invocation, "/bin/bash").wait();
}

std::string svc_user::out(std::vector<std::string> const& arguments, std::string const& input) const {
  auto const got = run(arguments, input);
  if (got.code == 0) return got.out;
  std::string line = "svc";
  for (auto const& word : arguments) line += " " + word;
  throw std::runtime_error(line + " ended with " + std::to_string(got.code) + ": " + got.err);
}

std::string svc_user::id(std::vector<std::string> arguments, std::string const& input) const {
  arguments.emplace_back("--quiet");
  auto const text = out(arguments, input);
  return text.substr(0, text.find('\n'));
}

boost::json::value svc_user::json(std::vector<std::string> arguments, std::string const& input) const {
  arguments.emplace_back("--json");
  return boost::json::parse(out(arguments, input));
}

std::string token_of_role(dev_service const& service, std::string const& role) {
  auto const email = role + "@example.org";
  admin_line(service, {"create-user", "--email", email, "--name", role});
  admin_line(service, {"add-member", "--organization", "demo", "--user", email, "--role", "org_member"});
  admin_line(service, {"add-member", "--project", "demo/demo", "--user", email, "--role", role});
  auto const made = admin_line(service, {"create-token", "--project", "demo/demo", "--owner", email, "--name", role});
  return std::string(boost::json::parse(made).at("key").as_string());
}

}  // namespace svc::test
