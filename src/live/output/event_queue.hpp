#pragma once

#include "svc/domain/run_event.hpp"
#include "svc/http/message.hpp"

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace svc::output {

/// Events in order, as the text for viewers. Made once and shared by all viewers on all workers. Immutable.
struct event_batch {
  struct mark {
    event_id id;
    std::size_t end;  ///< offset in `text` just after this event
    bool complete;
  };
  event_id after;  ///< the last event before the batch
  std::vector<mark> events{};
  std::string text{};
};
using batch_ptr = std::shared_ptr<event_batch const>;

/// Requires that `events` is not empty. The text has no gap before the first event, because that depends on the
/// reader.
batch_ptr make_batch(event_id after, std::vector<run_event> const& events);

// Server-sent events (WHATWG HTML 9.2). Data is one line of JSON, so no text can end an event early.

void append_sse(std::string& out, run_event const& event);
/// Appends `event: gap`: all events between the two are lost.
void append_gap(std::string& out, event_id after, event_id before);
/// Appends `event: dropped`: the viewer read too slowly; it may resume after `last`.
void append_dropped(std::string& out, event_id last);

/// The events that one viewer has not received yet: each once and in order, whatever the source of the batches.
/// Worker-local, owned by its stream; an idle queue holds no text.
class event_queue {
 public:
  explicit event_queue(event_id id) : tail_(id), taken_(id) {}

  enum class fit {
    taken,   ///< the new events of the batch were added
    known,   ///< the batch has no new event
    behind,  ///< events between the tail and the batch are missing: read from the tail
  };
  fit add(batch_ptr const& batch);
  /// Adds one event that the stream made itself; never adds a gap before it.
  void add(run_event const& event);
  /// Adds a gap: everything between the tail and `before` is lost.
  void add_gap(event_id before);

  /// Takes whole events, at most 64 KiB of text unless a single event is longer; empty if none wait.
  http::body_stream::piece take();
  /// Drops the waiting events; the tail stays.
  void clear();

  bool empty() const { return waiting_.empty(); }
  /// Bytes of waiting text.
  std::size_t size() const { return size_; }
  /// The last event that was added.
  event_id tail() const { return tail_; }
  /// The last event or gap that was taken; after `clear` the tail.
  event_id taken() const { return taken_; }
  /// True if the run's end was added.
  bool complete() const { return complete_; }

 private:
  struct item {
    std::shared_ptr<std::string const> text{};  ///< set only in an item without a batch
    event_id id{};                              ///< the id of the text
    batch_ptr batch{};
    std::size_t offset = 0;  ///< offset in the batch's text
    std::size_t next = 0;    ///< index of the next event of the batch
  };
  void push_text(std::string text, event_id id);

  std::list<item> waiting_{};
  std::size_t size_ = 0;
  event_id tail_;
  event_id taken_;
  bool complete_ = false;
};

}  // namespace svc::output
