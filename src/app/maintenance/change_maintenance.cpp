#include "app/maintenance/change_maintenance.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"

#include <utility>

namespace svc::app {
namespace {

constexpr milliseconds probe_interval{200};
constexpr milliseconds connect_patience{1000};
/// Together with the relay's next pass, shorter than `longest_hold` (access/epoch_publisher.hpp): a change that is
/// committed during the mending is left to that pass.
constexpr milliseconds mend_patience{500};
constexpr milliseconds relay_interval{500};
constexpr milliseconds relay_lateness{100};
constexpr milliseconds relay_patience{2000};
constexpr std::chrono::seconds policy_interval{60};
constexpr std::chrono::seconds outbox_sweep_interval{60};
constexpr std::chrono::seconds outbox_sweep_patience{2};

}  // namespace

change_maintenance::change_maintenance(parts parts)
    : parts_(std::move(parts)),
      relay_(parts_.redis, parts_.outbox, parts_.invalidate),
      recovery_(parts_.redis, relay_, parts_.authenticator) {}

void change_maintenance::start() {
  parts_.fallback.redis().lost();
  parts_.redis.on_loss([this] {
    // A stopping worker closes the connection itself.
    if (!parts_.loops.goes_on()) return;
    parts_.fallback.redis_lost(parts_.redis.last_fault());
    show_redis();
  });
  parts_.redis.on_silence([this](steady::time_point now) { parts_.fallback.redis_missed(now); });
  auto const probe = parts_.loops.start("redis_probe", probe_interval, this, &change_maintenance::mend);
  spawn_task(parts_.loops.io, attempt(probe, mend()));
  parts_.loops.start("relay", relay_interval, this, &change_maintenance::relay_changes);
  // One worker does this for the whole instance.
  if (parts_.index != 0) return;
  sweeping_ = parts_.loops.start("old_changes", outbox_sweep_interval, this, &change_maintenance::sweep);
  parts_.loops.start("redis_policy", policy_interval, this, &change_maintenance::look_at_policy);
}

/// While Redis is lost, it gets only one probe in each interval. A worker also starts in that state.
task<> change_maintenance::mend() {
  auto& redis = parts_.fallback.redis();
  trusted_ = !redis.is_open();
  show_redis();
  if (trusted_) co_return;
  int const losses = redis.losses();
  if (!co_await parts_.redis.wait_connected(deadline::after(connect_patience))) co_return;
  SVC_FAILPOINT("redis.before_mend");
  trusted_ = co_await recovery_.mend(deadline::after(mend_patience)) && parts_.fallback.redis_back(losses);
  evaluated_ = true;
  if (!trusted_ && !recovery_.refusal().empty()) parts_.fallback.redis_refused(recovery_.refusal());
  show_redis();
  if (trusted_) log::info("Redis is trusted: windows are shared", {{"worker", parts_.index}});
  if (trusted_ && parts_.index == 0) co_await look_at_policy();
}

/// A Redis that evicts loses windows and epochs without any error, so the log has to say it. An operator may change
/// the policy at any time, so this runs again and again, and says each policy once.
task<> change_maintenance::look_at_policy() {
  if (!trusted_) co_return;
  constexpr std::string_view name = "maxmemory_policy:";
  std::string_view const words[] = {"INFO", "memory"};
  for (auto const& tag : parts_.redis.tags()) {
    auto const got = co_await parts_.redis.command_at(tag, words, deadline::after(connect_patience));
    auto const sv = got.value.text.find(name);
    if (!got.ok() || sv == std::string::npos) continue;
    auto const rest = std::string_view(got.value.text).substr(sv + name.size());
    auto const policy = rest.substr(0, rest.find_first_of("\r\n"));
    if (policy == "noeviction") continue;
    if (std::exchange(evicting_, std::string(policy)) == policy) co_return;
    log::warn("Redis evicts keys when its memory is full, so that limits are exceeded many times",
              {{"maxmemoryPolicy", policy}, {"action", "CONFIG SET maxmemory-policy noeviction, and in redis.conf"}});
    co_return;
  }
  if (!std::exchange(evicting_, std::string()).empty())
    log::info("Redis keeps its keys again: maxmemory-policy is noeviction");
}

void change_maintenance::show_redis() {
  std::lock_guard const lock(shown_mutex_);
  shown_refusal_ = parts_.fallback.refusal();
  shown_fault_ = parts_.redis.last_fault();
}

std::string change_maintenance::redis_refusal() const {
  std::lock_guard const lock(shown_mutex_);
  return shown_refusal_;
}

std::string change_maintenance::redis_fault() const {
  std::lock_guard const lock(shown_mutex_);
  return shown_fault_;
}

/// One worker does this for the whole instance; another one takes over when that one is late, for example because it
/// has no connection to Redis. It runs without Redis too: nothing else notifies the streams of this instance of
/// changes made elsewhere.
task<> change_maintenance::relay_changes() {
  auto const now = steady::now();
  auto const until = deadline(now + relay_patience);
  steady::time_point const relayed{steady::duration(parts_.relayed.load())};
  if (parts_.index > 0 && now < relayed + relay_interval + relay_lateness) co_return;
  if (parts_.fallback.redis().is_open()) co_return co_await relay_.hear(until);
  if (!co_await relay_.pass(until)) throw unavailable("the changes were not relayed: a store is unreachable");
  parts_.relayed = now.time_since_epoch().count();
}

task<> change_maintenance::sweep() {
  auto done = co_await parts_.outbox.sweep(0, deadline::after(outbox_sweep_patience));
  // After an outage of days there are millions of rows.
  while (parts_.loops.goes_on() && done.after) {
    co_await between_batches(*sweeping_);
    done = co_await parts_.outbox.sweep(*done.after, deadline::after(outbox_sweep_patience));
  }
}

}  // namespace svc::app
