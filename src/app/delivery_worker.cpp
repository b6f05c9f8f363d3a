#include "app/delivery_worker.hpp"

#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/http/http_client.hpp"
#include "svc/egress/mail/mail_client.hpp"
#include "svc/monitoring/notifications/deliverer.hpp"
#include "svc/monitoring/notifications/mail_admission.hpp"
#include "svc/monitoring/notifications/provider_tests.hpp"
#include "svc/monitoring/notifications/sender.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace svc::app {
namespace {

std::unique_ptr<outgoing::mail_client> make_mail_client(asio::io_context& io, configuration const& with) {
  auto how = with.to_mail_settings();
  if (!how) return nullptr;
  return std::make_unique<outgoing::mail_client>(io, std::make_shared<outgoing::mail_settings const>(std::move(*how)),
                                                 with.to_mail_trust());
}

}  // namespace

/// Each member uses those above it.
struct delivery_worker::inside {
  inside(shared_parts& shared, database_thread& on, bool const& stopping, probes::engine_settings const& how)
      : shares(on.io(), shared.notification_cpu, "composing"),
        master(shared.master),
        providers(on.db(), master),
        names(on.io(), how.names),
        http(on.io(), names, how.judge, how.trust, {.shares = &shares}),
        plain(on.io(), names, shared.with.to_plain_guard(), how.trust, {.shares = &shares}),
        mail(make_mail_client(on.io(), shared.with)),
        sender({http, plain, mail.get()},
               std::make_shared<notify::text_settings const>(notify::text_settings{
                   .link = shared.with.notifications.link, .mail_from = shared.with.smtp.from})),
        mails(on.db()),
        admission({.mails = mails,
                   .send = performer(),
                   .counters = shared.counters,
                   .most = {.per_day = shared.with.notifications.mails_per_day,
                            .per_address = shared.with.notifications.mails_per_address},
                   .allowed = notify::recipient_policy(shared.with.notifications.mail_recipients)}),
        deliverer({.io = on.io(),
                   .db = on.db(),
                   .providers = providers,
                   .perform = admitted(),
                   .counters = shared.counters,
                   .loops = {shared.loops, on.io(), "delivery",
                             [&shared, &stopping] { return shared.accepting && !stopping; }},
                   .alerts_age = std::chrono::ceil<std::chrono::hours>(shared.with.retention.alerts),
                   .book = &shared.messages_in_flight,
                   .mails_per_second = shared.with.notifications.mails_per_second}),
        tests(on.io(), admitted(), [&stopping] { return !stopping; }, &shared.provider_tests) {}

  delivery::performer performer() {
    return [this](auto to, auto what, unsigned number, auto settled) {
      return sender.send(std::move(to), std::move(what), number, std::move(settled));
    };
  }

  /// Without a mail server no mail is sent, and none is counted.
  delivery::performer admitted() {
    if (!mail) return performer();
    return [this](auto to, auto what, unsigned number, auto settled) {
      return admission.perform(std::move(to), std::move(what), number, std::move(settled));
    };
  }

  work_scheduler shares;
  master_keys master;  ///< its own copy, as every worker
  store::provider_store providers;
  outgoing::resolver names;
  outgoing::http_client http, plain;
  std::unique_ptr<outgoing::mail_client> mail;
  notify::sender sender;
  store::mail_store mails;
  delivery::mail_admission admission;
  delivery::deliverer deliverer;
  delivery::provider_tests tests;
};

delivery_worker::delivery_worker(shared_parts& shared, probes::engine_settings const& how)
    : thread_(shared.with, "delivery", pool_of_delivery),
      in_(std::make_unique<inside>(shared, thread_, stopping_, how)) {
  in_->shares.observe(thread_.activity());
}

delivery_worker::~delivery_worker() = default;

void delivery_worker::start() {
  in_->deliverer.start();
  thread_.start();
}

api::message_tester delivery_worker::tester() {
  auto& by = in_->tests;
  return {.enter = [&by](uuid project, notify::provider_type of) { return by.enter(project, of); },
          .run = [&by](auto held, auto to, auto what,
                       deadline until) { return by.run(std::move(held), std::move(to), std::move(what), until); }};
}

watched_attempts delivery_worker::watched_mail() const {
  if (!in_->mail) return {};
  return {.name = "mail", .resource = "mails", .overdue = [mail = in_->mail.get()](auto now) {
            return mail->overdue(now);
          }};
}

void delivery_worker::drain(deadline until) {
  asio::post(thread_.io(), [this, until] { spawn_task(thread_.io(), finish(until)); });
}

task<> delivery_worker::finish(deadline until) {
  stopping_ = true;
  co_await in_->deliverer.emptied(until);
  co_await in_->tests.emptied(until);
  if (in_->deliverer.under_way() > 0)
    log::warn("messages are cut off; they are sent again by others", {{"messages", in_->deliverer.under_way()}});
  thread_.end();
}

}  // namespace svc::app
