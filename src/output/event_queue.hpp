#pragma once

#include "svc/domain/run_event.hpp"
#include "svc/http/message.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace svc::output {

/// Events that stand one after the other, as the text that viewers get: made once, shared by all of them on all
/// workers. Immutable.
struct event_batch {
  struct mark {
    event_id id;
    std::size_t end;  ///< in `text`, after this event
    bool complete;
  };
  event_id after;  ///< what stood before the first of them when it was written
  std::vector<mark> events{};
  std::string text{};
};
using batch_ptr = std::shared_ptr<event_batch const>;

/// Not for an empty list. A gap before the first one depends on the reader, and is not in the text.
batch_ptr make_batch(event_id after, std::vector<run_event> const& events);

// Server-sent events (WHATWG HTML 9.2). Data is one line of JSON, so no text can end an event early.

void append_sse(std::string& out, run_event const& one);
/// `event: gap`: nothing is held of what stood between the two.
void append_gap(std::string& out, event_id after, event_id before);
/// `event: dropped`: the viewer read too slowly, and resumes after `last`.
void append_dropped(std::string& out, event_id last);

/// What one viewer is still to be sent: each event once and in order, from wherever batches come. Worker-local, owned
/// by its stream; an idle one holds nothing.
class event_queue {
 public:
  explicit event_queue(event_id from) : tail_(from) {}

  enum class fit {
    taken,   ///< those that are new
    known,   ///< nothing in it is new
    behind,  ///< something between the tail and it is missing here: read from the tail on
  };
  fit add(batch_ptr const& batch);
  /// One more, made here; without a gap.
  void add(run_event const& one);
  /// Says that everything between the tail and `before` is lost.
  void add_gap(event_id before);

  /// Whole events, near 64 KiB of them at most unless one is longer; empty when there are none.
  http::body_stream::piece take();
  /// Forgets what was not taken; the tail stays.
  void clear();

  bool empty() const { return waiting_.empty(); }
  /// Of text that waits.
  std::size_t size() const { return size_; }
  /// The last event that was added.
  event_id tail() const { return tail_; }
  /// The last event that was taken; of an empty queue the tail.
  event_id taken() const { return empty() ? tail_ : taken_; }
  /// The run's end was added.
  bool complete() const { return complete_; }

 private:
  struct item {
    std::shared_ptr<std::string const> text{};  ///< without a batch: this and nothing else
    batch_ptr batch{};
    std::size_t at = 0;    ///< in the batch's text
    std::size_t next = 0;  ///< event of the batch
  };
  void push_text(std::string text);

  std::list<item> waiting_{};
  std::size_t size_ = 0;
  event_id tail_;
  event_id taken_{};
  bool complete_ = false;
};

}  // namespace svc::output
