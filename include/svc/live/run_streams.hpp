#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/principal.hpp"
#include "svc/domain/run.hpp"
#include "svc/domain/run_event.hpp"
#include "svc/http/message.hpp"
#include "svc/live/stream_places.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace svc::redis {
class client;
}
namespace svc::store {
class run_store;
}

namespace svc::live {

class archive;
class board;

/// What a look at a viewer's right found.
struct proof {
  enum class kind : std::uint8_t {
    holds,
    ended,
    unknown,  ///< neither store says so now
  };
  kind what = kind::unknown;
  std::int64_t epoch = 0;  ///< holds: its subject's, by which it was proven
};

/// Looks whether the viewer may still see the run. What was read of the credential before that epoch counts for
/// nothing; 0: whatever is proven. Throws nothing.
using permission_check = std::function<task<proof>(std::int64_t at_least)>;

/// By whose right a stream is sent: as it was let in, and how that is looked at again.
struct viewer_right {
  uuid subject{};
  std::int64_t epoch = 0;
  permission_check check{};
};

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

class stream_audience;

/// Makes the bodies of `GET /api/runs/{id}/stream`. Worker-local.
class run_streams {
 public:
  explicit run_streams(stream_parts parts);

  /// A place for one more stream; stream_limit_reached.
  result<stream_places::place> reserve(uuid const& token, uuid const& project) const {
    return parts_.places.take(token, project);
  }
  /// The events behind `from`, or all of them beginning with the queue.
  std::shared_ptr<http::body_stream> open(stream_places::place place, uuid project, run const& of,
                                          std::optional<event_id> from, viewer_right by) const;
  /// These epochs were raised. Streams by an older right send nothing until it is proven again, which they ask for at
  /// once; without this news the next heartbeat would.
  void doubt(std::vector<subject_epoch> const& raised);
  /// The client has all of it, the end too: there is nothing to stream. Throws `unavailable`.
  task<result<bool>> seen_to_the_end(run of, event_id from, deadline until) const;

 private:
  stream_parts parts_;
  std::shared_ptr<stream_audience> audience_;
};

}  // namespace svc::live
