#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/audit.hpp"
#include "svc/live/feed/changes.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace svc::redis {
class client;
}

namespace svc::feed {

/// Publishes the changes of a worker's transactions: collects those of a project for 100 ms, and then sends one
/// message to its channel. Nobody waits for a message, and nothing repeats one: viewers read again after a gap. A
/// worker sends at most 10 messages a second for a project. Worker-local; the client outlives it.
class publisher {
 public:
  static constexpr milliseconds collection{100};
  /// The most projects whose changes are collected at one time. Changes of further projects are dropped and counted.
  static constexpr std::size_t most_projects = 10'000;

  /// `collects`: how long the changes of a project are collected.
  publisher(asio::io_context& io, redis::client& redis, metrics& counters, milliseconds collects = collection);
  ~publisher();
  publisher(publisher const&) = delete;
  publisher& operator=(publisher const&) = delete;

  // These functions require that the changes were committed. They never wait and never throw.

  void note(uuid project, run_state state) noexcept;
  /// Notes a new run of a job.
  void note_queued(uuid project, uuid job, uuid run) noexcept;
  /// Ignores kinds that no page of a project shows.
  void note(std::vector<changed_thing> const& changes) noexcept;

  /// True if changes are collected that no message has taken yet.
  bool collects() const;
  /// Sends the collected changes now, for a program that ends. Returns when Redis has them, or up to a second after
  /// the deadline; what it has not sent by the deadline is dropped and counted.
  task<> flush(deadline until);

 private:
  struct impl;
  std::shared_ptr<impl> impl_;
};

}  // namespace svc::feed
