#pragma once

#include "integration/system/campaigns/runner/waits.hpp"
#include "support/https_client.hpp"

#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace svc::test {

/// A list to which every thread may add.
template <class Entry>
class shared_book {
 public:
  void add(Entry request) {
    std::lock_guard const lock(mutex_);
    all_.push_back(std::move(request));
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

/// Sends the request on a new connection, so that no request is sent twice unnoticed, and records it as `subject`.
/// Status 0: the connection ended without an answer.
support::answer ask_timed(support::api_client& client, shared_book<timed_request>& book, std::string subject,
                          to_ask const& request);

/// A process that stood still.
struct freeze {
  std::string name{};
  std::chrono::steady_clock::time_point start{}, end{};
  bool only_itself = false;  ///< a client: no other requests wait for it
};

/// The time that a request took beyond all freezes that overlapped it, and beyond the wait that it requested.
struct wait_beyond {
  timed_request request{};
  std::chrono::milliseconds frozen{}, beyond{};

  std::string text() const;
};

struct waits_verdict {
  std::size_t requests = 0, overlapped = 0;  ///< all requests; the requests that a freeze overlapped
  wait_beyond highest{};
  std::vector<wait_beyond> late{};       ///< later than the limit
  std::vector<timed_request> strange{};  ///< answered with a 5xx other than 503

  std::string text() const;
};

/// Each moment of a request counts as frozen once, regardless of the number of frozen processes.
waits_verdict check_waits_of(std::vector<freeze> const& freezes, std::vector<timed_request> const& requests,
                             std::chrono::milliseconds limit);

}  // namespace svc::test
