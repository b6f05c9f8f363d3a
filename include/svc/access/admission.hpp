#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/limit.hpp"
#include "svc/domain/principal.hpp"
#include "svc/redis/client.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::access {

/// One question to Redis. `subject` is a UUID or an address in its canonical form.
struct admission_request {
  std::string subject;
  epoch_mode mode = epoch_mode::none;
  std::int64_t epoch = 0;
  rate_class which = rate_class::none;
  window_limit window{};               ///< limit 0: only confirm the epoch, count nothing
  std::optional<class_window> also{};  ///< a second window; the request counts in both or in neither
  std::string also_subject{};          ///< subject of the second window, such as a key's project; empty: the same
};

enum class admission_verdict : std::uint8_t {
  ok,
  denied,
  stale,  ///< nothing was written or counted
  lost,   ///< no answer in time, or a malformed one; whether Redis counted the request is unknown
};

struct admission_reply {
  admission_verdict verdict = admission_verdict::lost;
  std::optional<std::int64_t> epoch{};  ///< the epoch in Redis
  limit_decision decision{};            ///< valid for ok and denied; of two windows, the one that `shown_of` returns
  bool moving = false;                  ///< lost, but not for a fault of Redis: `redis::outcome::moving`
  std::string refusal{};                ///< lost, because Redis answered with this error; otherwise empty
};

/// Takes decisions in Redis, where all instances share them: checking the epoch, checking the window and
/// counting are one atomic step. Concurrent requests share a script call. A decision waits for a late reply while
/// Redis shows signs of life, because a decision taken elsewhere would make the limit inexact. Worker-local.
class admission {
 public:
  explicit admission(redis::client& redis) : redis_(redis), calls_(redis, script(), redis::reply_wait::patient) {}

  /// Makes one script call. In a Redis Cluster the second window of another subject may lie in another slot,
  /// which no script may touch; then it makes two consecutive calls. The second window counts only if the
  /// first one admits. If the second one denies, the first count is given back. So no limit is ever exceeded,
  /// but a concurrent request may be refused although a slot is about to become free.
  task<admission_reply> admit(admission_request request, deadline until);

  /// The script must be loaded on each connection.
  static redis::script const& script();

 private:
  task<admission_reply> admit_together(admission_request request, deadline until);
  task<admission_reply> admit_apart(admission_request request, deadline until);

  redis::client& redis_;
  redis::script_batch calls_;
};

/// Reads the script's reply; `lost` for anything the script never returns. Pure.
admission_reply read_admission_reply(redis::outcome const& outcome, class_window first,
                                     std::optional<class_window> const& also = {});

/// Returns the key of a window's log, `svc:{<subject>}:w:<class>:<seconds>`.
std::string window_key(std::string_view subject, class_window const& window);
/// Returns the length of a window in microseconds, as an argument of scripts.
std::string window_micros(window_limit const& window);

redis::script const& bump_script();
redis::script const& put_script();
redis::script const& announce_script();
/// Returns the scripts that authentication and changes need on each Redis connection in addition to
/// `admission::script`.
std::vector<redis::script const*> scripts();

/// Tries once to bump one subject's epoch in Redis. Returns true if Redis then holds it or a higher one. The
/// client must outlive the task.
task<bool> bump_epoch(redis::client& redis, subject_epoch entry, deadline until);

}  // namespace svc::access
