#include "svc/monitoring/notifications/sender.hpp"

#include "svc/core/loop_activity.hpp"
#include "svc/core/time.hpp"
#include "svc/egress/http/http_client.hpp"
#include "svc/egress/mail/mail_client.hpp"
#include "svc/egress/url.hpp"
#include "svc/monitoring/notifications/schedule.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace svc::notifications {

namespace {

/// Limit on the bytes that are read of an answer: the relevant part of an answer is short.
constexpr std::size_t longest_answer = std::size_t{64} * 1024;

/// Returns the recipients that are not settled. Each attempt starts with another one of the recipients.
std::vector<std::string> left_of(email_config const& config, std::vector<settled_recipient> const& settled,
                                 unsigned number) {
  std::vector<std::string> out;
  std::ranges::copy_if(config.texts, std::back_inserter(out), [&](std::string const& address) {
    return std::ranges::find(settled, address, &settled_recipient::address) == settled.end();
  });
  if (!out.empty()) {
    auto const first = (number == 0 ? 0 : number - 1) % out.size();
    std::ranges::rotate(out, out.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return out;
}

bool took_one(std::vector<settled_recipient> const& recipients) {
  return std::ranges::any_of(recipients, &settled_recipient::taken);
}

/// Combines the outcomes of all transactions. If any transaction must be retried, its outcome decides.
attempt sum_of(std::vector<settled_recipient> const& before, attempt now, std::optional<outcome> const& retry,
               outcome const& last) {
  now.came = last;
  if (retry)
    now.came = *retry;
  else if (took_one(before) || took_one(now.settled))
    now.came = {.state = fate::taken, .cause = reason::delivered, .status = 250};
  return now;
}

}  // namespace

task<attempt> sender::send(provider_config config, message message, unsigned number,
                           std::vector<settled_recipient> settled) const {
  if (type_of(config) == provider_type::email)
    co_return co_await send_mails(std::get<email_config>(std::move(config)), std::move(message), number,
                                  std::move(settled));
  attempt out;
  out.came = co_await send_posts(std::move(config), std::move(message));
  co_return out;
}

task<attempt> sender::send_mails(email_config config, message message, unsigned number,
                                 std::vector<settled_recipient> settled) const {
  attempt out;
  if (clients_.mail == nullptr) {
    out.came = {.state = fate::dead, .cause = reason::smtp_unconfigured};
    co_return out;
  }
  auto const until = deadline::after(attempt_limit(provider_type::email));
  std::optional<outcome> retry;
  outcome last{.state = fate::dead, .cause = reason::rejected};
  for (auto const& recipient : left_of(config, settled, number)) {
    if (until.passed()) {
      if (!retry) retry = outcome{.cause = reason::timeout};
      break;
    }
    work_for({.project = message.project.id});
    auto text = make_mail(recipient, message, *settings_, system_now());
    auto const came =
        co_await clients_.mail->send({std::move(text.recipient), std::move(text.content), message.project.id}, until);
    last = read_reply(came);
    if (last.state == fate::retry && !retry) retry = last;
    if (last.state != fate::retry) out.settled.push_back({recipient, last.state == fate::taken});
    // Without a session the next recipient would fail in the same way.
    if (last.state == fate::retry && !came.in_session) break;
  }
  co_return sum_of(settled, std::move(out), retry, last);
}

task<outcome> sender::send_posts(provider_config config, message message) const {
  auto const until = deadline::after(attempt_limit(type_of(config)));
  outcome out{.state = fate::dead, .cause = reason::invalid_config};
  for (auto& post : make_posts(config, message, *settings_, system_now())) {
    out = co_await send_post(type_of(config), std::move(post), until);
    if (out.state != fate::taken) break;
  }
  co_return out;
}

task<outcome> sender::send_post(provider_type type, http_post post, deadline until) const {
  auto url = egress::parse_http_url(post.url);
  if (!url) co_return outcome{.state = fate::dead, .cause = reason::invalid_config};
  auto& client = url->where.secure ? clients_.http : clients_.plain;
  egress::http_request request{.method = std::move(post.method), .url = std::move(*url)};
  for (auto& field : post.fields) request.fields.push_back({std::move(field.name), std::move(field.value), true});
  request.body = std::move(post.body);
  request.follow_redirects = false;
  request.most_body_bytes = longest_answer;
  auto const came = co_await client.fetch(std::move(request), until);
  // A received status counts, whatever happened to the rest of the answer.
  bool const answered = came.status >= 200 && came.error != egress::failure::cancelled;
  co_return answered ? read_answer(type, came.status, came.fields, came.body, system_now()) : outcome_of(came.error);
}

}  // namespace svc::notifications
