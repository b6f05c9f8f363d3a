#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::postgres {
class pool;
struct query;
}  // namespace svc::postgres

namespace svc::store {

/// The lease of a system mail: an instance that has stored no outcome by then is gone, and another one sends again.
inline constexpr std::chrono::seconds system_mail_lease{60};

/// The life of a recovery link that a mail carries.
inline constexpr std::chrono::seconds recovery_life{3600};

/// The mails of a kind that one address takes, whoever asks for them and over all instances: `at_once`, and then one
/// for each `pause`. In a time t these are at most `at_once` + t / `pause` mails.
struct system_mail_budget {
  std::string_view kind;
  std::int64_t at_once;
  std::chrono::minutes pause;
};

/// Together five mails in any hour and 20 in any day. Each kind has its own budget, so that strangers who invite an
/// address do not keep its owner from recovering the account.
inline constexpr std::array<system_mail_budget, 2> system_mail_budgets{
    {{"recovery", 3, std::chrono::minutes(160)}, {"invitation", 2, std::chrono::minutes(240)}}};

/// A system mail that is claimed for one attempt. A value.
struct claimed_system_mail {
  uuid id;
  uuid claim;
  std::string kind;  ///< `invitation` or `recovery`
  std::string recipient;
  unsigned attempt = 1;
  secret_string secret;               ///< of its link, minted for this attempt
  timestamp expires_at{};             ///< of its link
  std::string addressee;              ///< of a recovery: the user's name
  std::string organization, inviter;  ///< of an invitation: names
  steady::time_point claimed_at{};    ///< precedes the start of the lease
};

/// A mail that has ended without a further attempt.
struct ended_system_mail {
  uuid id;
  std::string kind;
  std::string reason;  ///< `link_over`, `expired`, `too_many_mails`, or the reason of the last of its attempts

  /// Nobody waits for it.
  bool superfluous() const { return reason == "link_over"; }
  /// It has expired while its address took no further mail.
  bool limited() const { return reason == "too_many_mails"; }
};

/// The result of an attempt.
struct system_mail_end {
  enum class fate : std::uint8_t { sent, retry, failed };
  fate state = fate::retry;
  std::string_view reason{};  ///< empty: none
  milliseconds pause{0};      ///< of a retry
};

/// The queue of mails that carry secrets: invitations and recoveries. No row has a secret: each claim mints one and
/// stores its digest in the same transaction, so an attempt with an unknown outcome leaves a secret that works.
/// Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or late; then a
/// change may or may not have happened.
class system_mail_store {
 public:
  struct claims {
    std::vector<claimed_system_mail> mails{};
    std::vector<ended_system_mail> ended{};
    std::vector<std::string> postponed{};  ///< the kinds of mails whose address takes no mail now
    bool more = false;                     ///< further mails may be due
  };

  explicit system_mail_store(postgres::pool& db) : db_(db) {}

  /// Creates a recovery link for the account of the normalised address, and its mail. Does nothing if there is no
  /// such account, if it is banned, or if an identity provider manages it. `origin` is the request; its user and name
  /// are filled in. Returns false, and creates nothing, if the budget of the address is spent.
  task<bool> request_recovery(std::string email, audit_actor origin, deadline until);

  /// Claims up to `room` mails that are due. Mails whose link is used, revoked or expired, and those that have had
  /// `most_attempts`, end. The first attempt takes from the budget of the address; a mail without budget waits for
  /// it.
  task<claims> claim(std::int64_t room, unsigned most_attempts, deadline until);

  /// Ends mails that are due and whose link is used, revoked or expired, and claims none: for an instance that cannot
  /// send, next to others that can.
  task<claims> end_over(deadline until);

  /// Stores the result of the attempt. Returns false if this claim no longer holds the mail. A retry is never later
  /// than the end of the link.
  task<bool> settle(uuid id, uuid claim, system_mail_end end, deadline until);

 private:
  task<claims> take(postgres::query find, std::int64_t room, std::optional<unsigned> most_attempts, deadline until);

  postgres::pool& db_;
};

}  // namespace svc::store
