#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/pages/snapshot.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The lease of a claimed confirmation or batch: an instance that has stored no outcome by then is gone, and another
/// one sends its mails again, with the same ids.
inline constexpr std::chrono::seconds page_mail_lease{60};
/// Mails of a batch.
inline constexpr std::int64_t page_mail_batch = 20;
/// Further attempts at a mail that its server did not take.
inline constexpr unsigned most_page_mail_retries = 5;
/// Posts in a row that an address refuses for good before its subscription ends.
inline constexpr int most_refused_posts = 3;
/// Time after which a post is no news: its mails that still wait are given up.
inline constexpr std::chrono::hours page_post_life{24};

/// The page of a mail. The snapshot has the facts of the page and, for a post, only that post with its incident or
/// maintenance and the names of its components.
struct mailed_page {
  uuid project{};
  std::string domain{};  ///< verified; empty: the page is only on the service
  pages::page_snapshot snapshot{};
};

struct claimed_confirmation {
  uuid id{}, claim{};
  mailed_page page{};
  std::string recipient{};
  secret_string token{};
  unsigned attempts = 0;            ///< earlier attempts
  steady::time_point claimed_at{};  ///< precedes the start of the lease
};

struct post_recipient {
  uuid subscriber{};
  std::string address{};
  secret_string token{};  ///< of the link that ends the subscription
  unsigned attempts = 0;  ///< earlier attempts
};

/// Up to `page_mail_batch` mails about one post.
struct claimed_post {
  uuid job{}, claim{}, post{};
  mailed_page page{};
  bool again = false;  ///< the mails were not taken by their servers before
  std::vector<post_recipient> recipients{};
  unsigned failures = 0;  ///< times in a row that the mail server was away
  steady::time_point claimed_at{};
};

/// The outcome of one mail of a batch.
struct post_mail_end {
  enum class fate : std::uint8_t {
    sent,
    refused,  ///< for good, by the address's server
    retry,    ///< not taken; `pause` until the next attempt
    failed,   ///< not taken, and given up
    unsent,   ///< not started, or the operator's mail server was away: no attempt
  };
  fate state = fate::unsent;
  milliseconds pause{0};
};

/// The outcomes of a batch, in the order of its recipients.
struct post_batch_end {
  std::vector<post_mail_end> mails{};
  milliseconds pause{0};  ///< until unsent mails have their next turn
  bool away = false;      ///< the operator's mail server took no mail
};

/// The queue of the mails of status pages, and the alerts to the providers of pages. Worker-local; the pool outlives
/// it. Every method throws `unavailable` when the database is gone or late; then a change may or may not have
/// happened.
class page_mail_store {
 public:
  struct confirmations {
    std::vector<claimed_confirmation> mails{};
    std::int64_t over = 0;  ///< confirmations that nobody needs any more
    bool more = false;      ///< further ones may be due
  };
  struct posts {
    std::optional<claimed_post> batch{};
    bool more = false;  ///< further batches may be due
  };

  struct due_work {
    bool confirmations = false, posts = false;
  };

  page_mail_store(postgres::pool& db, master_keys& master) : db_(db), master_(master) {}

  /// Returns what is due. It costs one statement, so an instance without work runs no other one.
  task<due_work> find_due(deadline until);

  /// Writes the alerts of new posts to the notification providers of their pages, each once. Providers that are
  /// disabled get a suppressed alert; PagerDuty gets none. Returns the pages of these posts.
  task<std::vector<changed_thing>> announce(deadline until);

  /// Claims up to `room` confirmations that are due, and ends those that nobody needs.
  task<confirmations> claim_confirmations(std::int64_t room, deadline until);
  /// Stores the outcome. `pause`: until the next attempt; none: it was sent or is given up. `counts`: an attempt was
  /// made. Returns false if this claim no longer holds the confirmation.
  task<bool> settle_confirmation(uuid id, uuid claim, std::optional<milliseconds> pause, bool counts, deadline until);

  /// Claims a batch of a project that is not in `without`: mails that are due again first, then the next recipients
  /// of the oldest post of a page. Posts without further recipients end.
  task<posts> claim_post(std::vector<uuid> without, deadline until);
  /// Stores the outcomes: mails to be sent again, subscriptions that end because their addresses refuse mail, and the
  /// next recipient. Returns false if this claim no longer holds the batch; then nothing was stored.
  task<bool> settle_post(claimed_post const& batch, post_batch_end end, deadline until);

  /// Returns the number of mails that wait, of all instances; counts at most 100 000 of each sort.
  task<std::int64_t> count_waiting(deadline until);
  /// Ends posts that are no news, and deletes up to `most` posts that ended a day ago. Returns how many.
  task<std::int64_t> delete_over(std::int64_t most, deadline until);

 private:
  task<posts> claim_again(std::vector<uuid> without, deadline until);
  task<posts> claim_next(std::vector<uuid> without, deadline until);

  postgres::pool& db_;
  master_keys& master_;
};

}  // namespace svc::store
