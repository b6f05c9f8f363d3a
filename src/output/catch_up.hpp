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

/// What one viewer has of a run, and where the rest comes from. The viewer is behind until it has read to the end of
/// what Redis holds; from then on it takes the batches that all viewers share. After the run's end PostgreSQL has
/// what Redis no longer holds. Batches may come twice or out of order: the ids of the events decide. Decides and does
/// no I/O: the stream reads when this says so, and passes on what it found. Worker-local, owned by its stream.
class catch_up {
 public:
  /// Events in one read of Redis.
  static constexpr int page = 32;
  /// Bytes of shared batches that may wait for a viewer whose socket takes nothing; its own do not count.
  static constexpr std::size_t most_waiting = 1024UL * 1024;
  /// Batches that are kept while a read is under way.
  static constexpr std::size_t most_heard = 16;
  /// Before a store that did not have what is missing is read again.
  static constexpr milliseconds pause{1000};
  /// How long after the run's end Redis or PostgreSQL may take to come back with the rest.
  static constexpr std::chrono::seconds grace{30};

  /// `of`: as just read from the database.
  catch_up(run const& of, std::optional<event_id> from, steady::time_point now);

  enum class heard : std::uint8_t {
    nothing,  ///< all events are here
    news,     ///< there may be something to send or to read
    too_much  ///< the viewer is too slow for what is shared
  };
  /// `blind`: nothing may be sent now, so nothing is kept; a later read finds it.
  heard hear(news const& what, bool blind, steady::time_point now);

  /// Begins a read of Redis, of what follows the event; empty: no read now.
  std::optional<event_id> read(steady::time_point now);
  /// What Redis holds there, at most a page; empty: it could not be read. True: PostgreSQL is to be asked for the
  /// rest.
  bool found(std::optional<std::vector<run_event>> const& events, steady::time_point now);
  /// What PostgreSQL holds of the output and of the run. False: the run was deleted, and the stream ends without an
  /// event.
  bool concluded(result<archive::found> const& kept, result<run> const& of, steady::time_point now);
  /// PostgreSQL could not be asked.
  void failed(steady::time_point now) { try_again(now); }
  /// The read is over, whatever it found.
  void finish() { reading_ = false; }

  /// What to send next; empty: nothing now.
  http::body_stream::piece take();
  /// The last event that was taken.
  event_id taken() const { return queue_.taken(); }
  /// All events to the run's end are here.
  bool complete() const { return queue_.complete(); }
  /// Drops what was not taken.
  void give_up();
  /// When to read next, unless news comes first.
  steady::time_point due() const { return behind_ && !reading_ ? again_ : steady::time_point::max(); }

 private:
  void try_again(steady::time_point now);
  void replay();
  void finish_with(std::string status, bool gap);

  event_queue queue_;
  std::int64_t attempt_;                                  ///< as the database knew it at the start
  bool running_;                                          ///< then
  std::optional<steady::time_point> ended_since_{};       ///< when the database first said so
  steady::time_point again_ = steady::time_point::min();  ///< no read before this
  bool behind_ = true;
  bool reading_ = false;
  std::vector<batch_ptr> heard_{};  ///< while it was reading; bounded
  bool more_ = false;               ///< more came than was kept
  archive::text_ptr replayed_{};    ///< from PostgreSQL
  std::string_view replay_rest_{};
  std::string final_status_{};  ///< of what is replayed
};

}  // namespace svc::output
