#pragma once

#include "svc/api/kept_views.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/single_flight.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/monitors/check_history.hpp"
#include "svc/store/runs/overview_store.hpp"

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace svc::store {
struct repositories;
}

namespace svc::api {

using overview_ptr = std::shared_ptr<store::overview const>;
using bar_ptr = std::shared_ptr<store::monitor_bar const>;

/// Overviews and bars of projects, which many pages ask for again and again. Keeps them for `longest_age`, and reads
/// one overview and one list of bars of a project at a time: concurrent requests share the read. Worker-local; lives
/// as long as the worker.
class project_views {
 public:
  static constexpr milliseconds longest_age{5000};

  /// The reads of the stores, which throw `unavailable`.
  using bar_source = std::function<task<std::vector<store::monitor_bar>>(uuid project, std::vector<uuid> monitors,
                                                                         timestamp now, deadline until)>;
  struct sources {
    kept_views<store::overview>::source overview;
    bar_source bars;
  };
  project_views(asio::io_context& io, sources sources, metrics& counters, milliseconds age = longest_age);
  /// Reads these repositories, which outlive the object.
  project_views(asio::io_context& io, store::repositories& stores, metrics& counters);

  /// Throws `unavailable` when the database is gone or late.
  task<overview_ptr> overview(uuid project, deadline until) { return overviews_.find(project, until); }
  /// Returns the bars in the order of the ids, each once. Leaves out ids that are no monitors of the project. Throws
  /// `unavailable` when the database is gone or late.
  task<std::vector<bar_ptr>> bars(uuid project, std::vector<uuid> monitors, deadline until);

 private:
  using bar_map = std::map<uuid, bar_ptr>;  ///< null: no monitor of the project has this id
  struct outcome {
    bar_map value{};
    std::exception_ptr failure{};
  };
  using bar_flights = single_flight<uuid, outcome, uuid_hash>;
  struct known_bar {
    steady::time_point read_at{};
    timestamp start{};  ///< of its first hour
    bar_ptr value{};
  };
  struct known_bars {
    steady::time_point read_at{};  ///< of the newest
    std::unordered_map<uuid, known_bar, uuid_hash> bars{};
  };

  bool fresh(steady::time_point read_at) const { return steady::now() - read_at < age_; }
  task<> read_bars(uuid project, std::vector<uuid> monitors, bar_flights::flight_ptr flight, deadline until);
  void remember(uuid project, bar_map const& read, steady::time_point read_at, timestamp start);
  known_bar const* find_bar(uuid project, uuid monitor) const;
  /// Adds the fresh bars to those found, and returns the ids that are still missing.
  std::vector<uuid> missing_bars(uuid project, std::vector<uuid> const& monitors, bar_map& found) const;

  asio::io_context& io_;
  bar_source bar_source_;
  milliseconds age_;
  histogram bar_seconds_;
  kept_views<store::overview> overviews_;
  std::unordered_map<uuid, known_bars, uuid_hash> bars_;
  bar_flights bar_flights_;
};

}  // namespace svc::api
