#pragma once

#include "live/output/event_queue.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/run.hpp"
#include "svc/live/output/archive.hpp"
#include "svc/live/output/run_event_hub.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::output {

/// Tracks the events that one viewer has of a run, and the source of the remaining ones. The viewer is behind until
/// it has read everything that Redis holds; from then on it takes the batches that all viewers share. After the run's
/// end, PostgreSQL has the events that Redis no longer holds. Batches may arrive twice or out of order; the ids of
/// the events decide which are new. Decides and does no I/O: the stream reads on request and reports the result.
/// Worker-local, owned by its stream.
class catch_up {
 public:
  /// Largest number of events in one read of Redis.
  static constexpr int page = 32;
  /// Bytes that may wait for a viewer. A viewer is too slow if its queue was not empty before some news and exceeds
  /// this limit after it.
  static constexpr std::size_t most_waiting = 1024UL * 1024;
  /// Largest number of batches kept while a read runs.
  static constexpr std::size_t most_heard = 16;
  /// Wait before the next read of a store that did not answer or did not have the missing events.
  static constexpr milliseconds pause{1000};
  /// The longest wait: it doubles with each attempt in a row that did not bring the stored output.
  static constexpr milliseconds longest_pause{30'000};
  /// Wait after the run's end for the rest from Redis or PostgreSQL, before the stream ends with a gap.
  static constexpr std::chrono::seconds grace{30};

  /// `run` is the run as just read from the database.
  catch_up(run const& run, std::optional<event_id> id, steady::time_point now);

  enum class heard_event : std::uint8_t {
    nothing,  ///< all events are here already
    news,     ///< there may be something to send or to read
    too_much  ///< the viewer is too slow
  };
  /// `blind` means that nothing may be sent now, so the news is not kept; a later read finds its events.
  heard_event hear(news const& news, bool blind, steady::time_point now);

  /// Starts a read of Redis after the returned event; empty: no read now.
  std::optional<event_id> read(steady::time_point now);
  /// Takes the events of a read, at most a page; empty if Redis could not be read. Returns true if the caller must
  /// ask PostgreSQL for the rest.
  bool found(std::optional<std::vector<run_event>> const& events, steady::time_point now);
  /// Takes the output and the run from PostgreSQL. Returns false if the run was deleted, so that the stream ends
  /// without a final event.
  bool concluded(result<archive::found_part> const& kept, result<run> const& run, steady::time_point now);
  /// Reports that PostgreSQL could not be asked.
  void failed(steady::time_point now) { try_again(now); }
  /// Ends the read, with or without a result.
  void finish() { reading_ = false; }

  /// Returns the text to send next; empty: nothing now.
  http::body_stream::piece take();
  /// Returns the event after which the viewer may resume.
  event_id taken() const { return queue_.taken(); }
  /// True if all events up to the run's end are here.
  bool complete() const { return queue_.complete(); }
  /// Drops the waiting events.
  void give_up();
  /// Returns the time of the next read if no news arrives before.
  steady::time_point due() const { return behind_ && !reading_ ? again_ : steady::time_point::max(); }

 private:
  void try_again(steady::time_point now);
  void replay();
  void finish_with(std::string status, bool gap);

  event_queue queue_;
  std::int64_t attempt_;                                  ///< as in the database when the stream started
  bool running_;                                          ///< as in the database when the stream started
  std::optional<steady::time_point> ended_since_{};       ///< time when this stream first learned of the run's end
  steady::time_point again_ = steady::time_point::min();  ///< no read before this
  milliseconds pause_ = pause;                            ///< wait after the next failed attempt
  bool behind_ = true;
  bool reading_ = false;
  std::vector<batch_ptr> heard_{};  ///< during the read, at most `most_heard`
  bool more_ = false;               ///< news arrived that was not kept
  archive::text_ptr replayed_{};    ///< the stored output that is being replayed
  std::string_view replay_rest_{};
  std::string final_status_{};  ///< the run's status, used if the replay has no end
};

}  // namespace svc::output
