#pragma once

#include "monitoring/checks/check_meter.hpp"
#include "monitoring/checks/plan_cache.hpp"
#include "monitoring/checks/target_gate.hpp"
#include "monitoring/checks/target_pass.hpp"
#include "svc/core/work_scheduler.hpp"
#include "svc/monitoring/checks/check_function.hpp"
#include "svc/monitoring/checks/engine.hpp"
#include "svc/store/monitors/monitor_secrets.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

namespace svc::checks {

/// Time limits for checks of unsaved monitors, whose users wait at most a minute.
struct test_limits {
  milliseconds attempt{40'000};  ///< limit of each attempt
  milliseconds all{52'000};      ///< limit from the start to the end of the last attempt
};

/// Runs the checks of a scheduler. Reads each monitor's configuration, with its secrets opened, once for each
/// version, and the variables of the configuration again for each check. Worker-local; the referenced objects outlive
/// it.
class check_runner {
 public:
  struct sources {
    store::check_variables& variables;
    store::monitor_secrets& secrets;
  };
  /// `shares` divides the thread's time; null if the time is not shared. `plan_book` is described in `plan_cache`,
  /// `target_book` in `target_gate`.
  check_runner(engine& engine, sources sources, check_meter& meter, scheduler::target_gate::limits bounds,
               test_limits of_tests = {}, std::size_t most_plan_bytes = plan_cache::usual_most_bytes,
               work_scheduler* shares = nullptr, account* plan_book = nullptr, account* target_book = nullptr)
      : engine_(engine),
        sources_(sources),
        meter_(meter),
        test_limits_(of_tests),
        gate_(bounds, target_book),
        shares_(shares),
        plans_(most_plan_bytes, plan_book) {}

  /// Returns `skip_reason::values_unread` if secrets or variables cannot be read. Returns `skip_reason::target_busy`
  /// if other checks of the same target leave no permit in time. Neither says anything about the target.
  task<scheduler::check_end> run(scheduler::check_order order);
  /// Checks a monitor that is not saved; its config contains its secrets. Ends within a minute: an attempt takes at
  /// most `test_limits::attempt`, and no retry starts that might outlast `test_limits::all`.
  task<scheduler::check_end> test(scheduler::check_order order);
  /// Drops the plan of a monitor that is no longer checked here.
  void remove(uuid const& monitor) { plans_.remove(monitor); }
  plan_cache const& plans() const { return plans_; }

 private:
  static check_plan read_plan(scheduler::check_order const& order, std::string_view config);
  /// Runs `read_plan` on the second thread, because it compiles patterns.
  task<check_plan> make_plan(scheduler::check_order const& order, std::string_view config);
  /// Reads the variables of the check and runs it. Without limits it may take as long as its attempts.
  task<scheduler::check_end> run_planned(scheduler::check_order order, check_plan plan,
                                         std::optional<check_limits> limits);
  /// Throws `unavailable` if the secrets cannot be read.
  task<check_plan> plan_of(scheduler::check_order const& order);
  std::shared_ptr<target_pass> pass_for(scheduler::check_order const& order,
                                        std::optional<check_limits> const& limits);
  task<std::shared_ptr<check_values const>> values_of(uuid project, check_config const& config);

  engine& engine_;
  sources sources_;
  check_meter& meter_;
  test_limits test_limits_;
  scheduler::target_gate gate_;
  work_scheduler* shares_;
  plan_cache plans_;
};

}  // namespace svc::checks
