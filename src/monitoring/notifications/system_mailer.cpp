#include "svc/monitoring/notifications/system_mailer.hpp"

#include "monitoring/notifications/mime.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/random.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/monitoring/notifications/schedule.hpp"

#include <array>
#include <map>
#include <utility>

namespace svc::notifications {
namespace {

constexpr milliseconds mail_look_interval{500};
constexpr std::chrono::seconds mail_step_patience{5}, mail_settle_pause{1};
/// Time between the longest end of an attempt and the end of its lease.
constexpr std::chrono::seconds mail_lease_margin{10};

/// Values of the metric label `outcome`. `over`: the link was used or revoked before the mail was sent. `late`: the
/// lease had ended before the outcome was stored. `limited`: the address takes no further mail now.
constexpr std::array<std::string_view, 6> mail_outcomes{"sent", "retry", "failed", "over", "late", "limited"};
constexpr std::array<std::string_view, 2> mail_kinds{"invitation", "recovery"};

store::system_mail_end end_of_attempt(outcome const& came, unsigned attempt) {
  using fate_of_mail = store::system_mail_end::fate;
  if (came.state == fate::taken) return {.state = fate_of_mail::sent};
  auto const pause = came.state == fate::dead ? std::nullopt : pause_after(attempt, came, random_fraction());
  if (!pause) return {.state = fate_of_mail::failed, .reason = name_of(came.cause)};
  return {.state = fate_of_mail::retry, .reason = name_of(came.cause), .pause = *pause};
}

}  // namespace

bool recovery_queue::push(recovery_request request) {
  std::lock_guard const lock(mutex_);
  if (waiting_.size() >= most) return false;
  waiting_.push_back(std::move(request));
  return true;
}

std::optional<recovery_request> recovery_queue::pop() {
  std::lock_guard const lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  auto out = std::move(waiting_.front());
  waiting_.pop_front();
  return out;
}

void recovery_queue::put_back(recovery_request request) {
  std::lock_guard const lock(mutex_);
  waiting_.push_front(std::move(request));
}

std::size_t recovery_queue::size() const {
  std::lock_guard const lock(mutex_);
  return waiting_.size();
}

struct system_mailer::counted {
  explicit counted(metrics& counters) {
    for (auto const kind : mail_kinds)
      for (auto const outcome : mail_outcomes)
        attempts[{std::string(kind), std::string(outcome)}] = counters.make_counter(
            "svc_system_mails_total", "Attempts to send mails of the service itself, by outcome",
            {{"kind", std::string(kind)}, {"outcome", std::string(outcome)}});
  }

  void add(std::string const& kind, std::string_view outcome) {
    auto const found = attempts.find(std::pair(kind, std::string(outcome)));
    if (found != attempts.end()) found->second.add();
  }

  std::map<std::pair<std::string, std::string>, counter> attempts{};
};

system_mailer::system_mailer(parts parts)
    : parts_(std::move(parts)), mails_(parts_.db), counted_(std::make_unique<counted>(parts_.counters)) {}

system_mailer::~system_mailer() = default;

void system_mailer::start() {
  parts_.loops.start("system_mail", mail_look_interval, this, &system_mailer::look);
}

task<> system_mailer::look() {
  co_await take_recoveries();
  co_await claim_due();
}

/// A request whose commit has an unknown outcome is taken again, so its account may get two links.
task<> system_mailer::take_recoveries() {
  while (auto request = parts_.recoveries.pop()) {
    try {
      if (!co_await mails_.request_recovery(request->email, request->origin, deadline::after(mail_step_patience)))
        counted_->add("recovery", "limited");
    } catch (unavailable const&) {
      parts_.recoveries.put_back(std::move(*request));
      throw;
    }
  }
}

task<> system_mailer::claim_due() {
  for (bool more = true; more && parts_.loops.goes_on() && under_way_ < most_under_way;) {
    auto const until = deadline::after(mail_step_patience);
    // Without a mail server the mails are left to instances that have one, such as those with a newer configuration.
    auto claimed = parts_.send ? co_await mails_.claim(static_cast<std::int64_t>(most_under_way - under_way_),
                                                       most_attempts, until)
                               : co_await mails_.end_over(until);
    for (auto const& kind : claimed.postponed) counted_->add(kind, "limited");
    for (auto const& each : claimed.ended) {
      bool const failed = !each.superfluous() && !each.limited();
      if (failed || each.superfluous()) counted_->add(each.kind, failed ? "failed" : "over");
      if (failed)
        log::warn("a system mail failed for good",
                  {{"mailId", each.id.to_string()}, {"kind", each.kind}, {"reason", each.reason}});
    }
    for (auto& each : claimed.mails) {
      ++under_way_;
      spawn_task(parts_.io, deliver(std::move(each)));
    }
    more = claimed.more;
  }
}

task<> system_mailer::deliver(store::claimed_system_mail mail) {
  try {
    SVC_FAILPOINT("system_mail.claimed");
    if (auto const came = co_await attempt_once(mail)) {
      SVC_FAILPOINT("system_mail.attempted");
      co_await settle(mail, *came);
    }
  } catch (std::exception const& e) {
    log::error("a system mail could not be handled; it will be sent again when its lease expires",
               {{"mailId", mail.id.to_string()}, {"why", e.what()}});
  }
  --under_way_;
}

/// Returns nothing if the lease is too short for an attempt: another instance may have claimed the mail by then.
task<std::optional<outcome>> system_mailer::attempt_once(store::claimed_system_mail const& mail) {
  if (!is_mail_address(mail.recipient)) co_return outcome{.state = fate::dead, .cause = reason::rejected};
  auto const limit = attempt_limit(provider_type::email);
  if (parts_.clock() + limit + mail_lease_margin > mail.claimed_at + store::system_mail_lease) co_return std::nullopt;
  system_mail_settings const settings{.sender = parts_.sender, .public_url = parts_.public_url};
  egress::mail content{.recipient = mail.recipient, .content = make_system_mail(mail, settings, system_now())};
  co_return read_reply(co_await parts_.send(std::move(content), deadline::after(limit)));
}

/// Stores the outcome, and retries while the database is away: a sent mail must not be sent again only because of a
/// short outage.
task<> system_mailer::settle(store::claimed_system_mail const& mail, outcome came) {
  auto const end = end_of_attempt(came, mail.attempt);
  for (;;) {
    try {
      bool const counts = co_await mails_.settle(mail.id, mail.claim, end, deadline::after(mail_step_patience));
      counted_->add(mail.kind, counts ? mail_outcomes.at(static_cast<std::size_t>(end.state)) : "late");
      break;
    } catch (unavailable const&) {
      if (steady::now() > mail.claimed_at + store::system_mail_lease) throw;
    }
    steady_timer wait(parts_.io, mail_settle_pause);
    co_await wait.async_wait(awaiting);
  }
  if (end.state == store::system_mail_end::fate::sent) co_return;
  bool const over = end.state == store::system_mail_end::fate::failed;
  log::warn(over ? "a system mail failed for good" : "a system mail was not accepted",
            {{"mailId", mail.id.to_string()},
             {"kind", mail.kind},
             {"reason", end.reason},
             {"attempt", static_cast<std::int64_t>(mail.attempt)}});
}

task<> system_mailer::emptied(deadline until) {
  try {
    co_await take_recoveries();
  } catch (unavailable const& e) {
    log::warn("requests for recovery mails are lost", {{"requests", parts_.recoveries.size()}, {"why", e.what()}});
  }
  steady_timer pause(parts_.io);
  while (under_way_ > 0 && !until.passed()) {
    pause.expires_after(milliseconds(5));
    co_await pause.async_wait(awaiting);
  }
}

}  // namespace svc::notifications
