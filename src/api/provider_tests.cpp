// A provider is tested: what a real attempt at a message comes to.
#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/notify/provider.hpp"
#include "svc/notify/schedule.hpp"
#include "svc/store/repositories.hpp"

#include <boost/asio/this_coro.hpp>

#include <utility>

namespace svc::api {
namespace {

/// What came of an attempt is written after it, however long that was.
constexpr std::chrono::seconds record_patience{5};

notify::outcome ended(notify::reason why) {
  return {.is = notify::fate::dead, .why = why};
}

task<notify::message> test_message(call& c) {
  auto names = co_await c.use.stores.provider_tests.names_of(c.who.project_id, c.until);
  notify::message out{.id = uuid::generate_v7(),
                      .project = {c.who.project_id, std::move(names.slug), std::move(names.name)},
                      .test = true};
  out.alerts.push_back(notify::test_alert(out.id, system_now()));
  co_return out;
}

task<result<notify::outcome>> attempt_test(call& c, notify::provider_config to) {
  auto message = co_await test_message(c);
  auto const until = outside_deadline(notify::attempt_limit(type_of(to)));
  co_return co_await c.use.test_message(std::move(to), std::move(message), until);
}

/// In the provider's pace. What the provider asked to be spared of is not sent, and not counted against it.
task<result<notify::outcome>> attempt_in_turn(call& c, notification_provider of, notify::provider_config to) {
  std::optional<unsigned> rate;
  if (of.rate_per_minute) rate = static_cast<unsigned>(*of.rate_per_minute);
  auto const pace = notify::pace_of(to, rate);
  auto const wait = co_await c.use.stores.provider_tests.take_turn(of.id, pace, c.until);
  if (!wait) co_return ended(notify::reason::rate_limited);
  if (*wait > milliseconds(0)) {
    steady_timer turn(co_await asio::this_coro::executor, *wait);
    co_await turn.async_wait(awaiting);
  }
  co_return co_await attempt_test(c, std::move(to));
}

task<reply> tested(call& c, store::provider_test of, notify::outcome came) {
  of.taken = came.is == notify::fate::taken;
  of.reason = name_of(came.why);
  of.status = came.status;
  of.not_before = came.not_before;
  co_await c.use.stores.provider_tests.record(edit_by(c), std::move(of), deadline::after(record_patience));
  reply out;
  out.body = boost::json::object{
      {"success", came.is == notify::fate::taken}, {"message", sentence_of(came.why)}, {"reason", name_of(came.why)}};
  co_return out;
}

}  // namespace

task<result<reply>> test_notification_provider(call& c) {
  auto& providers = c.use.stores.providers;
  auto const found = co_await providers.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  auto revealed = co_await providers.reveal(c.who.project_id, found->id, c.until);
  if (!revealed) co_return revealed.error();
  auto config = notify::read_config(notify::provider_type_named(found->type).value(), revealed->config.reveal(),
                                    std::move(revealed->former_signing_secret));
  auto const place = c.use.outside.enter(c.who.organization_id);
  if (!place) co_return place.error();
  result<notify::outcome> came = ended(notify::reason::invalid_config);
  if (config) came = co_await attempt_in_turn(c, *found, std::move(*config));
  if (!came) co_return came.error();
  co_return co_await tested(c, {.of = {{found->id, found->version}}, .name = found->name, .type = found->type},
                            *came);
}

task<result<reply>> test_unsaved_notification_provider(call& c) {
  auto const wanted = read_provider(c.body.as_object(), c.use.monitor_rules.reachable);
  if (!wanted) co_return wanted.error();
  // There is no stored secret that a mask could stand for.
  auto const whole = store::take_secrets(wanted->type, boost::json::parse(wanted->config).as_object(), {});
  if (!whole) co_return whole.error();
  auto config = notify::read_config(notify::provider_type_named(wanted->type).value(), wanted->config);
  if (!config) co_return config.error();
  auto const place = c.use.outside.enter(c.who.organization_id);
  if (!place) co_return place.error();
  auto const came = co_await attempt_test(c, std::move(*config));
  if (!came) co_return came.error();
  co_return co_await tested(c, {.name = wanted->name, .type = wanted->type}, *came);
}

}  // namespace svc::api
