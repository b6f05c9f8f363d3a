#pragma once

#include "svc/core/metrics.hpp"
#include "svc/monitoring/notifications/deliverer.hpp"
#include "svc/monitoring/notifications/recipient_policy.hpp"
#include "svc/store/delivery/mail_store.hpp"

namespace svc::notifications {

/// Decides before each attempt at a mail which of its recipients it may go to: those that the operator allows, within
/// the project's daily and the address's hourly number. What remains is sent. Other messages pass. Worker-local; what
/// it uses outlives it.
class mail_admission {
 public:
  struct parts {
    store::mail_store& mails;
    performer send;
    metrics& counters;
    store::mail_limits most{};
    notifications::recipient_policy allowed{};
  };
  /// How long a decision may take, before the attempt itself begins.
  static constexpr std::chrono::seconds patience{5};

  explicit mail_admission(parts parts);

  /// As `performer`. Recipients that do not get the mail are in `attempt::left_out`; if no other one gets it, the
  /// attempt is `dead` for that reason. Throws `unavailable` if PostgreSQL is gone: then nothing was sent.
  task<notifications::attempt> perform(notifications::provider_config config, notifications::message message,
                                       unsigned number, std::vector<notifications::settled_recipient> settled);

 private:
  struct decision {
    std::vector<std::string> left_out{};
    notifications::reason reason = notifications::reason::mail_limit_reached;  ///< for the first of them
  };
  task<decision> decide(uuid project, std::optional<uuid> message, std::vector<std::string> recipients,
                        deadline until);
  task<std::vector<std::string>> not_allowed(uuid project, std::vector<std::string> recipients, deadline until);

  parts parts_;
  counter over_limit_, forbidden_;
};

}  // namespace svc::notifications
