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
#include <vector>

namespace svc::access {

/// One question to Redis. `subject` is a UUID or an address in its canonical form.
struct admission_request {
  std::string subject;
  epoch_mode mode = epoch_mode::none;
  std::int64_t epoch = 0;
  rate_class which = rate_class::none;
  window_limit window{};               ///< limit 0: only confirm the epoch, count nothing
  std::optional<class_window> also{};  ///< a second window: counted in both, or in neither
  std::string also_subject{};  ///< whose the second window is, such as a key's project; empty: the same subject
};

enum class admission_verdict : std::uint8_t {
  ok,
  denied,
  stale,  ///< nothing was written or counted
  lost,   ///< no answer in time, or a malformed one; whether Redis counted the request is unknown
};

struct admission_reply {
  admission_verdict verdict = admission_verdict::lost;
  std::optional<std::int64_t> epoch{};  ///< what Redis holds
  limit_decision decision{};            ///< meaningful for ok and denied; of two windows `shown_of` them
  bool moving = false;                  ///< lost, but not for a fault of Redis: `redis::outcome::moving`
  std::string refusal{};                ///< lost, because Redis answered with this error; otherwise empty
};

/// Takes decisions in Redis, where all instances share them: checking the epoch, checking the window and
/// counting are one atomic step. Concurrent requests share a script call. A decision waits for a late reply while
/// Redis shows signs of life, because a decision taken elsewhere would make the limit inexact. Worker-local.
class admission {
 public:
  explicit admission(redis::client& redis) : redis_(redis), calls_(redis, script(), redis::reply_wait::patient) {}

  /// One script call. In a Redis Cluster a second window of another subject may lie in another slot, which no script
  /// may touch: two calls then, one after the other. The second window is counted only if the first one admits. If
  /// the second one denies, the first one is given back, so no limit is ever exceeded, and a request of the same
  /// moment may be refused although its slot is about to fall free.
  task<admission_reply> admit(admission_request request, deadline until);

  /// Must be loaded on each connection.
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

redis::script const& bump_script();
redis::script const& put_script();
redis::script const& announce_script();
/// The scripts that authentication and changes need on each Redis connection, besides `admission::script`.
std::vector<redis::script const*> scripts();

/// Tries once to raise one subject's epoch in Redis; true when Redis holds it, or a higher one. The client must
/// outlive the task.
task<bool> bump_epoch(redis::client& redis, subject_epoch entry, deadline until);

}  // namespace svc::access
