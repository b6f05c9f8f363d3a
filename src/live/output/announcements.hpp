#pragma once

#include "live/output/event_queue.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/run_event.hpp"
#include "svc/redis/client.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::output {

/// Returns the channel for news of a run, which has the hash tag of the run's keys. A message is `<id before> <newest
/// id>`, followed by ` !` if the run has ended. A message is just `!` if the run has ended in the database without a
/// new event.
inline std::string channel_of(uuid const& run) {
  return "svc:{" + run.to_string() + "}:news";
}
/// Returns the argument of the scripts that write output: the command that publishes, and the channel.
inline std::string announcement_of(redis::client const& redis, uuid const& run) {
  return std::string(redis.publish_word()) + " " + channel_of(run);
}
/// Returns the run that this channel belongs to; empty if it is no run's channel.
std::optional<uuid> run_of_channel(std::string_view channel);

/// One message about a run; `channel_of` describes its text.
struct news_line {
  std::optional<std::pair<event_id, event_id>> events{};  ///< the event before the new ones, and the newest
  bool ended = false;
};
std::optional<news_line> read_news(std::string_view payload);

/// Tracks the announced events of one run, the read events, and the events that its watchers have received. One read
/// runs at a time; it continues until the watchers have everything announced. Decides and does no I/O. Belongs to the
/// hub.
class announcements {
 public:
  /// Records an announcement. Returns true if a read starts now, and false if the current read covers it as well.
  bool hear(news_line const& line);
  /// Returns the event after which the next page starts; empty if nothing is left to read.
  std::optional<event_id> unread() const;
  /// Turns a page from Redis into the batch for the watchers. Returns null if there is no page or an empty one,
  /// because the events are lost or Redis is unreachable. Each watcher then reads on its own, and the hub continues
  /// with the next announcement.
  batch_ptr found(std::optional<std::vector<run_event>> const& page);
  /// Ends the read. Returns true if the watchers must be notified that the run has ended.
  bool finish();

 private:
  std::optional<event_id> reported_{};  ///< the watchers have received everything up to here
  event_id newest_{};                   ///< announced so far
  bool ended_ = false;                  ///< announced, but the watchers were not notified yet
  bool reading_ = false;
};

}  // namespace svc::output
