#include "app/monitoring_threads.hpp"

#include "app/process/dashboard_directory.hpp"
#include "app/process/descriptors.hpp"

#include <chrono>
#include <optional>
#include <utility>

namespace svc::app {
namespace {

/// Settings of a pool with `connections` for one thread.
postgres::settings pool_of(configuration const& config, int connections) {
  auto made = config.to_postgres_settings();
  made.size = connections;
  return made;
}

scheduler::check_worker_parts parts_of_checks(shared_parts& shared, checks::engine_settings const& egress,
                                              std::size_t descriptors) {
  return {.database = pool_of(shared.config, pool_of_checks),
          .master = shared.master,
          .counters = shared.counters,
          .loops = shared.loops,
          .accepting = shared.accepting,
          .state = shared.checks,
          .accounts = shared.check_accounts,
          .engine = egress,
          .in_flight = checks_within(shared.config, descriptors),
          .per_target_per_minute = static_cast<std::size_t>(shared.config.checks.per_target_per_minute),
          .decided = [&shared](std::vector<changed_thing> changes) { shared.publish(std::move(changes)); }};
}

scheduler::check_maintenance::parts maintenance_parts(shared_parts& shared) {
  auto const& keep = shared.config.retention;
  return {.database = pool_of(shared.config, pool_of_packing),
          .counters = shared.counters,
          .loops = shared.loops,
          .accepting = shared.accepting,
          .state = shared.checks,
          .keep = {.interval = keep.interval,
                   .results = keep.results,
                   .days = keep.days,
                   .failures = keep.failures,
                   .outages = keep.outages,
                   .deleted_monitors = keep.deleted_monitors},
          .deleted = [&shared](std::vector<changed_thing> changes) { shared.publish(std::move(changes)); }};
}

std::optional<notifications::mail_parts> parts_of_mail(configuration const& config) {
  auto server = config.to_mail_settings();
  if (!server) return std::nullopt;
  return notifications::mail_parts{.server = std::move(*server), .trust = config.to_mail_trust()};
}

notifications::delivery_worker::parts parts_of_delivery(shared_parts& shared, checks::engine_settings const& egress) {
  auto const& settings = shared.config.notifications;
  return {.database = pool_of(shared.config, pool_of_delivery),
          .master = shared.master,
          .counters = shared.counters,
          .loops = shared.loops,
          .accepting = shared.accepting,
          .accounts = shared.notification_accounts,
          .names = egress.names,
          .policy = egress.policy,
          .http_policy = shared.config.to_http_address_policy(),
          .trust = egress.trust,
          .mail = parts_of_mail(shared.config),
          .texts = {.link = link_of_messages(shared.config), .mail_from = shared.config.smtp.sender},
          .most_mails = {.per_day = settings.mails_per_day, .per_address = settings.mails_per_address},
          .recipients = notifications::recipient_policy(settings.mail_recipients),
          .alerts_age = std::chrono::ceil<std::chrono::hours>(shared.config.retention.alerts),
          .mails_per_second = shared.config.smtp.per_second,
          .subscriptions = {.subscribers = shared.config.pages.subscribers,
                            .confirmations_per_hour = shared.config.pages.confirmations_per_hour},
          .public_url = shared.public_url,
          .settled = [&shared](std::vector<changed_thing> changes) { shared.publish(std::move(changes)); }};
}

}  // namespace

monitoring_threads::monitoring_threads(shared_parts& shared, std::size_t descriptors)
    : egress_(shared.config.to_engine_settings()),
      check_workers_(parts_of_checks(shared, egress_, descriptors), shared.config.checks.workers),
      check_maintenance_(maintenance_parts(shared)),
      delivery_(parts_of_delivery(shared, egress_)),
      identity_providers_(sign_in::oidc_client::parts{.io = delivery_.io(),
                                                      .names = delivery_.names(),
                                                      .trust = egress_.trust,
                                                      .settings = shared.config.to_oidc_settings(),
                                                      .counters = shared.counters}) {}

void monitoring_threads::start() {
  check_workers_.start();
  check_maintenance_.start();
  delivery_.start();
}

void monitoring_threads::follow(postgres::primary_server const& where) {
  check_workers_.follow(where);
  check_maintenance_.follow(where);
  delivery_.follow(where);
}

void monitoring_threads::drain_checks() {
  check_workers_.drain();
  check_maintenance_.drain();
}

void monitoring_threads::drain_notifications(deadline until) {
  delivery_.drain(until);
}

bool monitoring_threads::finished() const {
  return delivery_.finished() && check_workers_.finished() && check_maintenance_.finished();
}

void monitoring_threads::join() {
  check_workers_.join();
  check_maintenance_.join();
  delivery_.join();
}

std::vector<watched_thread> monitoring_threads::watched() {
  auto all = check_workers_.watched();
  all.push_back(check_maintenance_.watched());
  for (auto& thread : delivery_.watched()) all.push_back(std::move(thread));
  return all;
}

}  // namespace svc::app
