#pragma once

#include "svc/access/fallback.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/domain/limit.hpp"
#include "svc/redis/client.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace svc::access {

/// A window of one subject: a UUID, or an address in its canonical form.
struct subject_window {
  std::string subject;
  class_window window;
};

/// The requests that a window counts.
struct window_use {
  std::int64_t counted = 0;
  std::int64_t reset_micros = 0;  ///< the oldest of them leaves the window, by Redis's clock; 0: none is counted
};

/// Reads in Redis what windows count, without counting anything. Worker-local; the client and the fallback outlive
/// it.
class window_reader {
 public:
  window_reader(redis::client& redis, fallback const& fallback)
      : fallback_(fallback), calls_(redis, script(), redis::reply_wait::prompt) {}

  /// Returns the use of each window, in order. The windows of one subject are from one moment. Throws `unavailable`
  /// while Redis is lost, because each instance then counts by itself.
  task<std::vector<window_use>> read(std::vector<subject_window> windows, deadline until);

  /// The script must be loaded on each connection.
  static redis::script const& script();

 private:
  fallback const& fallback_;
  redis::script_batch calls_;
};

}  // namespace svc::access
