// This file runs the checks that users request: out of turn, and of monitors that are not saved.
#include "api/call_options.hpp"
#include "api/monitors.hpp"
#include "svc/api/handlers.hpp"
#include "svc/core/numbers.hpp"
#include "svc/http/json_text.hpp"
#include "svc/monitoring/scheduler/check_answers.hpp"
#include "svc/monitoring/scheduler/check_workers.hpp"
#include "svc/store/monitors/check_store.hpp"
#include "svc/store/monitors/monitor_secrets.hpp"
#include "svc/store/repositories.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace svc::api {
namespace {

/// The longest wait for a turn at the target.
constexpr std::chrono::seconds turn_patience{3};
/// The time that a check may take in addition to its attempts: for its variables, its target's address, and
/// connectivity probes.
constexpr std::chrono::seconds beside_attempts{9};

/// The contract's `RequestedCheck`.
struct requested_check {
  uuid monitor;
  std::optional<store::listed_result> found{};
};

void requested_check_json(http::json_text& out, requested_check const& check) {
  out.member("monitorId", check.monitor).open_list("results");
  if (check.found) {
    out.open_element();
    monitor_result_json(out, *check.found);
    out.close();
  }
  out.close_list();
}

reply requested_reply(requested_check const& check) {
  reply out{.status = check.found ? 200U : 202U};
  out.text = http::written(requested_check_json, check);
  return out;
}

error not_checkable() {
  return {errc::type_not_checkable, "A heartbeat reports by itself, so it cannot be checked on demand."};
}

/// Returns why no worker made the check: the monitor changed, or no instance checks.
task<error> why_unanswered(call& c, deadline until) {
  auto const now = co_await c.use.stores.monitors.get(c.caller.project_id, c.path_id(), until);
  if (!now || now->deleted_at) co_return errc::not_found;
  co_return now->set.enabled ? errc::unavailable : errc::monitor_paused;
}

}  // namespace

task<result<reply>> check_monitor(call& c) {
  auto const wait = parse_number<int>(c.query_value("wait").value_or(""));
  std::optional<outside_waits::slot> slot;
  auto const until = outside_deadline(std::chrono::seconds(wait.value_or(0)));
  if (wait) {
    auto mine = c.use.outside.enter(c.caller.organization_id);
    if (!mine) co_return mine.error();
    slot.emplace(std::move(*mine));
  }
  auto const asked = co_await c.use.stores.requests.ask(edit_by(c), c.path_id(), c.until);
  if (!asked && asked.error().code == errc::type_not_checkable) co_return not_checkable();
  if (!asked) co_return asked.error();
  if (!wait) co_return requested_reply({c.path_id()});
  auto const state = co_await c.use.answers.until_closed(*asked, until.within(std::chrono::seconds(*wait)));
  if (state.closed && !state.found) co_return co_await why_unanswered(c, until);
  co_return requested_reply({c.path_id(), state.found});
}

task<result<reply>> test_monitor(call& c) {
  if (c.member("type")->as_string() == "heartbeat") co_return not_checkable();
  // The form of an old monitor may have a name that no new one may have. A check needs none.
  c.body.as_object()["name"] = "unsaved";
  auto const wanted = read_monitor(c.body.as_object(), c.use.monitor_rules, system_now());
  if (!wanted) co_return wanted.error();
  // An unsaved monitor has no stored secret that a mask could refer to.
  auto const whole = store::take_check_secrets(boost::json::parse(wanted->config).as_object(), {}, false);
  if (!whole) co_return whole.error();
  auto const slot = c.use.outside.enter(c.caller.organization_id);
  if (!slot) co_return slot.error();
  scheduler::check_order order{.project = c.caller.project_id,
                               .organization = c.caller.organization_id,
                               .type = wanted->type,
                               .target = *wanted->target,
                               .config = wanted->config,
                               .interval = wanted->interval(),
                               .may_wait = turn_patience};
  auto const until = outside_deadline(std::chrono::seconds(wanted->attempts_seconds) + beside_attempts);
  auto const began = system_now().micros / 1000;
  auto const done = co_await c.use.check_workers.test(std::move(order), until);
  if (!done) co_return done.error();
  store::listed_result const shown{store::own_location, scheduler::kept_of(*done, began, checks::kind::manual),
                                   checks::details_json(done->result)};
  reply out;
  out.text = http::written(monitor_result_json, shown);
  co_return out;
}

}  // namespace svc::api
