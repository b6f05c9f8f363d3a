#pragma once

#include "monitor_fixture.hpp"

#include "monitoring/scheduler/check_scheduler.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/time.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace svc::test {

/// Targets by the script of a test. Outlives the schedulers that check them.
struct targets {
  std::map<uuid, checks::status> are{};  ///< up if not named
  std::map<uuid, std::string> say{};     ///< why those are down
  std::map<uuid, int> asked{};
  std::map<uuid, checks::certificate_warning> warn{};  ///< what their certificates have passed
  bool hang = false;
  int cancelled = 0;

  scheduler::check_function make_check_function() {
    return [this](scheduler::check_order order) { return check(this, std::move(order)); };
  }
  static task<scheduler::check_end> check(targets* targets, scheduler::check_order order) {
    ++targets->asked[order.monitor];
    if (targets->hang) {
      steady_timer never(co_await asio::this_coro::executor, std::chrono::hours(1));
      auto [ec] = co_await never.async_wait(awaiting);
      if (ec) ++targets->cancelled;
    }
    scheduler::check_report out;
    auto const found = targets->are.find(order.monitor);
    if (found != targets->are.end()) out.result.ended = found->second;
    if (out.result.ended == checks::status::up) out.result.response_time_ms = 7;
    if (out.result.ended == checks::status::down)
      out.result.known.error = checks::failure(checks::code::connect_refused);
    if (auto const said = targets->say.find(order.monitor); said != targets->say.end()) {
      out.result.known.error = checks::failure(checks::code::connect_refused, said->second);
    }
    if (auto const seen = targets->warn.find(order.monitor); seen != targets->warn.end()) out.warning = seen->second;
    co_return out;
  }
};

/// A later time, for whoever uses the database's clock through `database_clock`.
struct later {
  explicit later(int seconds) { failpoint::set_clock(std::to_string(seconds)); }
  ~later() { failpoint::set_clock("0"); }
};

/// The same clock stands still, however long a test takes.
struct check_clock {
  explicit check_clock(timestamp time) { failpoint::hold_clock(microseconds(time.micros)); }
  ~check_clock() { failpoint::hold_clock(std::nullopt); }
};

struct watching : watched_shop {
  scheduler::check_scheduler::parts parts() {
    return {io, pool, world.make_check_function(), {loops, io, "0", [] { return true; }}};
  }
  /// At the time at which all minutes begin.
  void pass(scheduler::check_scheduler& scheduler) {
    check_clock const now(begun());
    wait(scheduler.hold_shards());
    check(scheduler);
  }
  /// All that is due now.
  void check(scheduler::check_scheduler& scheduler) {
    wait(scheduler.take_news());
    wait(scheduler.begin_due());
    settle();
    wait(scheduler.flush());
  }
  /// The minute before that one is over: begins what is due often enough that nothing is too late. A slot each,
  /// because no minute is longer than another.
  void pass_minute(std::vector<scheduler::check_scheduler*> const& schedulers, int minute) {
    check_clock const now(begun());
    for (int second = 15; second <= 60; second += 15) {
      later const then(60 * (minute - 1) + second);
      for (auto* each : schedulers) wait(each->begin_due());
      settle();
    }
  }
  /// Lets checks that do not wait come to their end.
  void settle() {
    io.restart();
    while (io.poll() > 0) {
    }
  }

  /// When this is first asked for. All monitors are then as if made at this moment, so that each has one slot in the
  /// first minute: made earlier it could have two, made later none.
  timestamp begun() {
    if (!begun_) {
      begun_ = system_now();
      as_owner("UPDATE monitors SET changed_at = '" + to_rfc3339(*begun_) + "'");
    }
    return *begun_;
  }

  targets world;
  metrics counters;
  background_loops loops{counters};

 private:
  std::optional<timestamp> begun_{};
};

}  // namespace svc::test
