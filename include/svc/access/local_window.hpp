#pragma once

#include "svc/core/deadline.hpp"
#include "svc/domain/limit.hpp"

#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace svc::access {

/// Sliding windows of one limit in this worker's memory. The gate has an object for refusals that need no store.
/// `fallback` has one for each limit, of which it counts this instance's share while Redis is lost. Worker-local;
/// holds a bounded number of subjects and drops the least recently seen.
class local_window {
 public:
  explicit local_window(rate_class which, window_limit window, std::size_t max_subjects = 10'000)
      : which_(which), window_(window), max_subjects_(max_subjects) {}

  /// `now` decides; `wall_micros`, Unix time by the database's clock, is only for the headers.
  limit_decision count(std::string_view subject, steady::time_point now, std::int64_t wall_micros);

  /// Takes back the newest admission of this subject that still counts.
  void take_back(std::string_view subject);

  /// Sets another limit from now on; earlier counts stay.
  void change(window_limit window) { window_ = window; }

  std::size_t subjects() const { return windows_.size(); }

 private:
  struct entry {
    std::deque<steady::time_point> stamps;
    std::list<std::string>::iterator use;
  };

  entry& touch(std::string_view subject);

  rate_class which_;
  window_limit window_;
  std::size_t max_subjects_;
  std::list<std::string> by_use_;                        ///< most recent first
  std::unordered_map<std::string_view, entry> windows_;  ///< keys are views into `by_use_`
};

/// Windows that were just found full, remembered for at most 50 ms. So a client that hammers a full window
/// costs Redis at most 20 calls per second and worker. Bounded. Worker-local; pure: times are parameters.
class denials {
 public:
  /// `sent` is the time when the question left, so that the answer's age is never underestimated.
  void remember(std::string const& key, limit_decision const& denied, steady::time_point sent);
  bool empty() const { return entries_.empty(); }
  /// Returns the denial while it is valid, with its clock advanced to `now`.
  std::optional<limit_decision> find(std::string const& key, steady::time_point now);

 private:
  struct entry {
    limit_decision denied;
    steady::time_point sent;
    steady::time_point until;
  };
  std::unordered_map<std::string, entry> entries_;
};

}  // namespace svc::access
