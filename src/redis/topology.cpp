#include "redis/topology.hpp"

#include "svc/core/random.hpp"
#include "svc/core/spawn_task.hpp"

#include <algorithm>

namespace svc::redis {
namespace {

/// The time between two looks when nothing seems wrong, shortened by up to a fifth at random. After this time, the
/// client has left a node that still answers but was cut off from the others.
constexpr milliseconds look_interval{2000};
/// For one node that has no standing connection: with connection, TLS and login.
constexpr milliseconds longest_question{1000};

std::string text_of(outcome const& got) {
  return got.state == delivery::answered ? got.value.text : std::string("no answer");
}

}  // namespace

std::vector<handshake_step> view_steps() {
  return {{"CLUSTER INFO", {"CLUSTER", "INFO"}}, {"CLUSTER SLOTS", {"CLUSTER", "SLOTS"}}};
}

std::optional<cluster_view> read_view(std::vector<outcome> const& got, address const& address, std::string& reason) {
  if (got.size() < 2) return std::nullopt;
  auto const &info = got[got.size() - 2], &slots = got.back();
  for (auto const* each : {&info, &slots}) {
    if (each->ok()) continue;
    reason = text_of(*each);
    return std::nullopt;
  }
  auto const state = read_cluster_state(info.value.text);
  auto map = read_slots(slots.value, address);
  if (!state || !map) reason = "it does not describe a Cluster";
  if (state && !state->ok) reason = "cluster_state is not ok";
  if (!state || !map || !state->ok) return std::nullopt;
  return cluster_view{state->epoch, std::move(*map)};
}

topology::topology(asio::io_context& io, settings settings, tls_context const* tls, owner owner)
    : io_(io), settings_(std::move(settings)), tls_(tls), owner_(std::move(owner)), pause_(io) {}

void topology::start() {
  auto const self = shared_from_this();
  spawn_task(io_, keep_running(
                      "the topology of the Redis Cluster", [self] { return !self->stopped_; }, {},
                      [self] { return self->run(self); }));
}

void topology::stop() {
  stopped_ = true;
  pause_.cancel();
  if (auto const open = talking_.lock()) open->close();
}

void topology::refresh() {
  // Another one is on its way if it is set already.
  if (!std::exchange(wanted_, true)) pause_.cancel();
}

task<> topology::run([[maybe_unused]] std::shared_ptr<topology> self) {
  backoff pause = reconnect_pause;
  while (!stopped_) {
    wanted_ = false;
    bool const known = co_await look();
    if (stopped_) break;
    bool const content = known && owner_.content();
    if (content) pause.reset();
    if (content && !wanted_) {
      pause_.expires_after(look_interval - milliseconds(static_cast<int>(random_fraction() * 400)));
    } else {
      wanted_ = true;
      pause_.expires_after(pause.next(random_fraction()));
    }
    co_await pause_.async_wait(awaiting);
  }
}

/// One round.
task<bool> topology::look() {
  faults_.clear();
  bool older = false;
  for (auto const& address : candidates()) {
    auto view = co_await view_of(address);
    if (stopped_) co_return false;
    if (!view) continue;
    if (view->epoch < epoch_) {
      older = true;
      note(address, "its view is outdated");
      continue;
    }
    epoch_ = view->epoch;
    owner_.take(std::move(view->slots));
    co_return true;
  }
  // None knows what was known before: the Cluster was made anew.
  if (older) epoch_ = 0;
  if (owner_.failed) owner_.failed("no node names the masters: " + faults_);
  co_return false;
}

std::vector<address> topology::candidates() const {
  auto out = owner_.nodes();
  for (auto const& address : settings_.cluster)
    if (std::find(out.begin(), out.end(), address) == out.end()) out.push_back(address);
  return out;
}

task<std::optional<cluster_view>> topology::view_of(address address) {
  std::optional<std::vector<outcome>> got;
  if (owner_.ask) got = co_await owner_.ask(address);
  if (!got && !stopped_) got = co_await converse_with(address);
  std::string reason;
  auto view = got ? read_view(*got, address, reason) : std::nullopt;
  if (!reason.empty()) note(address, reason);
  co_return view;
}

task<std::vector<outcome>> topology::converse_with(address address) {
  auto steps = handshake_steps(settings_, "0", {});
  // A replica's view is as good.
  std::erase_if(steps, [](auto const& step) { return step.name == role_step.name; });
  auto const asked = view_steps();
  steps.insert(steps.end(), asked.begin(), asked.end());
  auto const inquiry_transport = std::make_shared<transport>(io_, settings_, address, tls_);
  talking_ = inquiry_transport;
  auto said = co_await converse(io_, inquiry_transport, std::move(steps),
                                std::min(settings_.connect_timeout, longest_question));
  inquiry_transport->close();
  if (said.fault.empty()) co_return std::move(said.got);
  note(address, said.fault);
  co_return std::vector<outcome>{};
}

void topology::note(address const& address, std::string const& reason) {
  faults_ += (faults_.empty() ? "" : "; ") + address.to_string() + ": " + reason;
}

}  // namespace svc::redis
