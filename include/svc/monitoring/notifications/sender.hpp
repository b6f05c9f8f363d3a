#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/monitoring/notifications/answer.hpp"
#include "svc/monitoring/notifications/message.hpp"
#include "svc/monitoring/notifications/provider.hpp"
#include "svc/monitoring/notifications/request.hpp"

#include <memory>
#include <string>
#include <vector>

namespace svc::egress {
class http_client;
class mail_client;
}  // namespace svc::egress

namespace svc::notifications {

/// The final state of one recipient of a mail.
struct settled_recipient {
  std::string address{};
  bool taken = false;  ///< false: refused, and not tried again
};

/// The outcome of one attempt at a message.
struct attempt {
  /// Outcome of the whole message: `taken` once all recipients are settled and at least one accepted it, `dead` if
  /// all refused it, `retry` while one is left.
  outcome came{};
  std::vector<settled_recipient> settled{};  ///< for mail: recipients that this attempt settled
  std::vector<std::string> left_out{};       ///< for mail: recipients that the service does not send it to
  reason left_out_for = reason::delivered;   ///< the reason, if there are any
};

/// Makes delivery attempts. Worker-local; the clients outlive it. It opens connections only through its clients.
class sender {
 public:
  struct clients {
    egress::http_client& http;            ///< its guard allows the public internet and `outgoing_allow_cidrs`
    egress::http_client& plain;           ///< for http URLs: its guard allows only `outgoing_allow_cidrs`
    egress::mail_client* mail = nullptr;  ///< null: `smtp.url` is not set
  };
  sender(clients clients, std::shared_ptr<text_settings const> settings)
      : clients_(clients), settings_(std::move(settings)) {}

  /// Makes one attempt within `attempt_limit`, without redirects. A mail skips the `settled` recipients. Its first
  /// recipient changes with `number` (of the attempt, from 1), so that one slow mailbox does not starve the others.
  /// Can be cancelled like `http_client::fetch`; the outcome means nothing then.
  task<attempt> send(provider_config config, message message, unsigned number,
                     std::vector<settled_recipient> settled = {}) const;

 private:
  task<attempt> send_mails(email_config config, message message, unsigned number,
                           std::vector<settled_recipient> settled) const;
  task<outcome> send_posts(provider_config config, message message) const;
  task<outcome> send_post(provider_type type, http_post post, deadline until) const;

  clients clients_;
  std::shared_ptr<text_settings const> settings_;
};

}  // namespace svc::notifications
