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

/// What one viewer has of a run, and where the rest comes from. It is behind until it has read to the end of what
/// Redis holds, and from then on takes the batches that all viewers share; after the run's end PostgreSQL has what
/// Redis has not. Whatever it is told twice, or out of order, the numbers of the events decide. Decides and does no
/// I/O: its stream reads when this says so, and brings what it found. Worker-local, owned by its stream.
class catch_up {
 public:
  /// Of one read of Redis.
  static constexpr int page = 32;
  /// A viewer whose socket takes nothing may owe so much of what is shared, not of its own.
  static constexpr std::size_t most_waiting = 1024UL * 1024;
  /// Batches that are kept while a read is under way.
  static constexpr std::size_t most_heard = 16;
  /// Before a store that had not what is missing is read again.
  static constexpr milliseconds pause{1000};
  /// So long after the end Redis, or PostgreSQL, has time to come back with the rest.
  static constexpr std::chrono::seconds grace{30};

  /// `of`: as the database knew it just now.
  catch_up(run const& of, std::optional<event_id> from, steady::time_point now);

  enum class heard : std::uint8_t {
    nothing,  ///< all events are here
    news,     ///< there may be something to send or to read
    too_much  ///< the viewer is too slow for what is shared
  };
  /// `blind`: nothing may be sent now, so nothing is kept either, and a read finds it later.
  heard hear(news const& what, bool blind, steady::time_point now);

  /// Begins to read Redis, after that event; nothing: not now.
  std::optional<event_id> read(steady::time_point now);
  /// What Redis holds there, at most a page; nothing: it was not read. True: now PostgreSQL is asked for the rest.
  bool found(std::optional<std::vector<run_event>> const& events, steady::time_point now);
  /// What PostgreSQL keeps of the output and knows of the run. False: the run was deleted, nothing is to be said.
  bool concluded(result<archive::found> const& kept, result<run> const& of, steady::time_point now);
  /// It could not be asked.
  void failed(steady::time_point now) { try_again(now); }
  /// The read is over, whatever it has found.
  void finish() { reading_ = false; }

  /// What is to be sent next; empty: nothing now.
  http::body_stream::piece take();
  /// The last event that was taken.
  event_id taken() const { return queue_.taken(); }
  /// All events to the run's end are here.
  bool complete() const { return queue_.complete(); }
  /// What was not taken is not sent any more.
  void give_up();
  /// When to read next, unless news come before.
  steady::time_point due() const { return behind_ && !reading_ ? again_ : steady::time_point::max(); }

 private:
  void try_again(steady::time_point now);
  void replay();
  void finish_with(std::string status, bool gap);

  event_queue queue_;
  std::int64_t attempt_;                                  ///< that the database knew at the start
  bool running_;                                          ///< then
  std::optional<steady::time_point> ended_since_{};       ///< that the database says so
  steady::time_point again_ = steady::time_point::min();  ///< not to read before
  bool behind_ = true;
  bool reading_ = false;
  std::vector<batch_ptr> heard_{};  ///< while it was reading; bounded
  bool more_ = false;               ///< and what was not kept
  archive::text_ptr replayed_{};    ///< from PostgreSQL
  std::string_view replay_rest_{};
  std::string final_status_{};  ///< of what is replayed
};

}  // namespace svc::output
