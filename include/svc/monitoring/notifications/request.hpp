#pragma once

#include "svc/core/result.hpp"
#include "svc/monitoring/notifications/message.hpp"
#include "svc/monitoring/notifications/provider.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace svc::notifications {

/// The addresses of the messaging services. Only tests, which imitate the services, use others.
struct service_urls {
  std::string telegram = "https://api.telegram.org";
  std::string pagerduty = "https://events.pagerduty.com";
  std::string pagerduty_eu = "https://events.eu.pagerduty.com";
};

/// Settings that apply to all messages of the service. Immutable.
struct text_settings {
  /// `notifications.link`: a URL in which `{type}` (`monitor`, `job`, `provider`) and `{id}` are replaced; empty:
  /// messages have no link.
  std::string link{};
  std::string mail_from{};  ///< `smtp.from`: an address, or `Name <address>`
  service_urls urls{};
};

struct header_field {
  std::string name{}, value{};
};

/// An HTTP request in its final form.
struct http_post {
  std::string method = "POST";
  std::string url{};
  std::vector<header_field> fields{};
  std::string body{};
};

/// A mail to one recipient.
struct mail_text {
  std::string recipient{};
  std::string content{};  ///< RFC 5322 in ASCII; lines end with CR LF
};

/// Returns the requests of a message, for each type except email: one request for chats and webhooks. PagerDuty gets
/// one for each alert, in order, to be sent until one fails; a test gets a second one, which resolves its incident.
/// `now` is the time of the attempt. Total: any texts give requests.
std::vector<http_post> make_posts(provider_config const& config, message const& message,
                                  text_settings const& settings, timestamp now);

/// Returns the mail to one of the recipients.
mail_text make_mail(std::string_view recipient, message const& message, text_settings const& settings, timestamp now);

/// Returns the address in `smtp.from` for the envelope, without the name. Fails with `validation_failed` if it is not
/// an address.
result<std::string> address_of_sender(std::string_view sender);

/// Returns one sentence in plain text: `message` of an alert in the history.
std::string sentence_of(alert const& alert);

}  // namespace svc::notifications
