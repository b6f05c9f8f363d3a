#include "monitoring/notifications/page_mailer.hpp"

#include "monitoring/notifications/mime.hpp"
#include "monitoring/notifications/page_mail_counts.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"
#include "svc/core/random.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/monitoring/notifications/schedule.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace svc::notifications {
namespace {

constexpr milliseconds page_look_interval{500};
constexpr std::chrono::seconds page_count_interval{10}, page_step_patience{5}, page_settle_pause{1};
constexpr std::chrono::minutes page_retain_interval{10};
/// Time between the longest end of an attempt and the end of its lease.
constexpr std::chrono::seconds page_lease_margin{10};
/// Time after which a request that cannot be stored is given up: the visitor has asked again by then.
constexpr std::chrono::minutes page_request_life{10};
/// Pause of a mail that got no turn.
constexpr milliseconds no_turn_pause{1'000};
constexpr std::int64_t page_rows_at_once = 500;
/// Projects of a round of turns.
constexpr std::size_t most_projects_of_round = 1'000;
/// The mail server is asked again at the latest after the pause of this attempt: about five minutes.
constexpr unsigned longest_away = 4;

milliseconds limit_of_attempt() {
  return attempt_limit(provider_type::email);
}

/// Returns the pause of mails while the operator's mail server takes none.
milliseconds pause_while_away(unsigned failures, outcome const& came) {
  return pause_after(std::min(failures + 1, longest_away), came, random_fraction()).value_or(no_turn_pause);
}

/// Returns the pause before the next attempt, or `std::nullopt` after the last one.
std::optional<milliseconds> pause_of_retry(unsigned earlier_attempts, outcome const& came) {
  if (earlier_attempts >= store::most_page_mail_retries) return std::nullopt;
  return pause_after(earlier_attempts + 1, came, random_fraction());
}

store::post_mail_end end_of_mail(outcome const& came, unsigned earlier_attempts) {
  using fate_of_mail = store::post_mail_end::fate;
  if (came.state == fate::taken) return {.state = fate_of_mail::sent};
  if (came.state == fate::dead) return {.state = fate_of_mail::refused};
  auto const pause = pause_of_retry(earlier_attempts, came);
  if (!pause) return {.state = fate_of_mail::failed};
  return {.state = fate_of_mail::retry, .pause = *pause};
}

/// The metric's outcome of a mail; empty: there was no attempt.
std::string_view outcome_of_mail(store::post_mail_end::fate state) {
  using enum store::post_mail_end::fate;
  if (state == sent) return "sent";
  if (state == retry) return "retry";
  return state == unsent ? std::string_view() : "failed";
}

}  // namespace

/// One batch while its mails are sent.
struct page_mailer::sending {
  explicit sending(store::claimed_post claimed) : batch(std::move(claimed)), allowed(batch.recipients.size(), true) {
    end.mails.resize(batch.recipients.size());
  }

  store::claimed_post batch;
  store::post_batch_end end{};
  std::vector<bool> allowed;
  std::size_t next = 0;  ///< the first mail that was not started
  bool stopped = false;  ///< no further mail is started
};

page_mailer::page_mailer(parts parts)
    : parts_(std::move(parts)),
      subscribers_(parts_.db),
      mails_(parts_.db, parts_.master),
      members_(parts_.db),
      counted_(std::make_unique<counted>(parts_.counters)) {}

page_mailer::~page_mailer() = default;

void page_mailer::start() {
  parts_.loops.start("page_mail", page_look_interval, this, &page_mailer::look);
  parts_.loops.start("page_mail_count", page_count_interval, this, &page_mailer::count);
  retention_loop_ = parts_.loops.start("page_mail_retention", page_retain_interval, this, &page_mailer::retain);
}

/// A request that cannot be stored, such as one of a project whose key no master key opens, delays no mail.
task<> page_mailer::look() {
  std::exception_ptr failure;
  try {
    co_await take_requests();
  } catch (unavailable const&) {
    failure = std::current_exception();
  }
  co_await take_due();
  if (failure) std::rethrow_exception(failure);
}

task<> page_mailer::take_due() {
  auto const due = co_await mails_.find_due(deadline::after(page_step_patience));
  if (due.posts) co_await announce();
  if (!parts_.send) co_return;
  if (due.confirmations) co_await claim_confirmations();
  if (due.posts) co_await claim_posts();
}

/// A request whose commit has an unknown outcome is taken again; its address still gets one confirmation.
task<> page_mailer::take_requests() {
  while (auto request = parts_.requests.pop()) {
    try {
      counted_->add(co_await subscribe(*request));
    } catch (unavailable const&) {
      if (parts_.clock() < request->asked_at + page_request_life)
        parts_.requests.put_back(std::move(*request));
      else
        log::warn("a request for mails of a status page is given up", {{"page", request->page.to_string()}});
      throw;
    }
  }
}

task<store::subscription_outcome> page_mailer::subscribe(store::subscription_request request) {
  using enum store::subscription_outcome;
  if (!is_mail_address(request.email)) co_return refused;
  auto const until = deadline::after(page_step_patience);
  if (!parts_.allowed.is_open()) {
    auto const project = co_await subscribers_.find_project(request.page, until);
    if (!project) co_return not_offered;
    auto const may = co_await allowed(*project, {request.email});
    if (!may.front()) co_return refused;
  }
  co_return co_await subscribers_.subscribe(std::move(request), parts_.master, parts_.most, until);
}

/// Returns for each address whether the operator allows mail to it.
task<std::vector<bool>> page_mailer::allowed(uuid project, std::vector<std::string> addresses) {
  std::vector<bool> out(addresses.size(), true);
  if (parts_.allowed.is_open()) co_return out;
  std::vector<std::string> members;
  if (parts_.allowed.allows_members())
    members = co_await members_.members_among(project, addresses, deadline::after(page_step_patience));
  for (std::size_t i = 0; i < addresses.size(); ++i) out[i] = parts_.allowed.allows(addresses[i], members);
  co_return out;
}

task<> page_mailer::announce() {
  auto changes = co_await mails_.announce(deadline::after(page_step_patience));
  if (!changes.empty() && parts_.settled) parts_.settled(std::move(changes));
}

task<> page_mailer::claim_confirmations() {
  for (bool more = true; more && parts_.loops.goes_on() && confirmations_ < most_confirmations_under_way;) {
    auto const room = static_cast<std::int64_t>(most_confirmations_under_way - confirmations_);
    auto claimed = co_await mails_.claim_confirmations(room, deadline::after(page_step_patience));
    counted_->add("confirmation", "over", static_cast<std::size_t>(claimed.over));
    for (auto& each : claimed.mails) {
      ++confirmations_;
      spawn_task(parts_.io, deliver(std::move(each)));
    }
    more = claimed.more;
  }
}

/// A project has its next batch after each other project that waits has had one.
task<> page_mailer::claim_posts() {
  while (parts_.loops.goes_on() && batches_ < most_batches) {
    auto claimed = co_await mails_.claim_post(served_projects(), deadline::after(page_step_patience));
    if (claimed.batch) {
      auto const project = claimed.batch->page.project;
      ++batches_;
      busy_.insert(project);
      if (had_turn_.size() >= most_projects_of_round) had_turn_.clear();
      had_turn_.insert(project);
      spawn_task(parts_.io, deliver_posts(std::move(*claimed.batch)));
    } else if (!claimed.more) {
      if (had_turn_.empty()) co_return;
      had_turn_.clear();
    }
  }
}

std::vector<uuid> page_mailer::served_projects() const {
  std::vector<uuid> out(busy_.begin(), busy_.end());
  for (auto const& id : had_turn_)
    if (!busy_.contains(id)) out.push_back(id);
  return out;
}

/// Returns false if the lease is too short for an attempt: another instance may have claimed the mail by its end.
bool page_mailer::has_time(steady::time_point claimed_at) const {
  return parts_.clock() + limit_of_attempt() + page_lease_margin <= claimed_at + store::page_mail_lease;
}

task<bool> page_mailer::take_turn(uuid project, steady::time_point claimed_at) {
  if (parts_.turns == nullptr) co_return true;
  deadline const until(claimed_at + store::page_mail_lease - page_lease_margin - limit_of_attempt());
  co_return co_await parts_.turns->take(egress::mail_lane::page, project, until);
}

task<> page_mailer::deliver(store::claimed_confirmation mail) {
  try {
    SVC_FAILPOINT("page_mail.claimed");
    co_await attempt_once(mail);
  } catch (std::exception const& e) {
    log::error("a confirmation could not be handled; it will be sent again when its lease expires",
               {{"mailId", mail.id.to_string()}, {"why", e.what()}});
  }
  --confirmations_;
}

task<> page_mailer::attempt_once(store::claimed_confirmation const& mail) {
  if (!has_time(mail.claimed_at)) co_return;
  if (!co_await take_turn(mail.page.project, mail.claimed_at))
    co_return co_await settle(mail, no_turn_pause, false, {});
  auto content = make_confirmation(mail, {parts_.sender, parts_.public_url}, system_now());
  auto const answer = co_await parts_.send({mail.recipient, std::move(content), mail.page.project},
                                           deadline::after(limit_of_attempt()));
  SVC_FAILPOINT("page_mail.attempted");
  auto const came = read_reply(answer);
  if (came.state == fate::taken) co_return co_await settle(mail, std::nullopt, true, "sent");
  if (came.state == fate::dead) co_return co_await settle(mail, std::nullopt, true, "failed");
  if (!answer.in_session) co_return co_await settle(mail, pause_while_away(0, came), false, "retry");
  auto const pause = pause_of_retry(mail.attempts, came);
  co_await settle(mail, pause, true, pause ? "retry" : "failed");
}

/// Stores the outcome, and retries while the database is away: a sent mail must not be sent again only because of a
/// short outage.
task<> page_mailer::settle(store::claimed_confirmation const& mail, std::optional<milliseconds> pause, bool counts,
                           std::string_view outcome) {
  for (;;) {
    try {
      bool const claimed = co_await mails_.settle_confirmation(mail.id, mail.claim, pause, counts,
                                                               deadline::after(page_step_patience));
      if (!outcome.empty()) counted_->add("confirmation", claimed ? outcome : "late");
      co_return;
    } catch (unavailable const&) {
      if (steady::now() > mail.claimed_at + store::page_mail_lease) throw;
    }
    steady_timer wait(parts_.io, page_settle_pause);
    co_await wait.async_wait(awaiting);
  }
}

task<> page_mailer::deliver_posts(store::claimed_post claimed) {
  auto const project = claimed.page.project;
  sending batch(std::move(claimed));
  try {
    SVC_FAILPOINT("page_mail.claimed");
    std::vector<std::string> addresses;
    for (auto const& each : batch.batch.recipients) addresses.push_back(each.address);
    batch.allowed = co_await allowed(project, std::move(addresses));
    std::vector<task<>> lanes;
    for (std::size_t i = 0; i < mails_of_batch; ++i) lanes.push_back(send_some(batch));
    co_await together(std::move(lanes));
    SVC_FAILPOINT("page_mail.attempted");
    co_await settle(batch);
  } catch (std::exception const& e) {
    log::error("mails about a post could not be handled; they will be sent again when their lease expires",
               {{"postId", batch.batch.post.to_string()}, {"why", e.what()}});
  }
  busy_.erase(project);
  --batches_;
}

/// Sends one mail after the other. Mails start in the order of their recipients, so those that are left are the last.
task<> page_mailer::send_some(sending& batch) {
  while (!batch.stopped && batch.next < batch.batch.recipients.size()) {
    if (!parts_.loops.goes_on() || !has_time(batch.batch.claimed_at)) batch.stopped = true;
    if (batch.stopped) co_return;
    auto const index = batch.next++;
    if (!co_await send_one(batch, index)) batch.stopped = true;
  }
}

/// Returns false if no further mail may start.
task<bool> page_mailer::send_one(sending& batch, std::size_t index) {
  auto const& recipient = batch.batch.recipients[index];
  auto const project = batch.batch.page.project;
  auto& end = batch.end.mails[index];
  auto content = make_post_mail(batch.batch, recipient, {parts_.sender, parts_.public_url}, system_now());
  if (!content || !batch.allowed[index] || !is_mail_address(recipient.address)) {
    end.state = store::post_mail_end::fate::failed;
    co_return true;
  }
  if (!co_await take_turn(project, batch.batch.claimed_at)) {
    batch.end.pause = std::max(batch.end.pause, no_turn_pause);
    co_return false;
  }
  auto const answer =
      co_await parts_.send({recipient.address, std::move(*content), project}, deadline::after(limit_of_attempt()));
  auto const came = read_reply(answer);
  if (came.state != fate::retry || answer.in_session) {
    end = end_of_mail(came, recipient.attempts);
    co_return true;
  }
  batch.end.away = true;
  batch.end.pause = std::max(batch.end.pause, pause_while_away(batch.batch.failures, came));
  log::warn("the mail server takes no mails of status pages now", {{"reason", name_of(came.cause)}});
  co_return false;
}

task<> page_mailer::settle(sending const& batch) {
  for (;;) {
    try {
      bool const claimed = co_await mails_.settle_post(batch.batch, batch.end, deadline::after(page_step_patience));
      for (auto const& each : batch.end.mails)
        if (auto const outcome = outcome_of_mail(each.state); !outcome.empty())
          counted_->add("post", claimed ? outcome : "late");
      co_return;
    } catch (unavailable const&) {
      if (steady::now() > batch.batch.claimed_at + store::page_mail_lease) throw;
    }
    steady_timer wait(parts_.io, page_settle_pause);
    co_await wait.async_wait(awaiting);
  }
}

task<> page_mailer::count() {
  counted_->waiting.set(static_cast<double>(co_await mails_.count_waiting(deadline::after(page_step_patience))));
}

task<> page_mailer::retain() {
  for (bool more = true; more && parts_.loops.goes_on();) {
    auto const jobs = co_await mails_.delete_over(page_rows_at_once, deadline::after(page_step_patience));
    auto const rows = co_await subscribers_.delete_over(page_rows_at_once, deadline::after(page_step_patience));
    more = jobs >= page_rows_at_once || rows >= page_rows_at_once;
    if (more && retention_loop_) co_await between_batches(*retention_loop_);
  }
}

task<> page_mailer::emptied(deadline until) {
  try {
    co_await take_requests();
  } catch (unavailable const& e) {
    log::warn("requests for mails of status pages are lost",
              {{"requests", parts_.requests.size()}, {"why", e.what()}});
  }
  steady_timer pause(parts_.io);
  while (under_way() > 0 && !until.passed()) {
    pause.expires_after(milliseconds(5));
    co_await pause.async_wait(awaiting);
  }
}

}  // namespace svc::notifications
