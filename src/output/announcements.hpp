#pragma once

#include "output/event_queue.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/run_event.hpp"
#include "svc/redis/client.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::output {

/// The channel for news of a run. A message is `<id before> <newest id>`, followed by ` !` when the run has ended, or
/// `!` alone when the run has ended in the database without a new event. Has the hash tag of the run's keys.
inline std::string channel_of(uuid const& run) {
  return "svc:{" + run.to_string() + "}:news";
}
/// What the scripts that write output are told: the command that publishes, and the channel.
inline std::string announcement_of(redis::client const& redis, uuid const& run) {
  return std::string(redis.publish_word()) + " " + channel_of(run);
}
/// The run that this channel belongs to; empty if it is no run's channel.
std::optional<uuid> run_of_channel(std::string_view channel);

/// One message about a run; `channel_of` describes its text.
struct news_line {
  std::optional<std::pair<event_id, event_id>> events{};  ///< the event before the new ones, and the newest
  bool ended = false;
};
std::optional<news_line> read_news(std::string_view payload);

/// What was announced of one run, how far it has been read, and what its watchers are told. One read runs at a time;
/// it goes on until the watchers have everything announced. Decides and does no I/O. Belongs to the hub.
class announcements {
 public:
  /// True: a read begins now. False: the read under way covers this as well.
  bool hear(news_line const& line);
  /// The event after which the next page begins; empty: nothing is left to read.
  std::optional<event_id> unread() const;
  /// Turns a page from Redis into the batch for the watchers. Null when there is no page or an empty one, because the
  /// events are lost or Redis is unreachable: each watcher then reads for itself, and the hub continues with the next
  /// announcement.
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
