#include "svc/monitoring/notifications/mail_admission.hpp"

#include "svc/core/log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace svc::notifications {
namespace {

counter count_left_out(metrics& of, notifications::reason why) {
  return of.make_counter("svc_mail_recipients_left_out_total", "Recipients that a mail was not sent to, by reason",
                         {{"reason", std::string(name_of(why))}});
}

bool holds(std::vector<std::string> const& all, std::string const& one) {
  return std::ranges::find(all, one) != all.end();
}

/// The recipients that no attempt has reached.
std::vector<std::string> unreached(notifications::email_config const& to,
                                   std::vector<notifications::settled_recipient> const& settled) {
  std::vector<std::string> out;
  std::ranges::copy_if(to.to, std::back_inserter(out), [&](std::string const& one) {
    return std::ranges::none_of(settled, [&](auto const& each) { return each.taken && each.address == one; });
  });
  return out;
}

}  // namespace

mail_admission::mail_admission(parts of)
    : of_(std::move(of)),
      over_limit_(count_left_out(of_.counters, notifications::reason::mail_limit_reached)),
      forbidden_(count_left_out(of_.counters, notifications::reason::recipient_not_allowed)) {}

task<std::vector<std::string>> mail_admission::not_allowed(uuid project, std::vector<std::string> recipients,
                                                           deadline until) {
  if (of_.allowed.is_open()) co_return std::vector<std::string>();
  std::vector<std::string> members;
  if (of_.allowed.allows_members()) members = co_await of_.mails.members_among(project, recipients, until);
  std::erase_if(recipients, [&](std::string const& one) { return of_.allowed.allows(one, members); });
  co_return recipients;
}

task<mail_admission::decision> mail_admission::decide(uuid project, std::optional<uuid> message,
                                                      std::vector<std::string> recipients, deadline until) {
  decision out{.left_out = co_await not_allowed(project, recipients, until)};
  forbidden_.add(out.left_out.size());
  if (!out.left_out.empty()) out.why = notifications::reason::recipient_not_allowed;
  std::erase_if(recipients, [&](std::string const& one) { return holds(out.left_out, one); });
  if (recipients.empty() || (of_.most.per_day == 0 && of_.most.per_address == 0)) co_return out;
  auto const admitted = co_await of_.mails.admit(project, message, recipients, of_.most, until);
  for (std::size_t i = 0; i < recipients.size(); ++i) {
    if (i < admitted.size() && admitted[i]) continue;
    over_limit_.add();
    out.left_out.push_back(std::move(recipients[i]));
  }
  co_return out;
}

task<notifications::attempt> mail_admission::perform(notifications::provider_config to, notifications::message what,
                                                     unsigned number,
                                                     std::vector<notifications::settled_recipient> settled) {
  auto const* const mail = std::get_if<notifications::email_config>(&to);
  if (mail == nullptr) co_return co_await of_.send(std::move(to), std::move(what), number, std::move(settled));
  auto const project = what.project.id;
  auto const asked = unreached(*mail, settled);
  auto decided =
      co_await decide(project, what.test ? std::nullopt : std::optional(what.id), asked, deadline::after(patience));
  bool const reached_one = asked.size() < mail->to.size();
  if (!decided.left_out.empty())
    log::warn("a mail is not sent to all of its recipients", {{"project", project.to_string()},
                                                              {"message", what.id.to_string()},
                                                              {"reason", name_of(decided.why)},
                                                              {"leftOut", decided.left_out.size()}});
  notifications::attempt out;
  if (decided.left_out.size() < asked.size()) {
    for (auto const& each : decided.left_out) settled.push_back({each, false});
    out = co_await of_.send(std::move(to), std::move(what), number, std::move(settled));
  } else if (reached_one) {
    out.came = {.is = notifications::fate::taken, .why = notifications::reason::delivered};
  } else {
    out.came = {.is = notifications::fate::dead, .why = decided.why};
  }
  out.left_out = std::move(decided.left_out);
  out.left_out_for = decided.why;
  co_return out;
}

}  // namespace svc::notifications
