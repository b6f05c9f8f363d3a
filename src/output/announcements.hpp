#pragma once

#include "output/event_queue.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/run_event.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::output {

/// Where news of a run is published: `<id before> <newest id>`, with ` !` after it when the run has ended, or `!`
/// alone when only the database has changed. The hash tag is that of the run's keys.
inline std::string channel_of(uuid const& run) {
  return "svc:{" + run.to_string() + "}:news";
}
/// The run whose channel this is.
std::optional<uuid> run_of_channel(std::string_view channel);

/// What is published of a run; `channel_of` says how it is written.
struct news_line {
  std::optional<std::pair<event_id, event_id>> events{};  ///< what stood before, and the newest
  bool ended = false;
};
std::optional<news_line> read_news(std::string_view payload);

/// What was announced of one run, how far it has been read, and what its watchers are told. One read at a time, until
/// they were told everything that was announced. Decides and does no I/O. Belongs to the hub.
class announcements {
 public:
  /// True: a read begins now. False: the read under way covers this as well.
  bool hear(news_line const& line);
  /// The event after which the next page of the read begins; empty: everything announced was read.
  std::optional<event_id> unread() const;
  /// The batch that a page from Redis brings to the watchers. Null when there is no page or an empty one, because the
  /// events are lost or Redis is away: each watcher then reads for itself, and the next announcement begins anew.
  batch_ptr found(std::optional<std::vector<run_event>> const& page);
  /// The read is over. True: the watchers must be told that the run has ended.
  bool finish();

 private:
  std::optional<event_id> told_{};  ///< the watchers were told everything up to here
  event_id newest_{};               ///< announced so far
  bool ended_ = false;              ///< announced, but the watchers were not told yet
  bool reading_ = false;
};

}  // namespace svc::output
