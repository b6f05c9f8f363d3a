#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/pages/formats.hpp"
#include "svc/domain/pages/inputs.hpp"
#include "svc/store/pages/subscription_queue.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// The life of a subscription that nobody confirms, and of the link that confirms it.
inline constexpr std::chrono::hours pending_life{24};
/// Confirmations that one address gets from all pages within a day.
inline constexpr std::int64_t most_confirmations = 3;
/// Addresses that refuse mail from every page; the oldest refusals beyond them are deleted.
inline constexpr std::int64_t most_mail_refusals = 1'000'000;

/// The outcome of a request for a subscription: the label `outcome` of `svc_subscriptions_total`. The visitor sees
/// the same answer for all.
enum class subscription_outcome : std::uint8_t {
  asked,           ///< a confirmation is queued
  active,          ///< the address is a subscriber already
  not_offered,     ///< the page is not published, takes no subscribers, or does not exist
  page_full,       ///< the page has reached its limit of subscribers, or of pending ones
  refused,         ///< the address refuses mail from every page, or is no address for mail
  too_many_mails,  ///< the address got a confirmation of this page, or three of all, within a day
  limited,         ///< the installation, or the project, has sent its confirmations of this hour
};
inline constexpr std::size_t subscription_outcome_count = 7;
std::string_view to_text(subscription_outcome outcome);

using pages::read_subscription_action;
using pages::subscription_action;

/// The subscribers of pages, from the request of a visitor to its end. Worker-local; the pool and the keys outlive
/// it. Every method throws `unavailable` when the database is gone or late. A token that is not well-formed costs no
/// statement.
class subscriber_store {
 public:
  struct limits {
    std::int64_t subscribers = 2'000;           ///< active ones of a page, and as many pending ones
    std::int64_t confirmations_per_hour = 600;  ///< of the installation; half of them for a project
  };

  explicit subscriber_store(postgres::pool& db) : db_(db) {}

  /// Queues the request, for the route. Returns false if the queue is full. The time does not depend on the address.
  /// The thread that empties the queue calls `subscribe`.
  task<bool> request(subscription_queue& queue, subscription_request request, deadline until);

  /// Returns the project of a page that takes subscribers; otherwise nothing.
  task<std::optional<uuid>> find_project(uuid page, deadline until);

  /// Stores a pending subscription and queues its confirmation, unless another outcome applies.
  task<subscription_outcome> subscribe(subscription_request request, master_keys& master, limits most,
                                       deadline until);

  /// Returns what the page's link with this token shows: `confirm`, `stop` or `link_over`. Changes nothing.
  task<pages::subscription_step> find_link(uuid page, std::string token, deadline until);

  /// Performs the action of a button, and returns the step to show: `confirmed`, `refused`, `stopped`, or
  /// `link_over`. An action that does not fit the subscription's state changes nothing: `link_over`. To stop twice is
  /// to stop once. `refuse` removes the address from all pages, and keeps every page from writing to it again.
  task<pages::subscription_step> act(uuid page, std::string token, subscription_action action, limits most,
                                     deadline until);

  /// Deletes pending subscriptions that are over, counts of mails that no longer limit anything, and the oldest
  /// refusals beyond `refusals`, up to `most` of each. Returns how many.
  task<std::int64_t> delete_over(std::int64_t most, deadline until, std::int64_t refusals = most_mail_refusals);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
