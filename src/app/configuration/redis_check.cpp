#include "app/configuration/connection_checks.hpp"

#include "svc/core/fault_words.hpp"
#include "svc/core/joined.hpp"
#include "svc/redis/inquiry.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>

namespace svc::app {
namespace {

using redis::address;
using words = std::vector<std::string>;

/// One server or sentinel to look at, and the key of the configuration that leads to it.
struct redis_server {
  std::string key;
  redis::settings settings;
  address address{};
  right_scope scope = right_scope::server;

  std::string name() const {
    return key + ", " + (settings.unix_path.empty() ? address.to_string() : settings.unix_path) + ": ";
  }
  std::string user() const { return settings.username.empty() ? "default" : settings.username; }
};

constexpr fault_advice known_faults[] = {
    {"refused", "start Redis there, or correct the address"},
    {"No such file", "start Redis there, or correct the path of the socket"},
    {"resolve", "correct the host name, or the resolver of this machine"},
    {"WRONGPASS", "set the user and the password that ACL LIST of the server shows"},
    {"NOAUTH", "set redis.username and redis.password, or both in the URL"},
    {"without any password configured", "remove the password, or give the server's user one"},
    {"NOPERM", "give the user the rights that docs/operating.md lists"},
    {"LOADING", "wait until Redis has read its data"},
    {"certificate", "name the file with the authority of the server's certificate in redis.tls_ca_file"},
    {"does not speak TLS", "check redis.tls and the URL's scheme: this port has no TLS"},
    {"TLS", "check redis.tls and the URL's scheme: the server may speak the other one"},
    {"no answer", "check the address, the firewall, and whether only one side uses TLS"},
    {"closed", "check whether only one side uses TLS, and protected-mode and maxclients of the server"},
};

/// Returns the value of a line `NAME:VALUE` of INFO; empty without such a line.
std::string info_value(std::string_view text, std::string const& name) {
  auto const line = "\n" + name + ":";
  auto const position = text.find(line);
  if (position == std::string_view::npos) return {};
  auto const rest = text.substr(position + line.size());
  return std::string(rest.substr(0, rest.find_first_of("\r\n")));
}

bool asked_here(probed_right const& right, right_scope scope) {
  return right.scope == scope || (scope == right_scope::cluster && right.scope == right_scope::server);
}

/// The replies of one server, by the first words of their commands.
class answered_questions {
 public:
  answered_questions(std::vector<words> questions, std::vector<redis::reply> replies)
      : questions_(std::move(questions)), replies_(std::move(replies)) {}

  redis::reply const* find(std::string_view first, std::string_view second = {}) const {
    for (std::size_t i = 0; i < questions_.size() && i < replies_.size(); ++i)
      if (questions_[i][0] == first && (second.empty() || (questions_[i].size() > 1 && questions_[i][1] == second)))
        return &replies_[i];
    return nullptr;
  }
  std::vector<redis::reply> const& all() const { return replies_; }

 private:
  std::vector<words> questions_;
  std::vector<redis::reply> replies_;
};

class redis_look {
 public:
  explicit redis_look(configuration const& config) : config_(config) {}

  check_findings run() {
    if (config_.uses_sentinel())
      look_at_sentinels();
    else if (config_.uses_cluster())
      look_at_cluster();
    else
      look_at_single("redis.url", config_.to_redis_settings());
    if (!config_.redis.output_url.empty()) look_at_single("redis.output_url", config_.to_output_redis_settings());
    return std::move(found_);
  }

 private:
  /// Returns `std::nullopt` and adds a problem if the server cannot be asked.
  std::optional<answered_questions> ask(redis_server const& server);
  void look_at_single(std::string const& key, redis::settings const& settings);
  void look_at_sentinels();
  void look_at_cluster();
  std::vector<address> look_at_node(redis_server const& node);
  void look_at_policy(redis_server const& server, answered_questions const& got);
  void look_at_role(redis_server const& server, answered_questions const& got, bool may_be_replica);
  void look_at_rights(redis_server const& server, answered_questions const& got);
  void say(redis_server const& server, std::string const& fact) { found_.facts.push_back(server.name() + fact); }
  void complain(redis_server const& server, std::string const& problem) {
    found_.problems.push_back(server.name() + problem);
  }

  configuration const& config_;
  check_findings found_{};
};

std::optional<answered_questions> redis_look::ask(redis_server const& server) {
  std::vector<words> questions;
  for (auto const& right : probed_rights())
    if (asked_here(right, server.scope)) questions.push_back(right.command);
  for (auto& question : questions)
    if (question[0] == "SENTINEL") question.back() = config_.redis.sentinel_master;
  asio::io_context io{1};
  redis::inquiry got;
  asio::co_spawn(io, redis::inquire(io, server.settings, server.address, questions),
                 [&](std::exception_ptr failure, redis::inquiry answer) {
                   got = std::move(answer);
                   if (failure) got.fault = "cannot be asked";
                 });
  io.run();
  if (!got.fault.empty()) {
    complain(server, "not reached: " + with_advice(got.fault, known_faults));
    return std::nullopt;
  }
  answered_questions out(std::move(questions), std::move(got.replies));
  say(server, std::string("PING is answered, ") + (server.settings.tls ? "TLS" : "no TLS"));
  look_at_rights(server, out);
  return out;
}

void redis_look::look_at_rights(redis_server const& server, answered_questions const& got) {
  std::vector<std::string> missing;
  std::size_t i = 0;
  for (auto const& right : probed_rights()) {
    if (!asked_here(right, server.scope)) continue;
    if (auto lacks = missing_right(right, got.all().at(i));
        lacks && std::ranges::find(missing, *lacks) == missing.end())
      missing.push_back(std::move(*lacks));
    ++i;
  }
  if (!missing.empty())
    complain(server, "the user " + server.user() + " lacks " + joined(missing, ", ") + ": ACL SETUSER " +
                         server.user() + " " + joined(missing, " "));
  if (missing.empty()) say(server, "the user " + server.user() + " has all " + std::to_string(i) + " rights");
}

void redis_look::look_at_policy(redis_server const& server, answered_questions const& got) {
  auto const* const info = got.find("INFO");
  if (info == nullptr || info->is_error()) return;
  auto const policy = info_value(info->text, "maxmemory_policy");
  if (policy == "noeviction") return say(server, "maxmemory-policy is noeviction");
  if (policy.empty()) return say(server, "does not report its maxmemory-policy, which must be noeviction");
  complain(server,
           "maxmemory-policy is " + policy +
               ", so that Redis drops windows and limits are exceeded many times: CONFIG SET maxmemory-policy "
               "noeviction, and the same in redis.conf");
}

void redis_look::look_at_role(redis_server const& server, answered_questions const& got, bool may_be_replica) {
  auto const* const role = got.find("ROLE");
  if (role == nullptr || role->elements.empty()) return;
  bool const primary = role->elements.front().text == "master";
  if (primary || may_be_replica) return say(server, primary ? "a primary" : "a replica");
  complain(server, "a replica, which refuses writes: name the primary, or let sentinels name it (redis.mode)");
}

void redis_look::look_at_single(std::string const& key, redis::settings const& settings) {
  redis_server const server{.key = key, .settings = settings, .address = {settings.host, settings.port}};
  auto const got = ask(server);
  if (!got) return;
  look_at_role(server, *got, false);
  look_at_policy(server, *got);
}

void redis_look::look_at_sentinels() {
  auto const settings = config_.to_sentinel_settings();
  std::vector<address> named;
  for (auto const& each : settings.sentinels) {
    redis_server const server{.key = "redis.sentinels",
                              .settings = redis::settings_for(settings, each),
                              .address = each,
                              .scope = right_scope::sentinel};
    auto const got = ask(server);
    auto const* const master = got ? got->find("SENTINEL") : nullptr;
    if (master == nullptr || master->is_error()) continue;
    auto const address = master->elements.size() == 2
                             ? redis::parse_address(master->elements[0].text, master->elements[1].text)
                             : std::nullopt;
    if (!address) {
      complain(server, "knows no primary named " + settings.master +
                           ": correct redis.sentinel_master, or add `sentinel monitor` for it");
      continue;
    }
    say(server, "names " + address->to_string() + " as the primary");
    if (std::ranges::find(named, *address) == named.end()) named.push_back(*address);
  }
  if (named.size() > 1)
    found_.problems.push_back(
        "redis.sentinels: they name different primaries, " + redis::list_of(named) +
        ": wait for the end of a failover, or correct `sentinel monitor` of those that are wrong");
  for (auto const& position : named) {
    redis_server const server{
        .key = "redis.sentinel_master", .settings = config_.to_redis_settings(), .address = position};
    auto const got = ask(server);
    if (!got) continue;
    look_at_role(server, *got, false);
    look_at_policy(server, *got);
  }
}

/// The nodes that CLUSTER SLOTS names; a node without a host is the one that was asked.
std::vector<address> nodes_in(redis::reply const& slots, address const& asked) {
  std::vector<address> out;
  for (auto const& range : slots.elements)
    for (std::size_t i = 2; i < range.elements.size(); ++i) {
      auto const& node = range.elements[i].elements;
      if (node.size() < 2) continue;
      auto const host = node[0].text.empty() ? asked.host : node[0].text;
      auto const address = redis::parse_address(host, std::to_string(node[1].number));
      if (address && std::ranges::find(out, *address) == out.end()) out.push_back(*address);
    }
  return out;
}

std::vector<address> redis_look::look_at_node(redis_server const& node) {
  auto const got = ask(node);
  if (!got) return {};
  look_at_role(node, *got, true);
  look_at_policy(node, *got);
  auto const *const info = got->find("CLUSTER", "INFO"), *const slots = got->find("CLUSTER", "SLOTS");
  if (info != nullptr && info->is_error() && info->error_code() != "NOPERM")
    complain(node,
             "is no node of a Redis Cluster: set redis.mode to single or sentinel, or cluster-enabled yes there");
  if (info == nullptr || info->is_error()) return {};
  auto const state = info_value("\n" + info->text, "cluster_state");
  if (state == "ok")
    say(node, "cluster_state is ok");
  else
    complain(node, "cluster_state is " + state +
                       ": a slot has no master that answers; CLUSTER NODES shows which node to bring back");
  return slots == nullptr || slots->is_error() ? std::vector<address>{} : nodes_in(*slots, node.address);
}

void redis_look::look_at_cluster() {
  auto const settings = config_.to_redis_settings();
  std::vector<address> todo = settings.cluster;
  for (std::size_t i = 0; i < todo.size(); ++i) {
    redis_server const node{
        .key = "redis.nodes", .settings = settings, .address = todo[i], .scope = right_scope::cluster};
    for (auto const& other : look_at_node(node))
      if (std::ranges::find(todo, other) == todo.end()) todo.push_back(other);
  }
}

}  // namespace

check_findings check_redis(configuration const& config) {
  return redis_look(config).run();
}

}  // namespace svc::app
