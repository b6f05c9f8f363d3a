#include "app/check_performer.hpp"

#include "svc/core/result.hpp"
#include "svc/http/json.hpp"

#include <chrono>
#include <iterator>
#include <utility>

namespace svc::app {
namespace {

constexpr std::chrono::seconds variables_patience{2}, resolve_patience{5};
/// Beyond what attempts and the delays between them take: the machine's own.
constexpr std::chrono::seconds slack{1};

/// A check that ends before its first attempt.
watch::check_end refused(checks::failure why) {
  watch::performed_check out;
  out.result.ended = checks::row_of(why.which).gives;
  out.result.known.error = std::move(why);
  return out;
}

/// Of one that was saved by other rules than this version's. Pointers and sentences, never values.
std::string sentence_of(error const& wrong) {
  std::string out = "The configuration of this monitor is refused by this version:";
  for (auto const& each : wrong.details) out.append(" ").append(each.field).append(" ").append(each.message);
  return out;
}

}  // namespace

check_performer::plan const& check_performer::plan_of(watch::check_order const& what) {
  auto& of = plans_[what.monitor];
  of.unused = 0;
  if (of.check_version == what.check_version && of.interval == what.interval) return of;
  of = {what.check_version, what.interval};
  auto const type = probes::check_type_named(what.type);
  auto const json = http::parse_json(what.config);
  if (!type || !json || !json->is_object()) {
    of.fault = "This version cannot check monitors of this type.";
    return of;
  }
  // Addresses are judged at each connection.
  auto made = probes::parse_check({*type, what.target, what.interval, &json->as_object()}, nullptr);
  if (made) {
    of.read = std::make_shared<probes::check_config const>(std::move(*made));
  } else {
    of.fault = sentence_of(made.error());
  }
  return of;
}

task<std::shared_ptr<probes::check_values const>> check_performer::values_of(uuid project,
                                                                             probes::check_config const& config) {
  auto const out = std::make_shared<probes::check_values>();
  auto names = config.variables();
  if (names.empty()) co_return out;
  for (auto& each : co_await variables_.read(project, std::move(names), deadline::after(variables_patience))) {
    if (each.is_secret) out->secret.push_back(each.key);
    out->all.emplace(std::move(each.key), std::move(each.value));
  }
  co_return out;
}

task<std::optional<watch::target_gate::place>> check_performer::turn_at_target(
    watch::check_order const& what, std::shared_ptr<probes::check_config const> config,
    std::shared_ptr<probes::check_values const> values) {
  auto const until = deadline::after(what.may_wait);
  auto const where =
      co_await engine_.place_of(std::move(config), std::move(values), deadline::after(resolve_patience));
  if (!where) co_return watch::target_gate::place();
  auto turn = co_await gate_.enter(where->at.to_string() + ' ' + std::to_string(where->port), what.project, until);
  if (!turn) co_return std::nullopt;
  co_return turn;
}

task<watch::check_end> check_performer::perform(watch::check_order what) {
  auto const& plan = plan_of(what);
  if (!plan.read) co_return refused(checks::failure(checks::code::target_invalid, plan.fault));
  auto const config = plan.read;
  std::shared_ptr<probes::check_values const> values;
  try {
    values = co_await values_of(what.project, *config);
  } catch (unavailable const&) {
    co_return watch::missed::variables_unread;
  }
  auto turn = co_await turn_at_target(what, config, values);
  if (!turn) co_return watch::missed::target_busy;
  auto done = co_await engine_.perform(config, std::move(values), deadline::after(config->longest() + slack));
  // Nothing if it was cancelled, and then nobody looks.
  if (!done) co_return refused(checks::failure(checks::code::internal));
  if (*turn && done->attempts > 1) turn->count(done->attempts - 1);
  meter_.ended(config->type, done->result);
  co_return watch::performed_check{std::move(done->result), done->attempts};
}

void check_performer::forget_unused() {
  for (auto at = plans_.begin(); at != plans_.end();) at = ++at->second.unused > 2 ? plans_.erase(at) : std::next(at);
}

}  // namespace svc::app
