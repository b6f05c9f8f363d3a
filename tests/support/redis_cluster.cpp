#include "support/redis_cluster.hpp"

#include "support/comes_true.hpp"
#include "support/free_port.hpp"
#include "support/store_probe.hpp"
#include "support/throwaway_ca.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace svc::test {
namespace {

constexpr int slots = 16384;

bool has_text(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

/// Empty when it does not answer: it may be killed or frozen.
std::string said_by(private_redis const& redis, std::vector<std::string> const& words) {
  try {
    return redis.ask(words);
  } catch (std::runtime_error const&) {
    return {};
  }
}

std::vector<std::string> words_of(std::string const& text, char mark) {
  std::vector<std::string> out;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, mark);)
    if (!word.empty()) out.push_back(word);
  return out;
}

}  // namespace

redis_cluster::redis_cluster(options chosen) : chosen_(std::move(chosen)) {
  if (chosen_.tls) {
    auto const made = make_throwaway_ca("DNS:localhost,IP:127.0.0.1");
    files_.write("ca", made.authority);
    files_.write("crt", made.certificate);
    files_.write("key", made.key);
  }
  auto const count = (chosen_.replicas ? 2 : 1) * masters + 1;
  for (std::size_t i = 0; i < count; ++i) nodes_.push_back(std::make_unique<private_redis>(make_node()));
  if (chosen_.open_proxies) chosen_.open_proxies(*this);
  for (std::size_t i = 0; i < count; ++i) must(i, {"CLUSTER", "SET-CONFIG-EPOCH", std::to_string(i + 1)});
  for (std::size_t i = 0; i < masters; ++i)
    must(i, {"CLUSTER", "ADDSLOTSRANGE", std::to_string(slots * i / masters),
             std::to_string(slots * (i + 1) / masters - 1)});
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < i; ++j)
      must(i, {"CLUSTER", "MEET", "127.0.0.1", port_of(j), std::to_string(bus_[j])});
  auto const all_known = [&] {
    return std::all_of(nodes_.begin(), nodes_.end(), [&](auto const& redis) {
      auto const said = redis->ask({"CLUSTER", "INFO"});
      return has_text(said, "cluster_state:ok") && has_text(said, "cluster_known_nodes:" + std::to_string(count));
    });
  };
  if (!comes_true(all_known, patience)) throw std::runtime_error("the nodes do not meet:\n" + nodes_[0]->log());
  if (chosen_.replicas)
    for (std::size_t i = 0; i < masters; ++i) must(masters + i, {"CLUSTER", "REPLICATE", id_of(i)});
  await_ready();
}

private_redis::options redis_cluster::make_node() {
  private_redis::options options{.tcp = !chosen_.tls};
  bus_.push_back(free_port());
  options.arguments = {"--cluster-enabled",
                       "yes",
                       "--cluster-node-timeout",
                       std::to_string(chosen_.node_timeout.count()),
                       "--cluster-port",
                       std::to_string(bus_.back()),
                       "--repl-diskless-sync-delay",
                       "0",
                       "--cluster-replica-validity-factor",
                       "0",
                       "--cluster-allow-replica-migration",
                       "no"};
  if (chosen_.behind_proxies) {
    announced_.push_back(free_port());
    options.arguments.insert(options.arguments.end(), {"--cluster-announce-port", std::to_string(announced_.back())});
  }
  if (chosen_.tls) {
    options.tls_certificate = files_.path() + "/crt";
    options.tls_key = files_.path() + "/key";
    options.arguments.insert(options.arguments.end(),
                             {"--tls-ca-cert-file", authority(), "--tls-replication", "yes", "--tls-cluster", "yes"});
  }
  return options;
}

void redis_cluster::must(std::size_t node, std::vector<std::string> const& words) const {
  auto const said = nodes_[node]->ask(words);
  if (said.starts_with('-')) throw std::runtime_error(words[0] + " " + words[1] + ": " + said);
}

std::string redis_cluster::port_of(std::size_t i) const {
  return chosen_.tls ? nodes_[i]->tls_port() : nodes_[i]->port();
}

std::string redis_cluster::id_of(std::size_t i) const {
  return nodes_[i]->ask({"CLUSTER", "MYID"});
}

std::string redis_cluster::address(std::size_t i) const {
  return "127.0.0.1:" + port_of(i);
}

std::vector<std::string> redis_cluster::addresses() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < nodes_.size(); ++i) out.push_back(address(i));
  return out;
}

/// From CLUSTER NODES: `ID HOST:PORT@BUS FLAGS MASTER-ID PING PONG EPOCH LINK RANGE ...`
std::vector<redis_cluster::shard> redis_cluster::shards_as_said_by(std::size_t i) const {
  auto const place_of = [this](std::string const& name) {
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (name.starts_with((chosen_.behind_proxies ? announced(n) : address(n)) + "@")) return n;
    throw std::runtime_error("an unknown node: " + name);
  };
  std::vector<shard> out;
  std::vector<std::string> ids;
  std::vector<std::pair<std::string, std::size_t>> replicas;
  for (auto const& line : words_of(said_by(*nodes_[i], {"CLUSTER", "NODES"}), '\n')) {
    auto const words = words_of(line, ' ');
    if (words.size() < 8) continue;
    if (has_text(words[2], "slave") && !has_text(words[2], "fail"))
      replicas.emplace_back(words[3], place_of(words[1]));
    if (!has_text(words[2], "master") || words.size() == 8) continue;
    shard shard{.master = place_of(words[1]), .epoch = std::stoll(words[6])};
    for (std::size_t w = 8; w < words.size() && words[w].front() != '['; ++w) {
      auto const dash = words[w].find('-');
      int const first = std::stoi(words[w]);
      shard.slots.emplace_back(first, dash == std::string::npos ? first : std::stoi(words[w].substr(dash + 1)));
    }
    if (shard.slots.empty()) continue;
    ids.push_back(words[0]);
    out.push_back(std::move(shard));
  }
  for (auto const& [value, spot] : replicas)
    for (std::size_t n = 0; n < out.size(); ++n)
      if (ids[n] == value) out[n].replicas.push_back(spot);
  return out;
}

/// Neither killed nor frozen.
bool redis_cluster::runs(std::size_t i) const {
  if (nodes_[i]->pid() == 0) return false;
  std::ifstream file("/proc/" + std::to_string(nodes_[i]->pid()) + "/stat");
  std::string number, name, state;
  file >> number >> name >> state;
  return state != "T";
}

std::vector<redis_cluster::shard> redis_cluster::shards() const {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (runs(i))
      if (auto out = shards_as_said_by(i); !out.empty()) return out;
  throw std::runtime_error("no node answers");
}

std::size_t redis_cluster::owner_of_slot(int slot) const {
  auto const has_slot = [slot](shard const& entry) {
    return std::any_of(entry.slots.begin(), entry.slots.end(),
                       [slot](auto const& range) { return range.first <= slot && slot <= range.second; });
  };
  std::optional<shard> out;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!runs(i)) continue;
    for (auto const& shard : shards_as_said_by(i))
      if (shard.master == i && has_slot(shard) && (!out || out->epoch < shard.epoch)) out = shard;
  }
  if (out) return out->master;
  // Whoever had it is gone: as the others still say.
  for (auto const& shard : shards())
    if (has_slot(shard)) return shard.master;
  throw std::runtime_error("nobody has slot " + std::to_string(slot));
}

std::size_t redis_cluster::owner(std::string_view key) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (runs(i)) return owner_of_slot(std::stoi(nodes_[i]->ask({"CLUSTER", "KEYSLOT", std::string(key)})));
  throw std::runtime_error("no node answers");
}

std::vector<std::size_t> redis_cluster::replicas_of(std::size_t master) const {
  for (auto const& shard : shards())
    if (shard.master == master) return shard.replicas;
  return {};
}

std::string redis_cluster::ask(std::string_view key, std::vector<std::string> const& words) const {
  return nodes_[owner(key)]->ask(words);
}

std::optional<int> redis_cluster::slot_with_keys(std::size_t node) const {
  auto const key = nodes_[node]->ask({"RANDOMKEY"});
  if (key.empty()) return std::nullopt;
  return std::stoi(nodes_[node]->ask({"CLUSTER", "KEYSLOT", key}));
}

bool redis_cluster::in_step(std::size_t replica) const {
  auto const said = said_by(*nodes_[replica], {"INFO", "replication"});
  return has_text(said, "role:slave") && has_text(said, "master_link_status:up");
}

bool redis_cluster::ready() const {
  std::vector<std::size_t> seen;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    auto const info = said_by(*nodes_[i], {"CLUSTER", "INFO"});
    if (!has_text(info, "cluster_state:ok") || !has_text(info, "cluster_slots_ok:16384")) return false;
    std::vector<std::size_t> owners;
    for (auto const& shard : shards_as_said_by(i)) {
      owners.push_back(shard.master);
      if (chosen_.replicas && owners.size() <= masters && shard.replicas.empty() && shard.master != spare())
        return false;
      for (auto const replica : shard.replicas)
        if (!in_step(replica)) return false;
    }
    std::sort(owners.begin(), owners.end());
    if (i == 0) seen = owners;
    if (owners != seen) return false;
  }
  return seen.size() >= masters;
}

void redis_cluster::await_ready() {
  if (!comes_true([this] { return ready(); }, patience))
    throw std::runtime_error("the nodes do not agree:\n" + nodes_[0]->ask({"CLUSTER", "NODES"}) + nodes_[0]->log());
}

void redis_cluster::begin_move(int slot, std::size_t last) {
  auto const first = owner_of_slot(slot);
  must(last, {"CLUSTER", "SETSLOT", std::to_string(slot), "IMPORTING", id_of(first)});
  must(first, {"CLUSTER", "SETSLOT", std::to_string(slot), "MIGRATING", id_of(last)});
}

std::size_t redis_cluster::move_keys(int slot, std::size_t last, int most) {
  auto const first = owner_of_slot(slot);
  auto const said = nodes_[first]->ask({"CLUSTER", "GETKEYSINSLOT", std::to_string(slot), std::to_string(most)});
  auto const keys = words_of(said, '\n');
  if (keys.empty()) return 0;
  std::vector<std::string> words{"MIGRATE", "127.0.0.1", port_of(last), "", "0", "5000", "KEYS"};
  words.insert(words.end(), keys.begin(), keys.end());
  auto const moved = nodes_[first]->ask(words);
  if (moved != "OK" && moved != "NOKEY") throw std::runtime_error("MIGRATE: " + moved);
  return keys.size();
}

void redis_cluster::end_move(int slot, std::size_t last) {
  auto const first = owner_of_slot(slot);
  // The new owner first, so that nobody is sent back and forth.
  for (auto const node : {last, first}) must(node, {"CLUSTER", "SETSLOT", std::to_string(slot), "NODE", id_of(last)});
}

void redis_cluster::move_slot(int slot, std::size_t last) {
  begin_move(slot, last);
  while (move_keys(slot, last, 100) > 0) {
  }
  end_move(slot, last);
}

void redis_cluster::stop_replication() {
  for (auto const& shard : shards()) {
    // WAIT counts from the last write of its own connection.
    redis_session session(nodes_[shard.master]->socket());
    std::string tag;
    for (int i = 0; tag.empty(); ++i)
      if (session.ask({"SET", "written{" + std::to_string(i) + "}", "last"}) == "OK") tag = std::to_string(i);
    auto const replicas = std::to_string(shard.replicas.size());
    if (session.ask({"WAIT", replicas, "5000"}) != replicas) throw std::runtime_error("a replica does not follow");
    for (auto const replica : shard.replicas) {
      // The next connection's login fails.
      must(replica, {"CONFIG", "SET", "masteruser", "nobody", "masterauth", "wrong"});
      must(replica, {"CLIENT", "KILL", "TYPE", "master"});
    }
  }
}

void redis_cluster::resume_replication() {
  for (auto const& redis : nodes_) said_by(*redis, {"CONFIG", "SET", "masteruser", "", "masterauth", ""});
  // The logins that were to fail: at any master, as long as one replica had the wrong name.
  for (auto const& redis : nodes_) said_by(*redis, {"ACL", "LOG", "RESET"});
}

void redis_cluster::set_user(std::vector<std::string> rules) {
  rules.insert(rules.begin(), {"ACL", "SETUSER"});
  for (auto const& redis : nodes_)
    if (auto const said = said_by(*redis, rules); said != "OK" && !said.empty())
      throw std::runtime_error("ACL SETUSER: " + said);
}

}  // namespace svc::test
