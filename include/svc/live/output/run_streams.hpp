#pragma once

#include "svc/access/reauthorization.hpp"
#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/result.hpp"
#include "svc/core/shared_counts.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/principal.hpp"
#include "svc/domain/run.hpp"
#include "svc/domain/run_event.hpp"
#include "svc/http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace svc::redis {
class client;
}
namespace svc::store {
class run_store;
}

namespace svc::output {

/// Number of streams that one instance sends at a time.
struct stream_limits {
  std::size_t all = 5000;
  std::size_t project = 200;
  std::size_t token = 20;
};

/// Returns the terms of the account of an instance's streams.
account_terms terms_of(stream_limits const& limits);

/// Counts the streams of one instance, over all its workers. Thread-safe; outlives every slot.
class stream_slots {
 public:
  /// The slot of one stream; its destructor gives it back.
  class slot {
   public:
    slot(slot&& other) noexcept
        : slots_(std::exchange(other.slots_, nullptr)), token_(other.token_), project_(other.project_) {}
    slot& operator=(slot&&) = delete;
    ~slot();

   private:
    friend stream_slots;
    slot(stream_slots& slots, shared_counts::key token, uuid const& project)
        : slots_(&slots), token_(token), project_(project) {}

    stream_slots* slots_;
    shared_counts::key token_;
    uuid project_;
  };

  /// `all` is an account with the terms of these limits; it outlives this object.
  stream_slots(stream_limits limits, account& all) : limits_(limits), all_(all) {}
  stream_slots(stream_slots const&) = delete;
  stream_slots& operator=(stream_slots const&) = delete;

  /// Takes a slot, or returns stream_limit_reached with the limit that was reached.
  result<slot> take(uuid const& token, uuid const& project);

 private:
  stream_limits const limits_;
  shared_counts tokens_{};
  account& all_;
};

class archive;
class subscriptions;

/// The right of a viewer to a stream: the subject and epoch that admitted it, and the check that renews it.
struct viewer_right {
  uuid subject{};
  std::int64_t epoch = 0;
  access::permission_check check{};
};

/// Objects that a worker's streams use; all of them outlive the streams.
struct stream_parts {
  asio::io_context& io;
  redis::client& redis;
  subscriptions& subscriptions;
  archive& stored;
  store::run_store& runs;
  stream_slots& slots;
  gauge open{};  ///< streams that are being sent
  milliseconds heartbeat{15'000};
};

class stream_audience;
struct viewer_parts;

/// Makes the bodies of `GET /api/runs/{id}/stream`. Worker-local.
class run_streams {
 public:
  explicit run_streams(stream_parts parts);

  /// Takes a slot for one more stream. May return stream_limit_reached.
  result<stream_slots::slot> reserve(uuid const& token, uuid const& project) const {
    return parts_.slots.take(token, project);
  }
  /// Returns the parts for other kinds of streams of this worker, which `revalidate` reaches too. `open` counts them.
  viewer_parts viewing(gauge open) const;
  /// Streams the events after `id`; without `id`, all events, starting with `status: queued`.
  std::shared_ptr<http::body_stream> open(stream_slots::slot slot, uuid project, run const& run,
                                          std::optional<event_id> id, viewer_right right) const;
  /// Revalidates the streams after these epochs were bumped. Streams admitted under an older epoch check
  /// their right at once and send nothing until it is confirmed. Without this call, they would check at their
  /// next heartbeat.
  void revalidate(std::vector<subject_epoch> const& bumped);
  /// Returns true if a client that has received everything up to `id` has all events including the end, so that there
  /// is nothing to stream. Throws `unavailable`.
  task<result<bool>> seen_to_the_end(uuid project, run run, event_id id, deadline until) const;

 private:
  stream_parts parts_;
  std::shared_ptr<stream_audience> audience_;
};

}  // namespace svc::output
