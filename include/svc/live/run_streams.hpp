#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/run.hpp"
#include "svc/domain/run_event.hpp"
#include "svc/http/message.hpp"
#include "svc/live/stream_places.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace svc::redis {
class client;
}
namespace svc::store {
class run_store;
}

namespace svc::live {

class archive;
class board;

/// Says whether the viewer may still see the run; asked at each heartbeat. Throws nothing: who cannot know says no.
using permission_check = std::function<task<bool>()>;

/// What a worker's streams work with; all of it outlives them.
struct stream_parts {
  asio::io_context& io;
  redis::client& redis;
  board& from;
  archive& stored;
  store::run_store& runs;
  stream_places& places;
  gauge open{};  ///< streams that are being sent
  milliseconds heartbeat{15'000};
};

/// Makes the bodies of `GET /api/runs/{id}/stream`. Worker-local.
class run_streams {
 public:
  explicit run_streams(stream_parts parts) : parts_(std::move(parts)) {}

  /// A place for one more stream; stream_limit_reached.
  result<stream_places::place> reserve(uuid const& token, uuid const& project) const {
    return parts_.places.take(token, project);
  }
  /// The events behind `from`, or all of them beginning with the queue.
  std::shared_ptr<http::body_stream> open(stream_places::place place, uuid project, run const& of,
                                          std::optional<event_id> from, permission_check may) const;
  /// The client has all of it, the end too: there is nothing to stream. Throws `unavailable`.
  task<result<bool>> seen_to_the_end(run of, event_id from, deadline until) const;

 private:
  stream_parts parts_;
};

}  // namespace svc::live
