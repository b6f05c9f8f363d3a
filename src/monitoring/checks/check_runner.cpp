#include "monitoring/checks/check_runner.hpp"

#include "svc/core/async.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/loop_activity.hpp"
#include "svc/core/result.hpp"
#include "svc/http/json.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace svc::checks {
namespace {

constexpr std::chrono::seconds values_patience{2};
/// The machine's own time, in addition to the attempts and the delays between them.
constexpr std::chrono::seconds slack{1};
/// Memory of a plan without its texts and patterns.
constexpr std::size_t plan_bytes = 1024;

account_owner owner_of(scheduler::check_order const& order) {
  return {.project = order.project, .organisation = order.organization};
}

/// Returns the result of a check that ends before its first attempt.
scheduler::check_end not_begun(failure failure) {
  scheduler::check_report out;
  out.result.ended = row_of(failure.which).gives;
  out.result.known.error = std::move(failure);
  return out;
}

/// Describes a configuration that was saved under other rules than this version's. The sentence contains pointers and
/// reasons, never values.
std::string sentence_of(error const& wrong) {
  std::string out = "The configuration of this monitor is refused by this version:";
  for (auto const& each : wrong.details) out.append(" ").append(each.field).append(" ").append(each.message);
  return out;
}

/// Returns the configuration with its secrets. A mask in the stored configuration may be a sealed secret.
task<secret_string> whole_config(store::monitor_secrets& secrets, scheduler::check_order const& order) {
  if (order.config.find(store::secret_mask) == std::string::npos) co_return secret_string(order.config);
  auto opened = co_await secrets.open({order.monitor}, deadline::after(values_patience));
  if (opened.empty()) co_return secret_string(order.config);
  // The monitor was changed, and its scheduler will notice that within a second.
  if (opened.front().check_version != order.check_version) throw unavailable("the monitor was changed");
  co_return std::move(opened.front().config);
}

}  // namespace

check_plan check_runner::read_plan(scheduler::check_order const& order, std::string_view config) {
  check_plan made{.check_version = order.check_version, .interval = order.interval};
  auto const* const type = check_type_named(order.type);
  auto const json = http::parse_json(config);
  if (type == nullptr || !json || !json->is_object()) {
    made.fault = "This version cannot check monitors of this type.";
  } else if (auto read = parse_check({type, order.target, order.interval, &json->as_object()}, nullptr); read) {
    made.read = std::make_shared<check_config const>(std::move(*read));
  } else {
    made.fault = sentence_of(read.error());
  }
  // The texts of a configuration are also in its members, so they count twice.
  made.bytes = plan_bytes + 2 * (order.target.size() + config.size()) + made.fault.size();
  if (made.read) made.bytes += made.read->patterns().bytes;
  return made;
}

task<check_plan> check_runner::make_plan(scheduler::check_order const& order, std::string_view config) {
  check_plan made;
  work_for(owner_of(order));
  if (shares_ == nullptr)
    made = read_plan(order, config);
  else
    co_await shares_->away(owner_of(order), [&] { made = read_plan(order, config); });
  co_return made;
}

task<check_plan> check_runner::plan_of(scheduler::check_order const& order) {
  if (auto const* known = plans_.find(order.monitor, order.check_version, order.interval)) co_return *known;
  auto const config = co_await whole_config(sources_.secrets, order);
  auto made = co_await make_plan(order, config.reveal());
  // A check is cancelled when its monitor is removed, and after that nothing would drop the plan.
  if (!is_cancelled(co_await asio::this_coro::cancellation_state)) plans_.keep(order.project, order.monitor, made);
  co_return made;
}

task<std::shared_ptr<check_values const>> check_runner::values_of(uuid project, check_config const& config) {
  auto const out = std::make_shared<check_values>();
  auto names = config.variables();
  if (names.empty()) co_return out;
  for (auto& each : co_await sources_.variables.read(project, std::move(names), deadline::after(values_patience))) {
    if (each.is_secret) out->secret.push_back(each.key);
    out->all.emplace(std::move(each.key), std::move(each.value));
  }
  co_return out;
}

task<scheduler::check_end> check_runner::run(scheduler::check_order order) {
  work_for(owner_of(order));
  SVC_FAILPOINT("checks.perform");
  check_plan plan;
  try {
    plan = co_await plan_of(order);
  } catch (unavailable const&) {
    co_return scheduler::skip_reason::values_unread;
  }
  co_return co_await run_planned(std::move(order), std::move(plan), std::nullopt);
}

task<scheduler::check_end> check_runner::test(scheduler::check_order order) {
  work_for(owner_of(order));
  SVC_FAILPOINT("checks.perform");
  auto plan = co_await make_plan(order, order.config);
  auto const end = deadline::after(test_limits_.all);
  auto last_retry = end;
  if (plan.read) {
    auto shortened = *plan.read;
    shortened.timeout = std::min<milliseconds>(shortened.timeout, test_limits_.attempt);
    last_retry = deadline(end.at() - shortened.timeout);
    plan.read = std::make_shared<check_config const>(std::move(shortened));
  }
  check_limits limits(end, last_retry);
  limits.fixed = true;
  co_return co_await run_planned(std::move(order), std::move(plan), limits);
}

task<scheduler::check_end> check_runner::run_planned(scheduler::check_order order, check_plan plan,
                                                     std::optional<check_limits> limits) {
  auto const config = plan.read;
  if (!config) co_return not_begun(failure(code::target_invalid, plan.fault));
  std::shared_ptr<check_values const> values;
  try {
    values = co_await values_of(order.project, *config);
  } catch (unavailable const&) {
    co_return scheduler::skip_reason::values_unread;
  }
  auto const until = limits.value_or(deadline::after(config->longest() + slack));
  work_for(owner_of(order));
  auto done = co_await engine_.run(config, std::move(values), until, pass_for(order, limits));
  // The target's gate refused the check, or it was cancelled and its result is not used.
  if (!done) co_return scheduler::skip_reason::target_busy;
  meter_.ended(*config->type, done->result);
  scheduler::check_report out{std::move(done->result), done->attempts};
  if (done->certificate_threshold) out.warning = {*out.result.known.tls, *done->certificate_threshold};
  co_return out;
}

/// Lets a scheduled check wait up to half its interval for a connection; the wait does not count as the check's own
/// time.
std::shared_ptr<target_pass> check_runner::pass_for(scheduler::check_order const& order,
                                                    std::optional<check_limits> const& limits) {
  gate_patience const patience{.first = deadline::after(order.may_wait),
                               .each = milliseconds(order.interval) / 2,
                               .all = milliseconds(order.interval),
                               .fixed = limits};
  return std::make_shared<target_pass>(gate_, scheduler::target_gate::owner{order.organization, order.project},
                                       patience);
}

}  // namespace svc::checks
