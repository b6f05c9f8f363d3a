#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/result.hpp"
#include "svc/core/single_flight.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/core/uuid.hpp"

#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>

namespace svc::api {

/// One view of each project, which many pages ask for again and again. Keeps it for `age`, and reads one view of a
/// project at a time: concurrent requests share the read. A failed read is not kept. Worker-local; the loop must not
/// run work of this object after the end of the object.
template <class View>
class kept_views {
 public:
  using view_ptr = std::shared_ptr<View const>;
  /// Reads the view of a project; throws `unavailable`.
  using source = std::function<task<View>(uuid project, deadline until)>;

  /// Keeps the views of at most `most` projects; those of further ones are read for each request. `seconds` observes
  /// the reads.
  kept_views(asio::io_context& io, source read, milliseconds age, std::size_t most, histogram seconds = {})
      : io_(io), source_(std::move(read)), age_(age), most_(most), seconds_(seconds) {}
  kept_views(kept_views const&) = delete;
  kept_views& operator=(kept_views const&) = delete;

  /// Rethrows exceptions of the source. Throws `unavailable` at the deadline; the read then continues for requests
  /// that wait longer.
  task<view_ptr> find(uuid project, deadline until) {
    if (auto const known = kept_.find(project); known != kept_.end() && fresh(known->second.read_at))
      co_return known->second.view;
    auto flight = flights_.find(project);
    if (!flight) {
      flight = flights_.lead(project);
      spawn_task(io_, read(project, flight, until));
    }
    co_await flights::wait(flight, until);
    if (!flight->done) throw unavailable("the view of a project is late");
    if (flight->outcome.failure) std::rethrow_exception(flight->outcome.failure);
    co_return flight->outcome.view;
  }

 private:
  struct outcome {
    view_ptr view{};
    std::exception_ptr failure{};
  };
  using flights = single_flight<uuid, outcome, uuid_hash>;
  struct kept_view {
    steady::time_point read_at{};
    view_ptr view{};
  };

  bool fresh(steady::time_point read_at) const { return steady::now() - read_at < age_; }

  task<> read(uuid project, typename flights::flight_ptr flight, deadline until) {
    try {
      flight->outcome.view = std::make_shared<View const>(co_await source_(project, until));
      keep(project, {flight->begun, flight->outcome.view});
    } catch (...) {
      flight->outcome.failure = std::current_exception();
    }
    seconds_.observe(std::chrono::duration<double>(steady::now() - flight->begun).count());
    flights_.remove(project, flight);
    flights::complete(flight);
  }

  void keep(uuid project, kept_view read) {
    std::erase_if(kept_, [this](auto const& each) { return !fresh(each.second.read_at); });
    if (kept_.size() < most_) kept_.insert_or_assign(project, std::move(read));
  }

  asio::io_context& io_;
  source source_;
  milliseconds age_;
  std::size_t most_;
  histogram seconds_;
  std::unordered_map<uuid, kept_view, uuid_hash> kept_{};
  flights flights_{};
};

}  // namespace svc::api
