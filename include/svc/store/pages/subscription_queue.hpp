#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace svc::store {

/// A visitor's request for the mails of a page.
struct subscription_request {
  uuid page{};
  std::string email{};             ///< as the visitor wrote it
  std::vector<uuid> components{};  ///< empty: all components
  steady::time_point asked_at = steady::now();
};

/// Requests for subscriptions, which have been answered and wait until they are stored. They are answered before, so
/// that neither the answer nor its time tells who is a subscriber. Thread-safe.
class subscription_queue {
 public:
  static constexpr std::size_t most = 256;

  /// Returns false if the queue is full.
  bool push(subscription_request request);
  std::optional<subscription_request> pop();
  /// Puts back a request that could not be stored yet, behind the others, because the request itself may cause the
  /// failure. It has its place even if the queue has become full.
  void put_back(subscription_request request);
  std::size_t size() const;

 private:
  mutable std::mutex mutex_{};
  std::deque<subscription_request> waiting_{};
};

}  // namespace svc::store
