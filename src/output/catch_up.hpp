#pragma once

#include "output/event_queue.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/run.hpp"
#include "svc/output/archive.hpp"
#include "svc/output/hub.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::output {

/// What one viewer has of a run, and where the rest comes from. The viewer is behind until it has read everything
/// that Redis holds; from then on it takes the batches that all viewers share. After the run's end, PostgreSQL has
/// what Redis no longer holds. Batches may come twice or out of order; the ids of the events decide what is new.
/// Decides and does no I/O: the stream reads when told to and reports what it found. Worker-local, owned by its
/// stream.
class catch_up {
 public:
  /// The most events in one read of Redis.
  static constexpr int page = 32;
  /// Bytes that may wait for a viewer. A viewer is too slow when its queue was not empty before some news and exceeds
  /// this limit after it.
  static constexpr std::size_t most_waiting = 1024UL * 1024;
  /// The most batches kept while a read is under way.
  static constexpr std::size_t most_heard = 16;
  /// How long to wait before a store is read again that did not answer or did not have the missing events.
  static constexpr milliseconds pause{1000};
  /// The longest wait: it doubles with each attempt in a row that did not bring the stored output.
  static constexpr milliseconds longest_pause{30'000};
  /// How long after the run's end to wait for the rest from Redis or PostgreSQL before the stream ends with a gap.
  static constexpr std::chrono::seconds grace{30};

  /// `run`: the run as just read from the database.
  catch_up(run const& run, std::optional<event_id> id, steady::time_point now);

  enum class heard : std::uint8_t {
    nothing,  ///< all events are here already
    news,     ///< there may be something to send or to read
    too_much  ///< the viewer is too slow
  };
  /// `blind`: nothing may be sent now, so the news is not kept; a later read finds its events.
  heard hear(news const& news, bool blind, steady::time_point now);

  /// Begins a read of Redis, after the returned event; empty: no read now.
  std::optional<event_id> read(steady::time_point now);
  /// The events that the read found, at most a page; empty: Redis could not be read. True: the caller must ask
  /// PostgreSQL for the rest.
  bool found(std::optional<std::vector<run_event>> const& events, steady::time_point now);
  /// What PostgreSQL holds of the output and of the run. False: the run was deleted, so the stream ends without a
  /// final event.
  bool concluded(result<archive::found> const& kept, result<run> const& run, steady::time_point now);
  /// PostgreSQL could not be asked.
  void failed(steady::time_point now) { try_again(now); }
  /// The read is over, with or without a result.
  void finish() { reading_ = false; }

  /// What to send next; empty: nothing now.
  http::body_stream::piece take();
  /// The event after which the viewer may resume.
  event_id taken() const { return queue_.taken(); }
  /// All events up to the run's end are here.
  bool complete() const { return queue_.complete(); }
  /// Drops what was not taken.
  void give_up();
  /// When to read next if no news comes before.
  steady::time_point due() const { return behind_ && !reading_ ? again_ : steady::time_point::max(); }

 private:
  void try_again(steady::time_point now);
  void replay();
  void finish_with(std::string status, bool gap);

  event_queue queue_;
  std::int64_t attempt_;                                  ///< in the database when the stream began
  bool running_;                                          ///< in the database when the stream began
  std::optional<steady::time_point> ended_since_{};       ///< when this stream first learned of the run's end
  steady::time_point again_ = steady::time_point::min();  ///< no read before this
  milliseconds pause_ = pause;                            ///< before the next attempt that is refused
  bool behind_ = true;
  bool reading_ = false;
  std::vector<batch_ptr> heard_{};  ///< during the read, at most `most_heard`
  bool more_ = false;               ///< news came that was not kept
  archive::text_ptr replayed_{};    ///< the stored output that is being replayed
  std::string_view replay_rest_{};
  std::string final_status_{};  ///< the run's status, used if the replay has no end
};

}  // namespace svc::output
