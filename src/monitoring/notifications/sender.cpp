#include "svc/monitoring/notifications/sender.hpp"

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

/// An answer is read no further: what matters of it is short.
constexpr std::size_t longest_answer = std::size_t{64} * 1024;

/// Those that are left, beginning with another one at each attempt.
std::vector<std::string> left_of(email_config const& to, std::vector<settled_recipient> const& settled,
                                 unsigned number) {
  std::vector<std::string> out;
  std::ranges::copy_if(to.to, std::back_inserter(out), [&](std::string const& one) {
    return std::ranges::find(settled, one, &settled_recipient::address) == settled.end();
  });
  if (!out.empty()) {
    auto const first = (number == 0 ? 0 : number - 1) % out.size();
    std::ranges::rotate(out, out.begin() + static_cast<std::ptrdiff_t>(first));
  }
  return out;
}

bool took_one(std::vector<settled_recipient> const& of) {
  return std::ranges::any_of(of, &settled_recipient::taken);
}

/// Of all transactions: what one of them is to be repeated for decides.
attempt sum_of(std::vector<settled_recipient> const& before, attempt now, std::optional<outcome> const& retry,
               outcome const& last) {
  now.came = last;
  if (retry)
    now.came = *retry;
  else if (took_one(before) || took_one(now.settled))
    now.came = {.is = fate::taken, .why = reason::delivered, .status = 250};
  return now;
}

}  // namespace

task<attempt> sender::send(provider_config to, message what, unsigned number,
                           std::vector<settled_recipient> settled) const {
  if (type_of(to) == provider_type::email)
    co_return co_await send_mails(std::get<email_config>(std::move(to)), std::move(what), number, std::move(settled));
  attempt out;
  out.came = co_await send_posts(std::move(to), std::move(what));
  co_return out;
}

task<attempt> sender::send_mails(email_config to, message what, unsigned number,
                                 std::vector<settled_recipient> settled) const {
  attempt out;
  if (by_.mail == nullptr) {
    out.came = {.is = fate::dead, .why = reason::smtp_unconfigured};
    co_return out;
  }
  auto const until = deadline::after(attempt_limit(provider_type::email));
  std::optional<outcome> retry;
  outcome last{.is = fate::dead, .why = reason::rejected};
  for (auto const& recipient : left_of(to, settled, number)) {
    if (until.passed()) {
      if (!retry) retry = outcome{.why = reason::timeout};
      break;
    }
    auto text = make_mail(recipient, what, *how_, system_now());
    auto const came = co_await by_.mail->send({std::move(text.recipient), std::move(text.content)}, until);
    last = read_reply(came);
    if (last.is == fate::retry && !retry) retry = last;
    if (last.is != fate::retry) out.settled.push_back({recipient, last.is == fate::taken});
    // Without a session the next recipient would fare alike.
    if (last.is == fate::retry && !came.in_session) break;
  }
  co_return sum_of(settled, std::move(out), retry, last);
}

task<outcome> sender::send_posts(provider_config to, message what) const {
  auto const until = deadline::after(attempt_limit(type_of(to)));
  outcome out{.is = fate::dead, .why = reason::invalid_config};
  for (auto& one : make_posts(to, what, *how_, system_now())) {
    out = co_await send_post(type_of(to), std::move(one), until);
    if (out.is != fate::taken) break;
  }
  co_return out;
}

task<outcome> sender::send_post(provider_type from, http_post what, deadline until) const {
  auto url = egress::parse_http_url(what.url);
  if (!url) co_return outcome{.is = fate::dead, .why = reason::invalid_config};
  auto& client = url->where.secure ? by_.http : by_.plain;
  egress::http_request request{.method = std::move(what.method), .url = std::move(*url)};
  for (auto& one : what.fields) request.fields.push_back({std::move(one.name), std::move(one.value), true});
  request.body = std::move(what.body);
  request.follow_redirects = false;
  request.most_body_bytes = longest_answer;
  auto const came = co_await client.fetch(std::move(request), until);
  // A status that came holds, whatever happened to the rest of the answer.
  bool const answered = came.status >= 200 && came.why != egress::failure::cancelled;
  co_return answered ? read_answer(from, came.status, came.fields, came.body, system_now()) : outcome_of(came.why);
}

}  // namespace svc::notifications
