#include "svc/monitoring/notifications/notifier.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/loop_activity.hpp"
#include "svc/core/random.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/monitoring/notifications/schedule.hpp"
#include "svc/monitoring/notifications/translation.hpp"

#include <array>
#include <utility>

namespace svc::notifications {
namespace {

constexpr milliseconds look_interval{500};
constexpr std::chrono::seconds count_interval{10}, step_patience{5}, settle_pause{1};
constexpr std::chrono::hours retain_interval{1};
/// Concurrent attempts of an instance.
constexpr std::size_t most_under_way = 64;
constexpr std::int64_t deleted_at_once = 500;
/// Time between the longest end of an attempt and the end of its lease. Half of it is for `mail_admission::patience`.
constexpr std::chrono::seconds lease_margin{10};
/// Retention of messages after their end.
constexpr std::chrono::hours messages_age{24L * 90};

/// Values of the metric label `outcome` of an attempt: sent, waits, dead.
constexpr std::array<char const*, 3> outcome_names{"sent", "retry", "dead"};

attempt unrevealed() {
  return {.came = {.state = fate::retry, .cause = reason::invalid_config}};
}

}  // namespace

std::chrono::seconds group_of(std::string_view type, std::optional<std::chrono::seconds> chosen) {
  auto const known = provider_type_named(type);
  return known ? group_time(*known, chosen) : std::chrono::seconds(0);
}

struct notifier::counted {
  explicit counted(metrics& m)
      : delay(m.make_histogram("svc_message_delay_seconds", "Time from an alert until its message was accepted", {},
                               {0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 36000})),
        waiting(
            m.make_gauge("svc_messages_waiting", "Messages in progress and alerts without one, of all instances")),
        dead(m.make_counter("svc_messages_dead_total", "Messages that failed for good")),
        all(m) {
    // These series exist before the first message, so that a monitor sees the increase from the first message on.
    for (std::size_t i = 0; i < provider_type_count; ++i)
      for (auto const* outcome : outcome_names) message(std::string(name_of(static_cast<provider_type>(i))), outcome);
  }

  counter message(std::string const& type, std::string const& outcome) {
    return all.make_counter("svc_messages_total", "Attempts to send messages, by the provider's type and outcome",
                            {{"type", type}, {"outcome", outcome}});
  }
  void alert(std::string const& type, std::string const& fate) {
    all.make_counter("svc_alerts_total", "Alerts whose message was accepted or failed for good",
                     {{"type", type}, {"fate", fate}})
        .add();
  }

  histogram delay;
  gauge waiting;
  counter dead;
  metrics& all;  ///< registers types and outcomes when they are first seen; both sets are bounded
};

notifier::notifier(parts parts)
    : parts_(std::move(parts)),
      queue_(parts_.db, group_of),
      mails_(parts_.db),
      pace_(parts_.mails_per_second),
      counted_(std::make_unique<counted>(parts_.counters)) {
  queue_.when_deleted(parts_.settled);
}

notifier::~notifier() = default;

account_terms notifier::terms() {
  return {.name = "messages_in_flight",
          .total = most_under_way,
          .project_share = static_cast<std::size_t>(store::delivery_load::most_of_project)};
}

void notifier::start() {
  parts_.loops.start("delivery", look_interval, this, &notifier::look);
  parts_.loops.start("delivery_count", count_interval, this, &notifier::count);
  retention_loop_ = parts_.loops.start("delivery_retention", retain_interval, this, &notifier::retain);
}

/// Runs one look at a time. A look that is requested during one follows it.
task<> notifier::look() {
  if (looking_) {
    again_ = true;
    co_return;
  }
  looking_ = true;
  try {
    do {
      again_ = false;
      co_await claim_due();
    } while (again_);
  } catch (...) {
    looking_ = false;
    throw;
  }
  looking_ = false;
}

/// Claims due messages. A failed claim halves the number of providers in the next claim. A claim that fails with a
/// single provider puts that provider off, so that it does not delay the other providers.
task<store::delivery_store::claims> notifier::claim(std::int64_t room) {
  if (put_off_) co_await queue_.put_off(deadline::after(step_patience));
  put_off_ = false;
  try {
    auto out = co_await queue_.claim(room, deadline::after(step_patience), load_);
    at_once_ = std::min(most_at_once, 2 * at_once_);
    co_return out;
  } catch (unavailable const&) {
    put_off_ = room == 1;
    at_once_ = std::max<std::int64_t>(1, room / 2);
    throw;
  }
}

task<> notifier::claim_due() {
  co_await queue_.wake(deadline::after(step_patience));
  for (bool more = true; more && parts_.loops.goes_on() && under_way_ < most_under_way;) {
    auto const room = std::min<std::int64_t>(at_once_, static_cast<std::int64_t>(most_under_way - under_way_));
    load_.mail_room = pace_.room(steady::now());
    auto claimed = co_await claim(room);
    for (auto& each : claimed.messages) {
      ++under_way_;
      load_.add(each.project, each.provider_type);
      if (parts_.book != nullptr) parts_.book->charge({.project = each.project}, 1);
      if (each.provider_type == name_of(provider_type::email)) pace_.spend(1);
      spawn_task(parts_.io, deliver(std::move(each)));
    }
    // The remaining mails belong to projects that have had their turn.
    more = claimed.looked_at == room || (!load_.mails_full() && load_.begin_round());
  }
}

/// Charges the pace for all recipients but the first, which the claim has charged.
void notifier::charge(provider_config const& config, store::claimed_message const& message) {
  auto const* const mail = std::get_if<email_config>(&config);
  auto const settled = message.taken.size() + message.refused.size();
  if (mail != nullptr && mail->texts.size() > settled + 1) pace_.spend(mail->texts.size() - settled - 1);
}

task<> notifier::deliver(store::claimed_message message) {
  work_for({.project = message.project});
  std::optional<store::settled_message> done;
  try {
    SVC_FAILPOINT("delivery.claimed");
    if (auto end = co_await attempt_once(message)) {
      SVC_FAILPOINT("delivery.attempted");
      done = co_await settle(message, *end);
      if (done) note(message, *end, *done);
      if (done && done->counted && parts_.settled) parts_.settled(done->changes);
    }
  } catch (std::exception const& e) {
    log::error("a message could not be handled; it will be sent again when its lease expires",
               {{"messageId", message.id.to_string()}, {"why", e.what()}});
  }
  --under_way_;
  load_.remove(message.project, message.provider_type);
  if (parts_.book != nullptr) parts_.book->release({.project = message.project}, 1);
  if (done && parts_.loops.goes_on()) co_await look_after(done->next_look);
}

/// Looks again after the pause. A pause longer than the loop's own interval needs no extra wait.
task<> notifier::look_after(milliseconds pause) {
  if (pause > look_interval) co_return;
  steady_timer wait(parts_.io, pause);
  ++next_looks_;
  co_await wait.async_wait(awaiting);
  --next_looks_;
  try {
    co_await look();
  } catch (unavailable const&) {
    // The loop looks again, and logs it if it cannot.
  }
}

/// Returns nothing if the database is away or a secret does not open: a later attempt may succeed then.
task<std::optional<result<store::revealed_config>>> notifier::reveal(store::claimed_message const& message) {
  try {
    co_return co_await parts_.providers.reveal(message.project, message.provider, deadline::after(step_patience));
  } catch (unavailable const& e) {
    log::warn("the configuration of a provider cannot be read now",
              {{"provider", message.provider.to_string()}, {"why", e.what()}});
  }
  co_return std::nullopt;
}

task<std::optional<store::attempt_end>> notifier::attempt_once(store::claimed_message const& message) {
  auto const type = provider_type_named(message.provider_type);
  // Messages without alerts are not made; one in the database, after a repair by hand, must not end the process.
  if (!type || message.alerts.empty()) co_return end_of_unsendable();
  auto notified = message_of(message);
  // Only a newer version can read one of these alerts. The message is left to an instance of that version, after the
  // lease. The end of an attempt settles all alerts of the message, so none of them is sent without the others.
  if (notified.alerts.size() < message.alerts.size()) co_return std::nullopt;
  auto revealed = co_await reveal(message);
  if (!revealed) co_return end_of(message, unrevealed(), milliseconds(0), milliseconds(0), random_fraction());
  if (!*revealed) co_return end_of_unsendable();
  auto& stored = revealed->value();
  work_for({.project = message.project});
  auto config = read_config(*type, stored.config.reveal(), std::move(stored.former_signing_secret));
  if (!config) co_return end_of_unsendable();
  auto const longest = attempt_limit(*type) + lease_margin;
  // A process that stood still must not send a message that another instance may have claimed by now.
  if (parts_.clock() + longest > message.claimed_at + store::delivery_lease) co_return std::nullopt;
  charge(*config, message);
  std::optional<unsigned> rate;
  if (message.rate_per_minute) rate = static_cast<unsigned>(*message.rate_per_minute);
  auto const pace = pace_of(*config, rate);
  auto const came = co_await parts_.send(std::move(*config), std::move(notified),
                                         static_cast<unsigned>(message.attempt), settled_of(message));
  auto const spent = std::chrono::duration_cast<milliseconds>(steady::now() - message.claimed_at);
  co_return end_of(message, came, pace, spent, random_fraction());
}

/// Stores the outcome of an attempt, and retries while the database is away. A sent message must not be sent again
/// only because of a short outage.
task<std::optional<store::settled_message>> notifier::settle(store::claimed_message const& message,
                                                             store::attempt_end end) {
  for (;;) {
    try {
      co_return co_await queue_.settle(message, end, deadline::after(step_patience));
    } catch (unavailable const& e) {
      if (steady::now() > message.claimed_at + store::delivery_lease) {
        log::warn("could not store the outcome of a notification; it will be sent again",
                  {{"messageId", message.id.to_string()}, {"why", e.what()}});
        co_return std::nullopt;
      }
    }
    steady_timer wait(parts_.io, settle_pause);
    co_await wait.async_wait(awaiting);
  }
}

void notifier::note(store::claimed_message const& message, store::attempt_end const& end,
                    store::settled_message const& done) {
  using fate = store::attempt_end::fate;
  counted_
      ->message(message.provider_type, done.counted ? outcome_names.at(static_cast<std::size_t>(end.state)) : "late")
      .add();
  if (!done.counted) return;
  for (auto const& each : done.alerts) {
    counted_->alert(each.type, end.state == fate::sent ? "sent" : "failed");
    if (end.state == fate::sent) counted_->delay.observe(each.seconds);
  }
  if (end.state == fate::dead) counted_->dead.add();
  if (end.state == fate::sent) return;
  log::warn(end.state == fate::dead ? "a message failed for good" : "a message was not accepted",
            {{"messageId", message.id.to_string()},
             {"provider", message.provider.to_string()},
             {"type", message.provider_type},
             {"reason", end.reason},
             {"attempt", message.attempt}});
}

task<> notifier::count() {
  counted_->waiting.set(static_cast<double>(co_await queue_.count_waiting(deadline::after(step_patience))));
}

task<> notifier::retain() {
  auto const batch = [this] { return between_batches(*retention_loop_); };
  for (std::int64_t gone = deleted_at_once; gone == deleted_at_once && parts_.loops.goes_on();) {
    gone = co_await queue_.delete_alerts(parts_.alerts_age, deleted_at_once, deadline::after(step_patience));
    if (gone == deleted_at_once) co_await batch();
  }
  for (std::int64_t gone = deleted_at_once; gone == deleted_at_once && parts_.loops.goes_on();) {
    gone = co_await queue_.delete_messages(messages_age, deleted_at_once, deadline::after(step_patience));
    if (gone == deleted_at_once) co_await batch();
  }
  for (std::int64_t gone = deleted_at_once; gone == deleted_at_once && parts_.loops.goes_on();) {
    gone = co_await mails_.delete_old(deleted_at_once, deadline::after(step_patience));
    if (gone == deleted_at_once) co_await batch();
  }
}

task<> notifier::emptied(deadline until) {
  steady_timer pause(parts_.io);
  while ((looking_ || next_looks_ > 0 || under_way_ > 0) && !until.passed()) {
    pause.expires_after(milliseconds(5));
    co_await pause.async_wait(awaiting);
  }
}

}  // namespace svc::notifications
