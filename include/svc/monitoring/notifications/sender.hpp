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

/// What became of one recipient of a mail for good.
struct settled_recipient {
  std::string address{};
  bool taken = false;  ///< otherwise refused, and not asked again
};

/// One attempt at a message.
struct attempt {
  /// Of the whole: `taken` once all recipients are settled and one took it, `dead` if all refused it, `retry` while
  /// one is left.
  outcome came{};
  std::vector<settled_recipient> settled{};  ///< of mail: those that this attempt settled
  std::vector<std::string> left_out{};       ///< of mail: recipients that the service does not send it to
  reason left_out_for = reason::delivered;   ///< why, if there are any
};

/// Performs attempts. Worker-local; the clients outlive it. It opens no connection of its own.
class sender {
 public:
  struct clients {
    egress::http_client& http;            ///< with the guard of the public internet and `outgoing_allow_cidrs`
    egress::http_client& plain;           ///< for http URLs: its guard allows `outgoing_allow_cidrs` alone
    egress::mail_client* mail = nullptr;  ///< null: there is no `smtp.url`
  };
  sender(clients clients, std::shared_ptr<text_settings const> settings)
      : clients_(clients), settings_(std::move(settings)) {}

  /// One attempt within `attempt_limit`, without redirects. Of mail, `settled` recipients are left out, and the first
  /// to be asked moves on with `number` (of the attempt, from 1), so that one slow mailbox does not starve the
  /// others. Can be cancelled as `http_client::fetch` can; the outcome says nothing then.
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
