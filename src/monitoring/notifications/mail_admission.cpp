#include "svc/monitoring/notifications/mail_admission.hpp"

#include "svc/core/log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace svc::notifications {
namespace {

counter count_left_out(metrics& metrics, reason reason) {
  return metrics.make_counter("svc_mail_recipients_left_out_total",
                              "Recipients that a mail was not sent to, by reason",
                              {{"reason", std::string(name_of(reason))}});
}

bool holds(std::vector<std::string> const& all, std::string const& address) {
  return std::ranges::find(all, address) != all.end();
}

/// The recipients that no attempt has reached.
std::vector<std::string> unreached(email_config const& config, std::vector<settled_recipient> const& settled) {
  std::vector<std::string> out;
  std::ranges::copy_if(config.texts, std::back_inserter(out), [&](std::string const& address) {
    return std::ranges::none_of(settled, [&](auto const& each) { return each.taken && each.address == address; });
  });
  return out;
}

}  // namespace

mail_admission::mail_admission(parts parts)
    : parts_(std::move(parts)),
      over_limit_(count_left_out(parts_.counters, reason::mail_limit_reached)),
      forbidden_(count_left_out(parts_.counters, reason::recipient_not_allowed)) {}

task<std::vector<std::string>> mail_admission::not_allowed(uuid project, std::vector<std::string> recipients,
                                                           deadline until) {
  if (parts_.allowed.is_open()) co_return std::vector<std::string>();
  std::vector<std::string> members;
  if (parts_.allowed.allows_members()) members = co_await parts_.mails.members_among(project, recipients, until);
  std::erase_if(recipients, [&](std::string const& address) { return parts_.allowed.allows(address, members); });
  co_return recipients;
}

task<mail_admission::decision> mail_admission::decide(uuid project, std::optional<uuid> message,
                                                      std::vector<std::string> recipients, deadline until) {
  decision out{.left_out = co_await not_allowed(project, recipients, until)};
  forbidden_.add(out.left_out.size());
  if (!out.left_out.empty()) out.reason = reason::recipient_not_allowed;
  std::erase_if(recipients, [&](std::string const& address) { return holds(out.left_out, address); });
  if (recipients.empty() || (parts_.most.per_day == 0 && parts_.most.per_address == 0)) co_return out;
  auto const admitted = co_await parts_.mails.admit(project, message, recipients, parts_.most, until);
  for (std::size_t i = 0; i < recipients.size(); ++i) {
    if (i < admitted.size() && admitted[i]) continue;
    over_limit_.add();
    out.left_out.push_back(std::move(recipients[i]));
  }
  co_return out;
}

task<attempt> mail_admission::send(provider_config config, message message, unsigned number,
                                   std::vector<settled_recipient> settled) {
  auto const* const mail = std::get_if<email_config>(&config);
  if (mail == nullptr)
    co_return co_await parts_.send(std::move(config), std::move(message), number, std::move(settled));
  auto const project = message.project.id;
  auto const asked = unreached(*mail, settled);
  auto decided = co_await decide(project, message.test ? std::nullopt : std::optional(message.id), asked,
                                 deadline::after(patience));
  bool const reached_one = asked.size() < mail->texts.size();
  if (!decided.left_out.empty())
    log::warn("a mail is not sent to all of its recipients", {{"project", project.to_string()},
                                                              {"messageId", message.id.to_string()},
                                                              {"reason", name_of(decided.reason)},
                                                              {"leftOut", decided.left_out.size()}});
  attempt out;
  if (decided.left_out.size() < asked.size()) {
    for (auto const& each : decided.left_out) settled.push_back({each, false});
    out = co_await parts_.send(std::move(config), std::move(message), number, std::move(settled));
  } else if (reached_one) {
    out.came = {.state = fate::taken, .cause = reason::delivered};
  } else {
    out.came = {.state = fate::dead, .cause = decided.reason};
  }
  out.left_out = std::move(decided.left_out);
  out.left_out_for = decided.reason;
  co_return out;
}

}  // namespace svc::notifications
