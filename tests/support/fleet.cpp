#include "support/fleet.hpp"

#include <cstdlib>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace svc::test {
namespace {

/// The first of two entries with one name counts.
std::vector<std::string> raised(std::vector<std::string> chosen, std::string const& decision_log, bool previous) {
  for (auto const* limit : {"CLI", "TRIGGER_DEFAULT", "ANONYMOUS", "FEED", "HEALTH", "HEARTBEAT", "PROBE", "REFUSED"})
    chosen.push_back("SVC_LIMITS_" + std::string(limit) + "_LIMIT=1000000");
  // Two noisy cores: a missed deadline would be a 503 that says nothing about what is being tested.
  chosen.insert(chosen.end(), {"SVC_REDIS_DEADLINE=1s", "SVC_HTTP_DEADLINE=8s", "SVC_POSTGRES_STATEMENT_TIMEOUT=8s",
                               "SVC_DECISION_LOG=" + decision_log});
  // Keys that 0.1.0 does not know.
  if (!previous)
    chosen.insert(chosen.end(),
                  {"SVC_HTTP_QUEUE_TIME=8s", "SVC_LIMITS_PROJECT_LIMIT=1000000", "SVC_LIMITS_RUNNER_LIMIT=1000000",
                   "SVC_LIMITS_CLAIM_LIMIT=1000000", "SVC_LIMITS_SESSION_LIMIT=1000000",
                   "SVC_LIMITS_SIGN_IN_LIMIT=1000000", "SVC_LIMITS_PAGE_LIMIT=1000000"});
  return chosen;
}

bool any(std::string const&) {
  return true;
}

}  // namespace

fleet::fleet(std::size_t instances, std::vector<std::string> const& environment, std::string program)
    : program_(std::move(program)),
      environment_(raised(environment, decision_log(), program_ != service_binary())),
      dev_(data_.path(), {}, environment_, program_) {
  for (std::size_t i = 1; i < instances; ++i)
    others_.push_back(std::make_unique<second_service>(dev_, environment_, program_));
}

std::string fleet::url(std::size_t instance) const {
  return instance == 0 ? text("url") : others_.at(instance - 1)->url();
}

std::string fleet::admin_url(std::size_t instance) const {
  return instance == 0 ? text("adminUrl") : others_.at(instance - 1)->admin_url();
}

service& fleet::process(std::size_t instance) {
  return instance == 0 ? dev_.process() : others_.at(instance - 1)->process();
}

std::string fleet::complaints() {
  std::string out;
  for (std::size_t i = 0; i < size(); ++i) {
    std::istringstream log(process(i).err().text());
    for (std::string line; std::getline(log, line);)
      if (line.find(R"("level":"info")") == std::string::npos) out += std::to_string(i) + ": " + line + "\n";
  }
  std::ifstream log(data_.path() + "/log/postgres.log");
  for (std::string line; std::getline(log, line);) out += "postgres: " + line + "\n";
  return out;
}

void fleet::restart(std::size_t instance) {
  others_.at(instance - 1) = std::make_unique<second_service>(dev_, environment_, program_);
}

std::unique_ptr<second_service> fleet::beside(std::vector<std::string> environment) const {
  environment.insert(environment.end(), environment_.begin(), environment_.end());
  return std::make_unique<second_service>(dev_, environment, program_);
}

api_client fleet::client(std::size_t instance, std::string token) const {
  return {url(instance), text("caFile"), std::move(token)};
}

api_client fleet::pages(std::size_t instance) const {
  return {admin_url(instance), {}, {}};
}

boost::json::value fleet::admin(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "admin");
  arguments.insert(arguments.end(), {"--config", text("configFile"), "--json"});
  service command(arguments, environment_, program_);
  constexpr std::chrono::seconds within{20};
  auto const said = command.out().wait_line(any, within);
  auto const complaint = said ? std::nullopt : command.err().wait_line(any, within);
  if (command.wait() != 0 || !said)
    throw std::runtime_error("svcd admin " + arguments[1] + " failed: " + complaint.value_or("without a word"));
  return boost::json::parse(*said);
}

tenant fleet::make_tenant(std::string const& role) {
  tenant made;
  made.organization = "org" + std::to_string(++tenants_);
  made.project = made.organization + "/shop";
  admin({"create-organization", "--slug", made.organization, "--name", made.organization});
  admin({"create-project", "--organization", made.organization, "--slug", "shop", "--name", "Shop"});
  return make_member(made, role);
}

tenant fleet::make_member(tenant const& subject, std::string const& role) {
  tenant made = subject;
  auto const name = "u" + std::to_string(++tenants_);
  made.user = name + "@example.org";
  made.user_id = text_of(admin({"create-user", "--email", made.user, "--name", name}), "/id");
  bool const of_project = role.starts_with("project_");
  admin({"add-member", "--organization", made.organization, "--user", made.user, "--role",
         of_project ? "org_member" : role});
  if (of_project) admin({"add-member", "--project", made.project, "--user", made.user, "--role", role});
  auto const token = admin({"create-token", "--project", made.project, "--owner", made.user, "--name", name});
  made.token = text_of(token, "/key");
  made.token_id = text_of(token, "/id");
  return made;
}

std::string fleet::owner_url() const {
  auto url = text("postgresUrl");
  std::string const service_role = "//svc_app@";
  return url.replace(url.find(service_role), service_role.size(), "//svc_owner@");
}

sql_rows fleet::sql(std::string const& statements) const {
  return ask_postgres(owner_url(), statements);
}

std::string fleet::word(std::string const& query) const {
  auto const found = sql(query);
  return found.empty() ? std::string() : found.at(0).at(0);
}

std::string fleet::redis_socket() const {
  return text("redisUrl").substr(std::string("unix:").size());
}

std::string fleet::redis(std::vector<std::string> const& words) const {
  return ask_redis(redis_socket(), words);
}

int long_form(char const* variable, int otherwise) {
  char const* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::stoi(text);
}

fleet& shared_fleet() {
  static fleet shared(static_cast<std::size_t>(long_form("TEST_INSTANCES", 2)));
  return shared;
}

boost::json::object body_of(answer const& answer) {
  return boost::json::parse(answer.body).as_object();
}

std::string code_of(answer const& answer) {
  boost::system::error_code ec;
  auto const parsed = boost::json::parse(answer.body, ec);
  if (ec || !parsed.is_object()) return {};
  auto const* code = parsed.get_object().if_contains("code");
  return code != nullptr && code->is_string() ? std::string(code->get_string()) : std::string();
}

std::string text_of(boost::json::value const& value, std::string_view pointer) {
  return std::string(value.at_pointer(pointer).as_string());
}

}  // namespace svc::test
