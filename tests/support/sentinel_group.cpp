#include "support/sentinel_group.hpp"

#include "support/comes_true.hpp"
#include "support/store_probe.hpp"
#include "support/throwaway_ca.hpp"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace svc::test {
namespace {

bool contains(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(std::string const& text, std::string const& part) {
  std::size_t count = 0;
  for (auto position = text.find(part); position != std::string::npos; position = text.find(part, position + 1))
    ++count;
  return count;
}

/// Empty when it does not answer: it may be killed or frozen.
std::string ask_if_there(private_redis const& redis, std::vector<std::string> const& words) {
  try {
    return redis.ask(words);
  } catch (std::runtime_error const&) {
    return {};
  }
}

}  // namespace

sentinel_group::sentinel_group(options chosen) : chosen_(chosen) {
  if (chosen_.tls) {
    auto const made = make_throwaway_ca("DNS:localhost,IP:127.0.0.1");
    files_.write("ca", made.authority);
    files_.write("crt", made.certificate);
    files_.write("key", made.key);
  }
  add_server({});
  add_server({"--replicaof", "127.0.0.1", port_of(*servers_.front())});
  // A sentinel that does not find it at first looks again after ten seconds.
  if (!comes_true([this] { return in_step(1); }, std::chrono::seconds(20)))
    throw std::runtime_error("the replica does not follow:\n" + servers_.back()->log());
  for (std::size_t i = 0; i < sentinels; ++i) {
    auto options = make_server({});
    options.sentinel = sentinel_lines(port_of(*servers_.front()), 2);
    options.arguments.clear();
    sentinels_.push_back(std::make_unique<private_redis>(options));
  }
}

void sentinel_group::add_server(std::vector<std::string> arguments) {
  auto const [own, before] = chosen_.doors.at(servers_.size());
  if (before != 0)
    arguments.insert(arguments.end(),
                     {"--replica-announce-ip", "127.0.0.1", "--replica-announce-port", std::to_string(before)});
  if (!chosen_.servers_from.empty()) arguments.insert(arguments.end(), {"--bind-source-addr", chosen_.servers_from});
  auto options = make_server(std::move(arguments));
  options.tcp_port = own;
  servers_.push_back(std::make_unique<private_redis>(options));
}

private_redis::options sentinel_group::make_server(std::vector<std::string> arguments) const {
  private_redis::options options{.tcp = !chosen_.tls};
  // A replica that connects late must not wait for others.
  arguments.insert(arguments.end(), {"--repl-diskless-sync-delay", "0"});
  if (chosen_.tls) {
    options.tls_certificate = files_.path() + "/crt";
    options.tls_key = files_.path() + "/key";
    arguments.insert(arguments.end(), {"--tls-ca-cert-file", authority(), "--tls-replication", "yes"});
  }
  options.arguments = std::move(arguments);
  return options;
}

std::string sentinel_group::sentinel_lines(std::string const& port, int quorum) const {
  std::string const text = std::string(" ") + name + " ";
  std::string lines = "sentinel monitor" + text + "127.0.0.1 " + port + " " + std::to_string(quorum) + "\n";
  lines += "sentinel down-after-milliseconds" + text + std::to_string(chosen_.down_after.count()) + "\n";
  // Twice this is the shortest time between two failovers.
  lines += "sentinel failover-timeout" + text + "2000\n";
  if (chosen_.tls) lines += "tls-ca-cert-file " + authority() + "\ntls-replication yes\n";
  // Without it the others would look for it where it connects from.
  if (!chosen_.sentinels_from.empty())
    lines += "bind-source-addr " + chosen_.sentinels_from + "\nsentinel announce-ip 127.0.0.1\n";
  return lines;
}

std::string sentinel_group::port_of(private_redis const& redis) const {
  for (std::size_t i = 0; i < servers_.size(); ++i)
    if (servers_[i].get() == &redis && chosen_.doors[i].before != 0) return std::to_string(chosen_.doors[i].before);
  return chosen_.tls ? redis.tls_port() : redis.port();
}

std::string sentinel_group::address(private_redis const& redis) const {
  return "127.0.0.1:" + port_of(redis);
}

std::vector<std::string> sentinel_group::sentinel_addresses() const {
  std::vector<std::string> out;
  for (auto const& redis : sentinels_) out.push_back(address(*redis));
  return out;
}

std::size_t sentinel_group::primary() const {
  for (auto const& redis : sentinels_) {
    auto const named = ask_if_there(*redis, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name});
    for (std::size_t i = 0; i < servers; ++i)
      if (contains(named, "\n" + port_of(*servers_[i]) + "\n")) return i;
  }
  throw std::runtime_error("no sentinel names a server");
}

bool sentinel_group::in_step(std::size_t replica) const {
  auto const said = ask_if_there(*servers_[replica], {"INFO", "replication"});
  return contains(said, "role:slave") && contains(said, "master_link_status:up");
}

bool sentinel_group::ready() const {
  auto const now = primary();
  if (!ask_if_there(*servers_[now], {"ROLE"}).starts_with("master\n")) return false;
  if (!in_step(1 - now)) return false;
  for (auto const& redis : sentinels_) {
    auto const named = ask_if_there(*redis, {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name});
    if (!contains(named, "\n" + port_of(*servers_[now]) + "\n")) return false;
    if (!ask_if_there(*redis, {"SENTINEL", "CKQUORUM", name}).starts_with("OK 3")) return false;
    auto const replicas = ask_if_there(*redis, {"SENTINEL", "REPLICAS", name});
    if (!contains(replicas, "flags\nslave\n")) return false;
  }
  return true;
}

void sentinel_group::await_ready() {
  if (!comes_true([this] { return ready(); }, patience))
    throw std::runtime_error("the sentinels do not agree:\n" + sentinels_.front()->log());
}

void sentinel_group::rejoin(std::size_t server) {
  servers_.at(server)->ask({"REPLICAOF", "127.0.0.1", port_of(*servers_.at(1 - server))});
}

void sentinel_group::stop_replication() {
  auto const now = primary();
  auto const& replica = *servers_[1 - now];
  // WAIT counts from the last write of its own connection.
  redis_session session(servers_[now]->socket());
  session.ask({"SET", "written", "last"});
  if (session.ask({"WAIT", "1", "5000"}) != "1") throw std::runtime_error("the replica does not follow");
  // The next connection's login fails.
  replica.ask({"CONFIG", "SET", "masteruser", "nobody", "masterauth", "wrong"});
  replica.ask({"CLIENT", "KILL", "TYPE", "master"});
}

void sentinel_group::resume_replication() {
  for (auto const& redis : servers_) ask_if_there(*redis, {"CONFIG", "SET", "masteruser", "", "masterauth", ""});
}

std::size_t sentinel_group::switches() const {
  std::size_t count = 0;
  for (auto const& redis : sentinels_) count += count_of(redis->log(), "+switch-master");
  return count;
}

std::unique_ptr<private_redis> sentinel_group::liar() {
  // It may neither hear the others, who would correct it, nor be heard by them.
  set_server_user({"liar", "on", "nopass", "resetchannels", "-@all", "+ping", "+info", "+client"});
  auto options = make_server({});
  options.sentinel = sentinel_lines(port_of(server(replica())), 99);
  options.sentinel += std::string("sentinel auth-user ") + name + " liar\nsentinel auth-pass " + name + " any\n";
  options.arguments.clear();
  return std::make_unique<private_redis>(options);
}

void sentinel_group::set_server_user(std::vector<std::string> rules) {
  rules.insert(rules.begin(), {"ACL", "SETUSER"});
  for (auto const& redis : servers_)
    if (auto const said = redis->ask(rules); said != "OK") throw std::runtime_error("ACL SETUSER: " + said);
}

void sentinel_group::set_sentinel_user(std::vector<std::string> rules) {
  rules.insert(rules.begin(), {"ACL", "SETUSER"});
  for (auto const& redis : sentinels_)
    if (auto const said = redis->ask(rules); said != "OK") throw std::runtime_error("ACL SETUSER: " + said);
}

std::vector<std::string> documented_acl(std::string const& user, std::string const& password, bool in_cluster) {
  std::ifstream page(SVC_OPERATING_PAGE);
  std::vector<std::string> rules{user};
  for (std::string line; std::getline(page, line);) {
    std::istringstream words(line);
    std::string acl, setuser, name;
    if (!(words >> acl >> setuser >> name) || acl != "ACL" || setuser != "SETUSER" || name != user) continue;
    if (contains(line, "+asking") && !in_cluster) continue;
    for (std::string rule; words >> rule;) rules.push_back(rule.starts_with('>') ? ">" + password : rule);
  }
  if (rules.size() == 1) throw std::runtime_error("docs/operating.md gives no rules of " + user);
  return rules;
}

}  // namespace svc::test
