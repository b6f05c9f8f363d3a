#pragma once

#include "svc/core/async.hpp"
#include "svc/core/metrics.hpp"
#include "svc/http/message.hpp"
#include "svc/live/output/right_watch.hpp"
#include "svc/live/output/run_streams.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace svc::output {

class viewer_stream;

/// A worker's streams by the subjects of their rights. Holds a stream while it is being sent. Worker-local.
class stream_audience {
 public:
  void add(uuid const& subject, viewer_stream& stream) { by_subject_[subject].insert(&stream); }
  void remove(uuid const& subject, viewer_stream& stream);
  void revalidate(subject_epoch const& bumped);

 private:
  std::unordered_map<uuid, std::unordered_set<viewer_stream*>, uuid_hash> by_subject_{};
};

/// Objects that all kinds of streams of a worker use.
struct viewer_parts {
  asio::io_context& io;
  std::shared_ptr<stream_audience> among;
  gauge open;  ///< streams of this kind that are being sent
  milliseconds heartbeat{15'000};
};

/// Server-sent events for one viewer, whose right is checked again before each heartbeat (`right_watch`). The derived
/// class provides the events. Worker-local; held by its session and by its own checks.
class viewer_stream : public http::body_stream, public std::enable_shared_from_this<viewer_stream> {
 public:
  viewer_stream(viewer_parts parts, stream_slots::slot slot, viewer_right right);

  void start(std::function<void()> wake) final;
  piece next() final;
  steady::time_point due() const final;
  void drain() final;
  void stop() final;

  /// Reports that the epoch of the viewer's subject was bumped to `bumped`.
  void revalidate(std::int64_t bumped);

 protected:
  /// Begins to collect events; `leave` ends that.
  virtual void follow() = 0;
  virtual void leave() = 0;
  /// Returns the next events; without bytes if none wait.
  virtual piece take_events() = 0;
  /// Returns true if no event follows the ones that wait.
  virtual bool complete() const { return false; }
  /// Called when no event waits and the viewer may see events; may start a read.
  virtual void look(steady::time_point /*now*/) {}
  /// Returns the time of the next `look`.
  virtual steady::time_point look_due() const { return steady::time_point::max(); }
  /// Drops the events that wait.
  virtual void give_up() = 0;
  /// Reports the viewer's role, as the last check found it.
  virtual void on_role(role /*viewer*/) {}

  /// Adds text that is sent before everything else.
  void lead_with(std::string const& text) { lead_ += text; }
  /// Drops the events that wait, and ends the stream with this text.
  void end_with(std::string text);
  void wake();
  bool ending() const { return ending_; }
  bool needs_revalidation() const { return right_.needs_revalidation(); }

 private:
  static task<> check_permission(std::shared_ptr<viewer_stream> self);

  viewer_parts parts_;
  std::optional<stream_slots::slot> slot_;  ///< until the session is over
  viewer_right viewer_right_;               ///< as it was at admission
  right_watch right_;
  std::function<void()> wake_{};
  std::string lead_;     ///< sent before everything else
  std::string last_{};   ///< sent after everything else
  bool ending_ = false;  ///< no more events are added
};

}  // namespace svc::output
