#pragma once

#include "svc/core/result.hpp"
#include "svc/core/shared_counts.hpp"
#include "svc/core/uuid.hpp"

#include <atomic>
#include <cstddef>
#include <utility>

namespace svc::output {

/// How many streams one instance sends at a time.
struct stream_limits {
  std::size_t all = 5000;
  std::size_t project = 200;
  std::size_t token = 20;
};

/// The streams of one instance, over all its workers. Any thread; outlives every place.
class stream_places {
 public:
  /// One stream's; given back when it dies.
  class place {
   public:
    place(place&& other) noexcept
        : of_(std::exchange(other.of_, nullptr)), token_(other.token_), project_(other.project_) {}
    place& operator=(place&&) = delete;
    ~place();

   private:
    friend stream_places;
    place(stream_places& of, shared_counts::key token, shared_counts::key project)
        : of_(&of), token_(token), project_(project) {}

    stream_places* of_;
    shared_counts::key token_, project_;
  };

  explicit stream_places(stream_limits limits) : limits_(limits) {}
  stream_places(stream_places const&) = delete;
  stream_places& operator=(stream_places const&) = delete;

  /// stream_limit_reached, with the limit that it was.
  result<place> take(uuid const& token, uuid const& project);

 private:
  stream_limits const limits_;
  shared_counts counts_{};
  std::atomic<std::size_t> all_ = 0;
};

}  // namespace svc::output
