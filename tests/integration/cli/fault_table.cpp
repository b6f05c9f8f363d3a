#include "integration/cli/fault_table.hpp"

#include "svc/domain/token.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <memory>

namespace svc::test {
namespace {

std::string new_token(token_kind kind) {
  return std::string(mint_token(kind).key.reveal());
}

struct running_fault {
  explicit running_fault(fault const& fault)
      : server([&answers = fault.answers](received const& r) {
          return answers.at(std::min(static_cast<std::size_t>(r.nth), answers.size() - 1));
        }) {
    auto arguments = fault.arguments;
    arguments.emplace_back("--json");
    process.emplace(invocation{.arguments = arguments, .environment = environment_of(server)});
  }

  scripted_server server;
  std::optional<svc_process> process;
};

void check(fault_result const& r) {
  CAPTURE(r.fault->name);
  CAPTURE(r.result.out);
  CAPTURE(r.result.err);
  CHECK(r.result.code == r.fault->code);
  CHECK(failure_code(r.result) == r.fault->error);
  if (r.fault->requests) CHECK(r.requests.size() == *r.fault->requests);
  CHECK((r.result.out + r.result.err).find(some_trigger_key()) == std::string::npos);
}

}  // namespace

std::string some_trigger_key() {
  static auto const key = new_token(token_kind::trigger);
  return key;
}

std::string some_token() {
  static auto const token = new_token(token_kind::cli);
  return token;
}

std::vector<std::string> environment_of(scripted_server const& server, std::vector<std::string> const& more) {
  std::vector<std::string> out{"SERVICE_URL=" + server.url(), "SERVICE_TRIGGER_KEY=" + some_trigger_key()};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::string failure_code(svc_result const& r) {
  auto text = r.err;
  while (text.ends_with('\n')) text.pop_back();
  boost::system::error_code failed;
  auto const value = boost::json::parse(text.substr(text.rfind('\n') + 1), failed);
  if (failed || !value.is_object()) return {};
  auto const* const code = value.get_object().if_contains("code");
  return code == nullptr ? std::string() : std::string(code->as_string());
}

std::vector<fault_result> check_faults(std::vector<fault> const& table) {
  std::vector<std::unique_ptr<running_fault>> running;
  for (auto const& each : table) running.push_back(std::make_unique<running_fault>(each));
  std::vector<fault_result> out;
  for (std::size_t i = 0; i < table.size(); ++i) {
    auto result = running[i]->process->wait();
    out.push_back({&table[i], std::move(result), running[i]->server.requests()});
    check(out.back());
  }
  return out;
}

}  // namespace svc::test
