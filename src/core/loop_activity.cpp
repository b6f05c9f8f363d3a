#include "svc/core/loop_activity.hpp"

#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/core/thread_name.hpp"
#include "svc/core/turns.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace svc {
namespace {

constexpr auto one_writer = std::memory_order_relaxed;

thread_local loop_activity* of_this_thread = nullptr;

/// This thread is the only writer.
template <class Number>
void add_one(std::atomic<Number>& last) {
  last.store(last.load(one_writer) + 1, one_writer);
}

/// Requires that the exception is being handled.
void log_uncaught(std::string const& thread, uuid const& project) {
  std::string reason = "unknown";
  try {
    throw;
  } catch (std::exception const& e) {
    reason = e.what();
  } catch (...) {
    // It says nothing about itself.
  }
  log::error("a handler threw an exception; its thread continues",
             {{"thread", thread}, {"project", project.to_string()}, {"why", reason}});
}

}  // namespace

void loop_activity::shared_id::store(uuid const& id) {
  std::uint64_t halves[2];
  std::memcpy(halves, id.bytes.data(), sizeof halves);
  for (int i : {0, 1}) halves_[i].store(halves[i], one_writer);
}

uuid loop_activity::shared_id::load() const {
  std::uint64_t const halves[2] = {halves_[0].load(one_writer), halves_[1].load(one_writer)};
  uuid out;
  std::memcpy(out.bytes.data(), halves, sizeof halves);
  return out;
}

loop_activity::long_turn loop_activity::take_long_turn() {
  auto const lasted = long_turn_ms_.exchange(0, std::memory_order_acquire);
  return {std::chrono::milliseconds(lasted), lasted == 0 ? uuid{} : long_project_.load()};
}

void loop_activity::work_for(account_owner const& owner, steady::time_point now) {
  if (owned_ && owner_.project == owner.project) return;
  if (owned_ && charge_) charge_(owner_, now - since_, now);
  owner_ = owner;
  since_ = now;
  owned_ = owner.project != uuid{};
  project_.store(owner.project);
}

void loop_activity::end_turn(steady::time_point now, nanoseconds cost) {
  if (cost.count() > longest_.load(one_writer)) longest_.store(cost.count(), one_writer);
  if (cost > turn_watch::patience) {
    long_project_.store(owner_.project);
    long_turn_ms_.store(std::chrono::duration_cast<std::chrono::milliseconds>(cost).count(),
                        std::memory_order_release);
  }
  if (owned_) {
    owned_ = false;
    // Work for the owner may have started late in the turn; a turn that was preempted cost less than it lasted.
    if (charge_) charge_(owner_, std::min<nanoseconds>(now - since_, cost), now);
    owner_ = {};
    project_.store({});
  }
  add_one(turns_ended_);
}

void loop_activity::note_failure() {
  add_one(failures_);
  log_uncaught(name_, owner_.project);
}

void note_uncaught(std::exception_ptr const& failure) noexcept {
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (unavailable const& gone) {
    log::warn("work that nobody waits for was not done, because a store is unreachable", {{"why", gone.what()}});
  } catch (...) {
    if (of_this_thread != nullptr)
      of_this_thread->note_failure();
    else
      log_uncaught(name_of_this_thread(), {});
  }
}

void work_for(account_owner const& owner) {
  if (of_this_thread != nullptr) of_this_thread->work_for(owner, steady::now());
}

account_owner working_for() {
  return of_this_thread == nullptr ? account_owner{} : of_this_thread->owner();
}

activity_of_thread::activity_of_thread(loop_activity& own) {
  of_this_thread = &own;
}

activity_of_thread::~activity_of_thread() {
  of_this_thread = nullptr;
}

}  // namespace svc
