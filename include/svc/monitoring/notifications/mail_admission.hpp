#pragma once

#include "svc/core/metrics.hpp"
#include "svc/monitoring/notifications/notifier.hpp"
#include "svc/monitoring/notifications/recipient_policy.hpp"
#include "svc/store/delivery/mail_store.hpp"

namespace svc::notifications {

/// Decides before each attempt at a mail which recipients may get it: those that the operator allows, within the
/// project's daily limit and the address's hourly limit. The mail goes to the remaining recipients. Other messages
/// pass unchanged. Worker-local; the referenced objects outlive it.
class mail_admission {
 public:
  struct parts {
    store::mail_store& mails;
    message_sender send;
    metrics& counters;
    store::mail_limits most{};
    recipient_policy allowed{};
  };
  /// Time limit of a decision, before the attempt itself starts.
  static constexpr std::chrono::seconds patience{5};

  explicit mail_admission(parts parts);

  /// Sends like `message_sender`. `attempt::left_out` lists recipients that do not get the mail. If no other
  /// recipient gets it, the attempt is `dead` for that reason. Throws `unavailable` if PostgreSQL is unreachable; no
  /// mail was sent then.
  task<attempt> send(provider_config config, message message, unsigned number,
                     std::vector<settled_recipient> settled);

 private:
  struct decision {
    std::vector<std::string> left_out{};
    reason reason = reason::mail_limit_reached;  ///< reason for the first of them
  };
  task<decision> decide(uuid project, std::optional<uuid> message, std::vector<std::string> recipients,
                        deadline until);
  task<std::vector<std::string>> not_allowed(uuid project, std::vector<std::string> recipients, deadline until);

  parts parts_;
  counter over_limit_, forbidden_;
};

}  // namespace svc::notifications
