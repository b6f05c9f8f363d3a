// This file tests providers with a real attempt at a message.
#include "svc/monitoring/notifications/provider_tests.hpp"
#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/core/log.hpp"
#include "svc/monitoring/notifications/provider.hpp"
#include "svc/monitoring/notifications/schedule.hpp"
#include "svc/store/repositories.hpp"

#include <boost/asio/this_coro.hpp>

#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace svc::api {
namespace {

/// The time for storing the outcome after an attempt, whatever the attempt's duration.
constexpr std::chrono::seconds record_patience{5};

/// The result of a test.
struct test_end {
  notifications::outcome came;
  bool sent = true;
};

test_end unsent(notifications::reason reason) {
  return {.came = {.state = notifications::fate::dead, .cause = reason}, .sent = false};
}

task<notifications::message> test_message(call& c) {
  auto names = co_await c.use.stores.provider_tests.names_of(c.caller.project_id, c.until);
  notifications::message out{.id = uuid::generate_v7(),
                             .project = {c.caller.project_id, std::move(names.slug), std::move(names.name)},
                             .test = true};
  out.alerts.push_back(notifications::test_alert(out.id, system_now()));
  co_return out;
}

task<result<test_end>> attempt_test(call& c, notifications::provider_tests::slot held,
                                    notifications::provider_config config, notifications::message message) {
  auto const until = outside_deadline(notifications::attempt_limit(type_of(config)));
  auto came = co_await c.use.provider_tests.run(std::move(held), std::move(config), std::move(message), until);
  if (!came) co_return came.error();
  co_return test_end{.came = *came};
}

/// Returns the result of a test that got no turn: the provider asked for a pause, unless it was deleted in the
/// meantime.
task<result<test_end>> without_turn(call& c, uuid provider) {
  auto const still = co_await c.use.stores.providers.get(c.caller.project_id, provider, c.until);
  if (!still) co_return still.error();
  co_return unsent(notifications::reason::rate_limited);
}

/// Sends the test message at the provider's pace. A message during a pause that the provider asked for is not sent,
/// and not counted against the provider.
task<result<test_end>> attempt_in_turn(call& c, notification_provider provider,
                                       notifications::provider_config config) {
  // The slot is taken before the turn: a request without a slot uses no turn, and `call::until` may have passed after
  // the turn.
  auto held = c.use.provider_tests.enter(c.caller.project_id, type_of(config));
  if (!held) co_return held.error();
  auto message = co_await test_message(c);
  std::optional<unsigned> rate;
  if (provider.rate_per_minute) rate = static_cast<unsigned>(*provider.rate_per_minute);
  auto const pace = notifications::pace_of(config, rate);
  auto const wait = co_await c.use.stores.provider_tests.take_turn(provider.id, pace, c.until);
  if (!wait) co_return co_await without_turn(c, provider.id);
  if (*wait > milliseconds(0)) {
    steady_timer turn(co_await asio::this_coro::executor, *wait);
    co_await turn.async_wait(awaiting);
  }
  co_return co_await attempt_test(c, std::move(*held), std::move(config), std::move(message));
}

/// Stores the outcome of a test. The caller gets the outcome even if storing fails, because the message was sent.
task<> record(call& c, store::provider_test test) {
  auto const name = test.name;
  try {
    co_await c.use.stores.provider_tests.record(edit_by(c), std::move(test), deadline::after(record_patience));
  } catch (std::exception const& e) {
    log::error("the outcome of a test of a provider could not be stored",
               {{"project", c.caller.project_id.to_string()}, {"provider", name}, {"why", e.what()}});
  }
}

task<reply> tested(call& c, store::provider_test test, test_end end) {
  auto const& came = end.came;
  test.sent = end.sent;
  test.taken = came.state == notifications::fate::taken;
  test.reason = name_of(came.cause);
  test.status = came.status;
  test.not_before = came.not_before;
  co_await record(c, std::move(test));
  reply out;
  out.body = boost::json::object{{"success", came.state == notifications::fate::taken},
                                 {"message", sentence_of(came)},
                                 {"reason", name_of(came.cause)}};
  co_return out;
}

/// Returns `std::nullopt` if this version does not know the provider's type, or cannot read its config.
std::optional<notifications::provider_config> config_of(notification_provider const& provider,
                                                        store::revealed_config revealed_config) {
  auto const type = notifications::provider_type_named(provider.type);
  if (!type) return std::nullopt;
  auto config = notifications::read_config(*type, revealed_config.config.reveal(),
                                           std::move(revealed_config.former_signing_secret));
  if (!config) return std::nullopt;
  return std::move(*config);
}

}  // namespace

task<result<reply>> test_notification_provider(call& c) {
  auto& providers = c.use.stores.providers;
  auto const found = co_await providers.get(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  auto revealed = co_await providers.reveal(c.caller.project_id, found->id, c.until);
  if (!revealed) co_return revealed.error();
  auto config = config_of(*found, std::move(*revealed));
  auto const slot = c.use.outside.enter(c.caller.organization_id);
  if (!slot) co_return slot.error();
  result<test_end> end = unsent(notifications::reason::invalid_config);
  if (config) end = co_await attempt_in_turn(c, *found, std::move(*config));
  if (!end) co_return end.error();
  co_return co_await tested(c, {.provider = {{found->id, found->version}}, .name = found->name, .type = found->type},
                            *end);
}

task<result<reply>> test_unsaved_notification_provider(call& c) {
  // The form of an old provider may have a name that no new one may have. Only the audit row needs it.
  auto& form = c.body.as_object();
  std::string const name(form.at("name").as_string());
  form["name"] = "unsaved";
  auto const wanted = read_provider(form, c.use.monitor_rules.reachable);
  if (!wanted) co_return wanted.error();
  // An unsaved provider has no stored secret that a mask could refer to.
  auto const whole = store::take_secrets(wanted->type, boost::json::parse(wanted->config).as_object(), {});
  if (!whole) co_return whole.error();
  auto config = notifications::read_config(notifications::provider_type_named(wanted->type).value(), wanted->config);
  if (!config) co_return config.error();
  auto const slot = c.use.outside.enter(c.caller.organization_id);
  if (!slot) co_return slot.error();
  auto held = c.use.provider_tests.enter(c.caller.project_id, type_of(*config));
  if (!held) co_return held.error();
  auto message = co_await test_message(c);
  auto const end = co_await attempt_test(c, std::move(*held), std::move(*config), std::move(message));
  if (!end) co_return end.error();
  co_return co_await tested(c, {.name = name, .type = wanted->type}, *end);
}

}  // namespace svc::api
