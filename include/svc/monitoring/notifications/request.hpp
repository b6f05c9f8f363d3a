#pragma once

#include "svc/core/result.hpp"
#include "svc/monitoring/notifications/message.hpp"
#include "svc/monitoring/notifications/provider.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace svc::notifications {

/// The services' own addresses. Others only for tests, which play them.
struct service_urls {
  std::string telegram = "https://api.telegram.org";
  std::string pagerduty = "https://events.pagerduty.com";
  std::string pagerduty_eu = "https://events.eu.pagerduty.com";
};

/// What is the same for all messages of the service. Immutable.
struct text_settings {
  /// `notifications.link`: a URL in which `{type}` (`monitor`, `job`, `provider`) and `{id}` are replaced; empty: no
  /// message has a link.
  std::string link{};
  std::string mail_from{};  ///< `smtp.from`: an address, or `Name <address>`
  service_urls urls{};
};

struct header_field {
  std::string name{}, value{};
};

/// A request over HTTP, as it is sent.
struct http_post {
  std::string method = "POST";
  std::string url{};
  std::vector<header_field> fields{};
  std::string body{};
};

/// A mail to one recipient.
struct mail_text {
  std::string recipient{};
  std::string content{};  ///< RFC 5322, lines end with CR LF, ASCII
};

/// What a message is on its way, for each type but email: one request for chats and webhooks; for PagerDuty one for
/// each alert (a test is ended by a second one), in order, to be sent until one fails. `now`: of the attempt. Total:
/// any texts give requests.
std::vector<http_post> make_posts(provider_config const& config, message const& message,
                                  text_settings const& settings, timestamp now);

/// The mail to one of the recipients.
mail_text make_mail(std::string_view recipient, message const& message, text_settings const& settings, timestamp now);

/// `smtp.from` for the envelope, without the name; `validation_failed` if it is no address.
result<std::string> address_of_sender(std::string_view sender);

/// One sentence, in plain text: `message` of an alert in the history.
std::string sentence_of(alert const& alert);

}  // namespace svc::notifications
