#include "svc/monitoring/notifications/delivery_worker.hpp"

#include "monitoring/notifications/page_mailer.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/egress/http/http_client.hpp"
#include "svc/egress/mail/mail_client.hpp"
#include "svc/monitoring/notifications/mail_admission.hpp"
#include "svc/monitoring/notifications/notifier.hpp"
#include "svc/monitoring/notifications/provider_tests.hpp"
#include "svc/monitoring/notifications/sender.hpp"
#include "svc/monitoring/notifications/system_mailer.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace svc::notifications {
namespace {

constexpr std::size_t alert_mails_at_once = 8;

std::unique_ptr<egress::mail_client> make_mail_client(asio::io_context& io, std::optional<mail_parts> const& mail,
                                                      std::size_t threads,
                                                      std::optional<egress::mail_queue> queue = {}) {
  if (!mail) return nullptr;
  return std::make_unique<egress::mail_client>(io, std::make_shared<egress::mail_settings const>(mail->server),
                                               mail->trust, threads, queue);
}

}  // namespace

/// Each member uses those above it.
struct delivery_worker::inside {
  inside(delivery_worker::parts const& parts, postgres::database_thread& thread, bool const& stopping)
      : shares(thread.io(), parts.accounts.cpu, "composing"),
        master(parts.master),
        providers(thread.db(), master),
        names(thread.io(), parts.names),
        http(thread.io(), names, parts.policy, parts.trust, {.shares = &shares}),
        plain(thread.io(), names, parts.http_policy, parts.trust, {.shares = &shares}),
        turns(thread.io(), parts.mails_per_second),
        mail(make_mail_client(thread.io(), parts.mail, alert_mails_at_once,
                              egress::mail_queue{turns, egress::mail_lane::alert})),
        system_mail(make_mail_client(thread.io(), parts.mail, system_mailer::most_under_way,
                                     egress::mail_queue{turns, egress::mail_lane::service})),
        page_mail(make_mail_client(thread.io(), parts.mail, page_mailer::most_mails)),
        sender({http, plain, mail.get()}, std::make_shared<notifications::text_settings const>(parts.texts)),
        mails(thread.db()),
        admission({.mails = mails,
                   .send = make_sender(),
                   .counters = parts.counters,
                   .most = parts.most_mails,
                   .allowed = parts.recipients}),
        notifier({.io = thread.io(),
                  .db = thread.db(),
                  .providers = providers,
                  .send = admitted(),
                  .counters = parts.counters,
                  .loops = {parts.loops, thread.io(), "delivery",
                            [&accepting = parts.accepting, &stopping] { return accepting && !stopping; }},
                  .alerts_age = parts.alerts_age,
                  .book = &parts.accounts.messages_in_flight,
                  .mails_per_second = parts.mails_per_second,
                  .settled = parts.settled}),
        tests(
            thread.io(), admitted(), [&stopping] { return !stopping; }, &parts.accounts.provider_tests),
        system_mailer({.io = thread.io(),
                       .db = thread.db(),
                       .send = sender_of(system_mail.get()),
                       .sender = parts.texts.mail_from,
                       .public_url = parts.public_url,
                       .recoveries = recoveries,
                       .counters = parts.counters,
                       .loops = {parts.loops, thread.io(), "delivery",
                                 [&accepting = parts.accepting, &stopping] { return accepting && !stopping; }}}),
        page_mailer({.io = thread.io(),
                     .db = thread.db(),
                     .master = master,
                     .send = sender_of(page_mail.get()),
                     .turns = &turns,
                     .sender = parts.texts.mail_from,
                     .public_url = parts.public_url,
                     .requests = subscriptions,
                     .most = parts.subscriptions,
                     .allowed = parts.recipients,
                     .counters = parts.counters,
                     .loops = {parts.loops, thread.io(), "delivery",
                               [&accepting = parts.accepting, &stopping] { return accepting && !stopping; }},
                     .settled = parts.settled}) {}

  notifications::message_sender make_sender() {
    return [this](auto target, auto message, unsigned number, auto settled) {
      return sender.send(std::move(target), std::move(message), number, std::move(settled));
    };
  }

  /// Without a mail server no mail is sent, and none is counted.
  notifications::message_sender admitted() {
    if (!mail) return make_sender();
    return [this](auto target, auto message, unsigned number, auto settled) {
      return admission.send(std::move(target), std::move(message), number, std::move(settled));
    };
  }

  /// Returns an empty function without a mail server.
  static std::function<task<egress::mail_answer>(egress::mail, deadline)> sender_of(egress::mail_client* client) {
    if (client == nullptr) return {};
    return [client](egress::mail mail, deadline until) { return client->send(std::move(mail), until); };
  }

  work_scheduler shares;
  master_keys master;  ///< its own copy, as every worker
  store::provider_store providers;
  egress::resolver names;
  egress::http_client http, plain;
  egress::mail_turns turns;
  std::unique_ptr<egress::mail_client> mail, system_mail, page_mail;
  notifications::sender sender;
  store::mail_store mails;
  notifications::mail_admission admission;
  notifications::notifier notifier;
  notifications::provider_tests tests;
  recovery_queue recoveries{};
  notifications::system_mailer system_mailer;
  store::subscription_queue subscriptions{};
  notifications::page_mailer page_mailer;
};

notification_accounts::notification_accounts(account_book& book)
    : cpu(book.open(work_scheduler::terms("notification_cpu", 1))),
      messages_in_flight(book.open(notifier::terms())),
      provider_tests(book.open(notifications::provider_tests::terms())) {}

delivery_worker::delivery_worker(parts const& instance)
    : thread_("delivery", instance.database), inside_(std::make_unique<inside>(instance, thread_, stopping_)) {
  inside_->shares.observe(thread_.activity());
}

delivery_worker::~delivery_worker() = default;

void delivery_worker::start() {
  inside_->notifier.start();
  inside_->system_mailer.start();
  inside_->page_mailer.start();
  thread_.start();
}

provider_tests& delivery_worker::tests() {
  return inside_->tests;
}

recovery_queue& delivery_worker::recoveries() {
  return inside_->recoveries;
}

store::subscription_queue& delivery_worker::subscriptions() {
  return inside_->subscriptions;
}

egress::resolver& delivery_worker::names() {
  return inside_->names;
}

watched_attempts delivery_worker::watched_mail() const {
  if (!inside_->mail) return {};
  return {.name = "mail", .resource = "mails", .overdue = [parts = inside_.get()](auto now) {
            overdue_attempt out;
            for (auto const* client : {parts->mail.get(), parts->system_mail.get(), parts->page_mail.get()})
              if (auto const each = client->overdue(now); each.lasted > out.lasted) out = each;
            return out;
          }};
}

void delivery_worker::drain(deadline until) {
  asio::post(thread_.io(), [this, until] { spawn_task(thread_.io(), finish(until)); });
}

task<> delivery_worker::finish(deadline until) {
  stopping_ = true;
  co_await inside_->notifier.emptied(until);
  co_await inside_->tests.emptied(until);
  co_await inside_->system_mailer.emptied(until);
  co_await inside_->page_mailer.emptied(until);
  if (auto const left =
          inside_->notifier.under_way() + inside_->system_mailer.under_way() + inside_->page_mailer.under_way();
      left > 0)
    log::warn("messages in progress are aborted; other instances send them again", {{"messages", left}});
  thread_.end();
}

}  // namespace svc::notifications
