#include "rig.hpp"

#include "support/comes_true.hpp"
#include "support/free_port.hpp"
#include "support/throwaway_ca.hpp"

#include <filesystem>
#include <stdexcept>

namespace svc::test {
namespace {

constexpr std::chrono::seconds rig_patience{90};
/// Kept part of an instance's log; hours of log are some hundred MB.
constexpr std::size_t kept_of_log = 256 * 1024;

std::string port_of_url(std::string const& url) {
  return url.substr(url.rfind(':') + 1);
}

}  // namespace

rig::rig(options chosen) : chosen_(std::move(chosen)), redis_(make_redis(chosen_.stores)), postgres_(chosen_.stores) {
  auto const made = make_throwaway_ca("DNS:localhost,IP:127.0.0.1");
  files_.write("ca.pem", made.authority);
  files_.write("tls.crt", made.certificate);
  files_.write("tls.key", made.key);
  files_.write("master.key", std::string(64, 'a') + "\n");
  for (auto const* secret : {"tls.key", "master.key"})
    std::filesystem::permissions(files_.path() + "/" + secret,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::vector<balanced_ports> shown;
  for (std::size_t i = 0; i < chosen_.instances; ++i) {
    instance instance{.own = {free_port(), free_port()}};
    instance.api = std::make_unique<gate>(std::to_string(instance.own.api));
    instance.runners = std::make_unique<gate>(std::to_string(instance.own.runners));
    shown.push_back({instance.api->port(), instance.runners->port()});
    instances_.push_back(std::move(instance));
    start(i, chosen_.first.empty() ? service_binary() : chosen_.first);
  }
  balancer_ = std::make_unique<balancer>(shown, ca_file());
  to_balancer_ = std::make_unique<gate>(port_of_url(balancer_->api_url()));
  runners_to_balancer_ = std::make_unique<gate>(port_of_url(balancer_->runners_url()));
  admin({"create-organization", "--slug", "acme", "--name", "Acme"});
  admin({"create-project", "--organization", "acme", "--slug", "shop", "--name", "Shop"});
  await_normal();
}

std::vector<std::string> rig::environment() const {
  auto out = chosen_.environment;
  auto const more = redis_->environment();
  out.insert(out.end(), more.begin(), more.end());
  out.insert(
      out.end(),
      {"SVC_POSTGRES_URL=" + postgres_.url("svc_app"), "SVC_TLS_CERT_FILE=" + files_.path() + "/tls.crt",
       "SVC_TLS_KEY_FILE=" + files_.path() + "/tls.key", "SVC_MASTER_KEY_FILE=" + files_.path() + "/master.key",
       "SVC_INSTANCES=" + std::to_string(chosen_.instances), "SVC_TRUSTED_PROXIES=127.0.0.1/32",
       // Longer than HAProxy needs to notice that /readyz fails.
       "SVC_DRAIN_DELAY=3s", "SVC_DECISION_LOG=" + decision_log()});
  for (auto const* limit :
       {"CLI", "TRIGGER_DEFAULT", "ANONYMOUS", "FEED", "HEALTH", "PROBE", "REFUSED", "PROJECT", "RUNNER", "CLAIM"})
    out.push_back("SVC_LIMITS_" + std::string(limit) + "_LIMIT=1000000");
  return out;
}

void rig::start(std::size_t number, std::string const& program) {
  auto& entry = instances_[number];
  auto const listener = [](int port, std::string const& more) {
    return "[[listeners]]\naddress = '127.0.0.1:" + std::to_string(port) + "'\nproxy_protocol = true\n" + more;
  };
  auto const file = files_.write("svcd-" + std::to_string(number) + ".toml",
                                 listener(entry.own.api, "") + listener(entry.own.runners, "kind = 'internal'\n"));
  auto texts = environment();
  std::string libraries = SVC_SOURCE_ADDRESS;
  texts.push_back("TEST_SOURCE_ADDRESS=" + address_of_party(party_instance(number)));
  if (chosen_.last_clock_apart != 0 && number + 1 == chosen_.instances) {
    libraries += ":" SVC_SHIFTED_CLOCK;
    texts.push_back("TEST_CLOCK_OFFSET=" + std::to_string(chosen_.last_clock_apart));
  }
  texts.push_back("LD_PRELOAD=" + libraries);
  entry.process = std::make_unique<service>(
      std::vector<std::string>{"serve", "--config", file, "--admin", "127.0.0.1:0"}, texts, program);
  auto const ready = boost::json::parse(entry.process->wait_error_line("\"serving\"")).as_object();
  entry.admin = "http://" + std::string(ready.at("admin").as_string());
  entry.process->err().keep_last(kept_of_log);
}

int rig::replace(std::size_t which) {
  int const code = instances_.at(which).process->stop();
  start(which);
  return code;
}

void rig::let_balancer(passage passage, std::size_t which) {
  instances_.at(which).api->let(passage);
  instances_.at(which).runners->let(passage);
}

api_client rig::client(std::string token, std::chrono::seconds within) const {
  return {"https://127.0.0.1:" + std::to_string(to_balancer_->port()), ca_file(), std::move(token), within};
}

runner_client rig::runner(std::string token) const {
  return {"https://127.0.0.1:" + std::to_string(runners_to_balancer_->port()), ca_file(), std::move(token)};
}

boost::json::object rig::admin(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "admin");
  arguments.insert(arguments.end(), {"--json"});
  service command(arguments, environment());
  if (command.wait() != 0) throw std::runtime_error("svcd admin " + arguments[1] + ": " + command.err().text());
  return boost::json::parse(command.out().text()).as_object();
}

std::string rig::make_owner(std::string const& name) {
  auto const mail = name + "@example.org";
  admin({"create-user", "--email", mail, "--name", name});
  admin({"add-member", "--organization", "acme", "--user", mail, "--role", "org_owner"});
  return text_of(admin({"create-token", "--project", "acme/shop", "--owner", mail, "--name", name}), "/key");
}

bool rig::is_normal() const {
  for (std::size_t i = 0; i < instances_.size(); ++i) {
    auto const page = body_of(pages(i).get("/readyz?verbose"));
    if (text_of(page, "/dependencies") != "ok") return false;
    for (auto const& worker : page.at("workers").as_array())
      if (text_of(worker, "/limits") != "shared") return false;
  }
  return client({}, std::chrono::seconds(2)).get("/api/health").status == 200;
}

void rig::await_normal() {
  redis_->await_ready();
  postgres_.await_ready();
  auto const normal = [this] {
    try {
      return is_normal();
    } catch (std::runtime_error const&) {
      return false;
    }
  };
  if (!comes_true(normal, rig_patience)) throw std::runtime_error("the rig is not normal:\n" + log_of(0).text());
}

}  // namespace svc::test
