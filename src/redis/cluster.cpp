#include "redis/cluster.hpp"

#include "svc/core/random.hpp"
#include "svc/core/spawn_task.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>

namespace svc::redis {

namespace {

/// A slot's move ends with one redirection, and the next move may have started by then; more redirections are a
/// circle.
constexpr int most_redirections = 5;
/// Pause before a command is sent again because some of its keys have been moved and some have not. Retries continue
/// for four fifths of the command's time. The last try should be answered, and say whether the keys are still on two
/// masters.
constexpr milliseconds retry_pause{2};

}  // namespace

/// One server, with the link to it.
struct cluster::node {
  address address;
  std::shared_ptr<connection> line;
  bool open = false;
};

/// A command that may be sent more than once. Views only.
struct cluster::question {
  std::span<std::string_view const> head;
  std::span<std::string_view const> keys{};
  std::span<std::string_view const> arguments{};
  script const* runs = nullptr;
};

void cluster::start() {
  if (topology_ || stopped_) return;
  // The topology refers to this object without owning it: the client's end calls `stop`, which ends the topology
  // first.
  topology_ = std::make_shared<topology>(
      io_, where_, tls_ ? &*tls_ : nullptr,
      topology::owner{[this] { return nodes(); }, [this](address address) { return view_from(std::move(address)); },
                      [this](slot_map slots) { take(std::move(slots)); },
                      [this](std::string reason) { last_fault_ = std::move(reason); }, [this] { return content(); }});
  topology_->start();
}

void cluster::stop() {
  stopped_ = true;
  if (topology_) topology_->stop();
  auto const all = nodes_;
  for (auto const& [entry, element] : all) element->line->close("stopped");
  change(false);
  notify(false);
  wake();
}

void cluster::give_up() {
  for (auto const& [entry, element] : nodes_) element->line->give_up();
}

void cluster::reconnect() {
  if (topology_) topology_->refresh();
}

task<outcome> cluster::command(std::span<std::string_view const> arguments, deadline until) {
  auto const slot = arguments.size() > 1 ? slot_of(arguments[1]) : std::uint16_t{0};
  return ask({.head = arguments}, slot, until);
}

task<outcome> cluster::command_at(std::string tag, std::span<std::string_view const> arguments, deadline until) {
  return ask({.head = arguments}, slot_of(tag), until);
}

task<outcome> cluster::evaluate(script const& script, std::span<std::string_view const> keys,
                                std::span<std::string_view const> arguments, deadline until, reply_wait wait) {
  evalsha_head const call(script, keys.size());
  auto const slot = keys.empty() ? std::uint16_t{0} : slot_of(keys.front());
  co_return co_await ask({call.words(), keys, arguments, &script}, slot, until, wait);
}

/// Sends a command to the node that the map names. It sends the command again only if a reply says that it did not
/// run. Only replies may be late: retries and redirections take place within `command_deadline` also for a patient
/// command.
task<outcome> cluster::ask(question question, std::uint16_t slot, deadline until, reply_wait wait) {
  auto const self = shared_from_this();
  auto const now = steady::now();
  auto const times = times_of(until, where_, wait, now);
  auto const prompt = until.within(where_.command_deadline);
  auto node = owner_of(slot);
  auto const losses = losses_;
  auto const last_try = prompt.at() - (prompt.at() - now) / 5;
  bool asking = false, loaded = false;
  for (int redirections = 0; times && node && losses == losses_;) {
    one_reply reply(times->end, times->late);
    if (node->line->submit({question.head, question.keys, question.arguments, asking}, &reply))
      co_await reply.resumed();
    auto& got = reply.result;
    auto const code = got.value.error_code();
    if (code == "TRYAGAIN" && steady::now() < last_try) {
      co_await pause_before_retry(prompt);
    } else if (code == "NOSCRIPT" && question.runs != nullptr && !std::exchange(loaded, true)) {
      std::array<std::string_view, 3> const load{"SCRIPT", "LOAD", question.runs->body()};
      node->line->submit({.head = load}, nullptr);
    } else if (auto const named =
                   read_redirect(got.value.is_error() ? got.value.text : std::string_view(), node->address)) {
      if (!named->asking) topology_->refresh();
      auto const next = redirections++ < most_redirections ? co_await follow(*named, prompt) : nullptr;
      if (!next) co_return std::move(got);
      asking = named->asking;
      node = next;
    } else {
      if (code == "CLUSTERDOWN") topology_->refresh();
      co_return std::move(got);
    }
  }
  ++counters_.unsent;
  co_return outcome{};
}

task<> cluster::pause_before_retry(deadline end) {
  steady_timer pause(io_, end.within(retry_pause).at());
  co_await pause.async_wait(awaiting);
}

/// Returns the node that a redirection names, once it is connected; null if that takes too long. ASK may name any
/// node. The node that MOVED names must be in the map: the new map also shows whether another master has gone with
/// its data.
task<cluster::node_ptr> cluster::follow(redirect redirect, deadline end) {
  node_ptr node;
  for (;;) {
    if (!node && (redirect.asking || slots_.names(redirect.address))) node = reach(redirect.address);
    if (node && node->open) co_return node;
    if (stopped_ || end.passed() || (node && node->line->closed())) co_return nullptr;
    co_await next_event(end);
  }
}

/// Returns the slot's master; null while the slot has none, or the master is not connected.
cluster::node_ptr cluster::owner_of(std::uint16_t slot) const {
  if (slots_.owners.empty() || slots_.owners[slot] == slot_map::nobody) return nullptr;
  auto const& entry = masters_[slots_.owners[slot]];
  return entry->open ? entry : nullptr;
}

/// Returns the node at that address, and connects to it if necessary; null once stopped.
cluster::node_ptr cluster::reach(address const& address) {
  auto const key = address.to_string();
  if (auto const found = nodes_.find(key); found != nodes_.end()) return found->second;
  if (stopped_) return nullptr;
  auto const new_node = std::make_shared<node>(node{address, make_connection(address)});
  nodes_.emplace(key, new_node);
  asio::co_spawn(io_, serve(new_node), [self = shared_from_this(), this, new_node](std::exception_ptr failure) {
    if (!failure) return;
    log_failure("the connection to a node of the Redis Cluster", failure);
    let_go(new_node);
  });
  return new_node;
}

/// Serves one link, from opening to its end.
task<> cluster::serve(node_ptr node) {
  if (co_await node->line->open(steps()) && !stopped_) {
    node->open = true;
    settle();
    co_await node->line->serve();
  }
  let_go(node);
}

/// Handles the end of a node's connection.
void cluster::let_go(node_ptr const& node) {
  node->line->close({});
  node->open = false;
  nodes_.erase(node->address.to_string());
  if (slots_.names(node->address) && !stopped_) lose(node->address.to_string() + ": " + node->line->fault());
  wake();
  if (!stopped_) topology_->refresh();
}

/// Takes a new map. A former master may have taken data with it that no other server has.
void cluster::take(slot_map slots) {
  auto const former = std::exchange(slots_, std::move(slots));
  if (former != slots_) tags_ = tags_of(slots_);
  masters_.clear();
  for (auto const& address : slots_.masters) masters_.push_back(reach(address));
  for (auto const& address : former.masters) {
    if (slots_.names(address)) continue;
    lose(address.to_string() + ": no master any more");
    if (auto const found = nodes_.find(address.to_string()); found != nodes_.end())
      found->second->line->close("no master any more");
  }
  if (!slots_.complete()) last_fault_ = "some slots have no master";
  settle();
}

/// Handles a change of the map or of a link.
void cluster::settle() {
  change(content());
  notify(connected());
  wake();
}

/// Returns the connected nodes first, starting with a random one, so that all are asked equally often.
std::vector<address> cluster::nodes() const {
  std::vector<address> out, rest;
  for (auto const& [key, entry] : nodes_) (entry->open ? out : rest).push_back(entry->address);
  if (!out.empty()) {
    auto const first = static_cast<std::ptrdiff_t>(random_fraction() * static_cast<double>(out.size()));
    std::rotate(out.begin(), out.begin() + first, out.end());
  }
  for (auto const& address : slots_.masters)
    if (std::find(out.begin(), out.end(), address) == out.end()) rest.push_back(address);
  for (auto& address : rest)
    if (std::find(out.begin(), out.end(), address) == out.end()) out.push_back(std::move(address));
  return out;
}

task<std::optional<std::vector<outcome>>> cluster::view_from(address address) {
  auto const self = shared_from_this();
  auto const found = nodes_.find(address.to_string());
  if (found == nodes_.end() || !found->second->open) co_return std::nullopt;
  auto const line = found->second->line;
  auto const end = deadline::after(where_.silence_limit);
  std::vector<outcome> out;
  for (auto const& step : view_steps()) {
    one_reply reply(end);
    if (line->submit({.head = step.arguments}, &reply)) co_await reply.resumed();
    out.push_back(std::move(reply.result));
  }
  co_return out;
}

bool cluster::content() const {
  return slots_.complete() &&
         std::all_of(masters_.begin(), masters_.end(), [](auto const& node) { return node->open; });
}

void cluster::lose(std::string reason) {
  ++losses_;
  last_fault_ = std::move(reason);
  change(false);
  backend::lose();
  notify(false);
}

}  // namespace svc::redis
