#include "svc/api/project_views.hpp"

#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/store/repositories.hpp"

#include <set>
#include <utility>

namespace svc::api {
namespace {

/// Projects whose overviews or bars are kept at once; the views of further ones are read for each request.
constexpr std::size_t most_kept_projects = 1000;
/// Ids whose bars are kept for a project: those of all its monitors, and of some that are none.
constexpr std::size_t most_kept_bars = 2000;

double seconds_since(steady::time_point begun) {
  return std::chrono::duration<double>(steady::now() - begun).count();
}

project_views::sources sources_of(store::repositories& stores) {
  return {
      .overview = [&stores](uuid project, deadline until) { return stores.overviews.read(project, until); },
      .bars = [&stores](uuid project, std::vector<uuid> monitors, timestamp now,
                        deadline until) { return stores.history.bars(project, std::move(monitors), now, until); }};
}

histogram seconds_of(metrics& counters, char const* view) {
  return counters.make_histogram("svc_overview_seconds", "Time to read overviews and bars of monitors",
                                 {{"view", view}});
}

}  // namespace

project_views::project_views(asio::io_context& io, sources sources, metrics& counters, milliseconds age)
    : io_(io),
      bar_source_(std::move(sources.bars)),
      age_(age),
      bar_seconds_(seconds_of(counters, "bars")),
      overviews_(io, std::move(sources.overview), age, most_kept_projects, seconds_of(counters, "overview")) {}

project_views::project_views(asio::io_context& io, store::repositories& stores, metrics& counters)
    : project_views(io, sources_of(stores), counters) {}

task<std::vector<bar_ptr>> project_views::bars(uuid project, std::vector<uuid> monitors, deadline until) {
  bar_map found;
  for (auto missing = missing_bars(project, monitors, found); !missing.empty();
       missing = missing_bars(project, monitors, found)) {
    auto flight = bar_flights_.find(project);
    if (!flight) {
      flight = bar_flights_.lead(project);
      spawn_task(io_, read_bars(project, missing, flight, until));
    }
    co_await bar_flights::wait(flight, until);
    if (!flight->done) throw unavailable("the view of a project is late");
    if (flight->outcome.failure) std::rethrow_exception(flight->outcome.failure);
    // The bars count even if they are too old for the next request by now.
    for (auto const id : missing)
      if (auto const read = flight->outcome.value.find(id); read != flight->outcome.value.end()) found.insert(*read);
  }
  std::vector<bar_ptr> out;
  std::set<uuid> shown;
  for (auto const id : monitors)
    if (auto const& bar = found.at(id); bar && shown.insert(id).second) out.push_back(bar);
  co_return out;
}

task<> project_views::read_bars(uuid project, std::vector<uuid> monitors, bar_flights::flight_ptr flight,
                                deadline until) {
  auto const now = system_now();
  try {
    bar_map read;
    for (auto const id : monitors) read[id] = nullptr;
    auto bars = co_await bar_source_(project, std::move(monitors), now, until);
    for (auto& bar : bars) read[bar.monitor] = std::make_shared<store::monitor_bar const>(std::move(bar));
    remember(project, read, flight->begun, store::first_hour_of_bars(now));
    flight->outcome.value = std::move(read);
  } catch (...) {
    flight->outcome.failure = std::current_exception();
  }
  bar_seconds_.observe(seconds_since(flight->begun));
  bar_flights_.remove(project, flight);
  bar_flights::complete(flight);
}

void project_views::remember(uuid project, bar_map const& read, steady::time_point read_at, timestamp start) {
  std::erase_if(bars_, [this](auto const& each) { return !fresh(each.second.read_at); });
  if (!bars_.contains(project) && bars_.size() >= most_kept_projects) return;
  auto& known = bars_[project];
  known.read_at = read_at;
  std::erase_if(known.bars, [this](auto const& each) { return !fresh(each.second.read_at); });
  if (known.bars.size() + read.size() > most_kept_bars) known.bars.clear();
  for (auto const& [id, bar] : read) known.bars.insert_or_assign(id, known_bar{read_at, start, bar});
}

project_views::known_bar const* project_views::find_bar(uuid project, uuid monitor) const {
  auto const known = bars_.find(project);
  if (known == bars_.end()) return nullptr;
  auto const bar = known->second.bars.find(monitor);
  return bar == known->second.bars.end() ? nullptr : &bar->second;
}

std::vector<uuid> project_views::missing_bars(uuid project, std::vector<uuid> const& monitors, bar_map& found) const {
  auto const start = store::first_hour_of_bars(system_now());
  std::set<uuid> missing;
  for (auto const id : monitors) {
    if (found.contains(id)) continue;
    auto const* const bar = find_bar(project, id);
    if (bar != nullptr && fresh(bar->read_at) && bar->start == start)
      found.emplace(id, bar->value);
    else
      missing.insert(id);
  }
  return {missing.begin(), missing.end()};
}

}  // namespace svc::api
