#pragma once

#include "svc/core/async.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/uuid.hpp"
#include "svc/live/feed/feed_events.hpp"
#include "svc/live/feed/feed_hub.hpp"

#include <memory>
#include <optional>

namespace svc::feed {

/// One viewer of a project. Worker-local. Must not call `join` or `leave` from its functions.
class feed_viewer {
 public:
  virtual ~feed_viewer() = default;
  /// Reports whether changes arrive from now on. Changes before this call may have been missed.
  virtual void on_hearing(bool hears) = 0;
  virtual void on_event(event_ptr const& event) = 0;
};

/// The viewers of projects on this worker. Merges the changes of each project, and gives its viewers the same events.
/// Watches a project while it has a viewer. Worker-local; the hub outlives it.
class project_feeds {
 public:
  project_feeds(asio::io_context& io, feed_hub& hub, metrics& counters);
  ~project_feeds();
  project_feeds(project_feeds const&) = delete;
  project_feeds& operator=(project_feeds const&) = delete;

  /// Counts the streams to viewers.
  gauge const& open() const { return open_; }
  /// Returns whether the project's changes arrive; nothing while that is unknown.
  std::optional<bool> join(uuid project, feed_viewer& viewer);
  void leave(uuid project, feed_viewer& viewer);

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
  gauge open_;
};

}  // namespace svc::feed
