#include "svc/core/background_loops.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace svc {
namespace {

constexpr std::chrono::seconds longest_back_off{5};
/// This time is added to three intervals, because a store may need time to return, and steps have deadlines of some
/// seconds.
constexpr std::chrono::seconds least_patience{30};
constexpr milliseconds breath{100};
/// The pause between two steps in tests with `background.hurry`, however long the interval is.
constexpr milliseconds hurried{50};

void say(background_loop const& loop, background_loop::news news, std::string_view reason) {
  switch (news) {
    case background_loop::news::none:
      return;
    case background_loop::news::failed:
      return log::error("background work failed and will be retried",
                        {{"loop", loop.name()}, {"worker", loop.owner()}, {"why", reason}});
    case background_loop::news::stalled:
      return log::error("background work makes no progress",
                        {{"loop", loop.name()}, {"worker", loop.owner()}, {"why", reason}});
    case background_loop::news::goes_on:
      return log::info("background work makes progress again", {{"loop", loop.name()}, {"worker", loop.owner()}});
  }
}

}  // namespace

std::string_view name_of(loop_health health) {
  switch (health) {
    case loop_health::good:
      return "ok";
    case loop_health::failing:
      return "failing";
    case loop_health::still:
      break;
  }
  return "still";
}

background_loop::background_loop(std::string name, std::string owner, steady::duration interval)
    : name_(std::move(name)),
      owner_(std::move(owner)),
      interval_(interval),
      patience_(3 * interval + least_patience),
      succeeded_at_(steady::now().time_since_epoch().count()) {}

void background_loop::begins(steady::time_point now) {
  if (resting_.exchange(false)) progresses(now);
}

void background_loop::progresses(steady::time_point now) {
  succeeded_at_ = now.time_since_epoch().count();
}

background_loop::news background_loop::succeeded(steady::time_point now) {
  progresses(now);
  failing_ = false;
  failures_ = 0;
  return std::exchange(reported_, loop_health::good) == loop_health::good ? news::none : news::goes_on;
}

background_loop::news background_loop::failed(steady::time_point now, bool expected) {
  failing_ = true;
  if (!expected) ++failures_;
  auto const health = at(now).health;
  if (reported_ == health || (expected && health == loop_health::failing)) return news::none;
  reported_ = health;
  return health == loop_health::still ? news::stalled : news::failed;
}

void background_loop::rests() {
  resting_ = true;
  failing_ = false;
  failures_ = 0;
  reported_ = loop_health::good;
}

steady::duration background_loop::pause() const {
  auto const longest = std::max<steady::duration>(interval_, longest_back_off);
  auto out = interval_;
  for (int i = 1; i < failures_ && out < longest; ++i) out *= 2;
  return std::min(out, longest);
}

background_loop::status background_loop::at(steady::time_point now) const {
  if (resting_) return {};
  auto const since = now.time_since_epoch() - steady::duration(succeeded_at_.load());
  if (since > patience_) return {loop_health::still, since};
  return {failing_ ? loop_health::failing : loop_health::good, since};
}

task<> attempt(background_loop_ptr loop, task<> step) {
  loop->begins(steady::now());
  try {
    co_await std::move(step);
    say(*loop, loop->succeeded(steady::now()), {});
  } catch (unavailable const& e) {
    say(*loop, loop->failed(steady::now(), true), e.what());
  } catch (std::exception const& e) {
    say(*loop, loop->failed(steady::now(), false), e.what());
  }
}

task<> repeat(background_loop_ptr loop, std::function<bool()> goes_on, std::function<task<>()> step) {
  steady_timer timer(co_await asio::this_coro::executor);
  for (;;) {
    timer.expires_after(SVC_FAILPOINT_SET("background.hurry") ? hurried : loop->pause());
    co_await timer.async_wait(awaiting);
    if (goes_on())
      co_await attempt(loop, step());
    else
      loop->rests();
  }
}

task<> between_batches(background_loop& loop) {
  loop.progresses(steady::now());
  steady_timer timer(co_await asio::this_coro::executor, breath);
  co_await timer.async_wait(awaiting);
}

background_loop_ptr background_loops::add(std::string name, std::string owner, steady::duration interval) {
  labels const labels{{"loop", name}, {"worker", owner}};
  auto made = std::make_shared<background_loop>(std::move(name), std::move(owner), interval);
  all_.push_back(
      {made,
       counters_.make_gauge("svc_background_last_success_timestamp_seconds",
                            "When a step of that loop last succeeded, in Unix time; now while it rests", labels),
       counters_.make_gauge("svc_background_still", "1 while no step of that loop has succeeded for too long",
                            labels)});
  return made;
}

background_loop_ptr background_loops::start(asio::io_context& io, std::string name, std::string owner,
                                            steady::duration interval, std::function<bool()> goes_on,
                                            std::function<task<>()> step) {
  auto loop = add(std::move(name), std::move(owner), interval);
  spawn_task(io, repeat(loop, std::move(goes_on), std::move(step)));
  return loop;
}

void background_loops::rest() {
  for (auto const& shown : all_) shown.loop->rests();
}

std::vector<background_loops::ailing> background_loops::look(steady::time_point now) const {
  std::vector<ailing> out;
  for (auto const& shown : all_) {
    auto const status = shown.loop->at(now);
    if (status.health != loop_health::good) out.push_back({shown.loop.get(), status});
  }
  return out;
}

void background_loops::show(steady::time_point now) const {
  auto const wall = std::chrono::system_clock::now();
  for (auto const& shown : all_) {
    auto const status = shown.loop->at(now);
    std::chrono::duration<double> const time = wall.time_since_epoch() - status.since_success;
    shown.last_success.set(time.count());
    shown.still.set(status.health == loop_health::still ? 1 : 0);
  }
}

}  // namespace svc
