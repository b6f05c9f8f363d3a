#include "replicated_installation.hpp"

#include "faults.hpp"
#include "restored_database.hpp"

#include <stdexcept>

namespace svc::test {

replicated_installation::replicated_installation(fleet& files, replicated_postgres::commits when)
    : files_(files), postgres_(when) {
  make_service_database(postgres_.url(), postgres_.url("svc_owner", "svc"));
  admin({"create-organization", "--slug", "acme", "--name", "Acme"});
  admin({"create-project", "--organization", "acme", "--slug", "shop", "--name", "Shop"});
  make_user("ada", "org_owner");
  for (int i = 0; i < 2; ++i)
    instances_.push_back(std::make_unique<configured_service>(files_.dev(), both_kinds, environment()));
}

std::vector<std::string> replicated_installation::environment() const {
  auto out = files_.environment();
  out.insert(out.begin(), default_deadlines.begin(), default_deadlines.end());
  out.insert(out.begin(), {"SVC_POSTGRES_URL=" + postgres_.url("svc_app", "svc"), "SVC_REDIS_URL=" + redis_.url(),
                           "SVC_WORKERS=1"});
  return out;
}

api_client replicated_installation::client(std::size_t instance, std::string token) const {
  return {url(instance), files_.text("caFile"), std::move(token)};
}

runner_client replicated_installation::runner(std::size_t instance, std::string token) const {
  return {"https://" + instances_[instance]->address(1), files_.text("caFile"), std::move(token)};
}

std::string replicated_installation::uses(std::string const& token) const {
  std::string all;
  for (std::size_t i = 0; i < size(); ++i) {
    auto const said = std::to_string(client(i, token).get("/api/auth/whoami").status);
    if (all != said) all += (all.empty() ? "" : " | ") + said;
  }
  return all;
}

boost::json::object replicated_installation::admin(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "admin");
  arguments.insert(arguments.end(), {"--config", files_.text("configFile"), "--json"});
  service command(arguments, environment());
  if (command.wait() != 0) throw std::runtime_error("svcd admin " + arguments[1] + ": " + command.err().text());
  return boost::json::parse(command.out().text()).as_object();
}

replicated_installation::made_token replicated_installation::make_token(std::string const& name,
                                                                        std::string const& owner) const {
  auto const made =
      admin({"create-token", "--project", "acme/shop", "--owner", owner + "@example.org", "--name", name});
  return {text_of(made, "/id"), text_of(made, "/key")};
}

void replicated_installation::make_user(std::string const& name, std::string const& role) const {
  auto const mail = name + "@example.org";
  admin({"create-user", "--email", mail, "--name", name});
  admin({"add-member", "--organization", "acme", "--user", mail, "--role", role});
}

sql_rows replicated_installation::sql(private_postgres const& postgres, std::string const& statements) {
  return ask_postgres(url_of(postgres), statements);
}

std::string replicated_installation::url_of(private_postgres const& postgres) {
  auto url = postgres.url();
  std::string const usual = "/postgres?";
  return url.replace(url.find(usual), usual.size(), "/svc?");
}

}  // namespace svc::test
