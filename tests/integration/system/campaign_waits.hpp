#pragma once

#include "campaign/waits.hpp"
#include "support/https_client.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

/// Of one thing at a time; each thread may add.
template <class Entry>
class shared_book {
 public:
  void add(Entry one) {
    std::lock_guard const lock(mutex_);
    all_.push_back(std::move(one));
  }
  std::vector<Entry> all() const {
    std::lock_guard const lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Entry> all_{};
};

struct to_ask {
  std::string method{}, target{}, body{};
  support::header_list headers{};
};

/// Asks on a connection of its own, so that nothing is sent twice unseen, and books it as `what`. Status 0: the
/// connection ended without an answer.
support::answer ask_timed(support::api_client& by, shared_book<timed_request>& book, std::string what,
                          to_ask const& request);

/// Somebody stood still.
struct freeze {
  std::string who{};
  std::chrono::steady_clock::time_point from{}, to{};
  bool only_itself = false;  ///< a client: nobody else's requests wait for it
};

/// How long a request took beyond all freezes that overlapped it, and beyond what it asked for.
struct wait_beyond {
  timed_request request{};
  std::chrono::milliseconds frozen{}, beyond{};

  std::string text() const;
};

struct waits_verdict {
  std::size_t requests = 0, overlapped = 0;  ///< all; those that a freeze overlapped
  wait_beyond highest{};
  std::vector<wait_beyond> late{};       ///< beyond the limit
  std::vector<timed_request> strange{};  ///< answered by a 5xx that is not 503

  std::string text() const;
};

/// Each moment of a request counts as frozen once, whoever and how many stood still.
waits_verdict check_waits_of(std::vector<freeze> const& freezes, std::vector<timed_request> const& requests,
                             std::chrono::milliseconds limit);

}  // namespace svc::test
