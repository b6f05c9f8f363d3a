#include "svc/api/project_views.hpp"

#include "support/run_task.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"
#include "unit/api/held_answer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>

namespace svc::api {
namespace {

constexpr milliseconds long_age{3'600'000};
uuid const shop_id = uuid::generate_v7(), depot_id = uuid::generate_v7();

/// Stores that count their reads and answer only when the test says so.
struct held_sources : test::held_answer {
  task<store::overview> overview(uuid project, deadline until) {
    ++reads;
    co_await answer(until);
    co_return store::overview{.open_outages = project == shop_id ? reads : -reads};
  }
  task<std::vector<store::monitor_bar>> bars(std::vector<uuid> monitors, timestamp now, deadline until) {
    ++reads;
    most_ids = std::max(most_ids, monitors.size());
    if (std::ranges::find(monitors, known.front()) != monitors.end()) ++reads_of_first;
    co_await answer(until);
    std::vector<store::monitor_bar> out;
    for (auto const id : monitors)
      if (std::ranges::find(known, id) != known.end())
        out.push_back({.monitor = id, .start = store::first_hour_of_bars(now)});
    co_return out;
  }
  project_views views(milliseconds age = long_age) {
    return {io,
            {.overview = [this](uuid project, deadline until) { return overview(project, until); },
             .bars = [this](uuid /*project*/, std::vector<uuid> monitors, timestamp now,
                            deadline until) { return bars(std::move(monitors), now, until); }},
            counters,
            age};
  }
  template <class T>
  T wait(task<T> work) {
    return test::run_task(io, std::move(work));
  }

  metrics counters;
  std::vector<uuid> known{};
  int reads = 0, reads_of_first = 0;  ///< of bars: those that name the first known monitor
  std::size_t most_ids = 0;
};

std::vector<uuid> ids_of(std::vector<bar_ptr> const& bars) {
  std::vector<uuid> out;
  for (auto const& bar : bars) out.push_back(bar->monitor);
  return out;
}

TEST_CASE("concurrent requests for an overview share one read, and later ones get the same for its age") {
  held_sources stores;
  stores.held = true;
  auto views = stores.views();
  std::vector<overview_ptr> got;
  auto const ask = [&](uuid project) -> task<> { got.push_back(co_await views.overview(project, stores.soon())); };
  for (int i = 0; i < 50; ++i) spawn_task(stores.io, ask(shop_id));
  while (stores.waiting == nullptr) stores.io.run_one();
  stores.io.poll();
  CHECK(stores.reads == 1);
  CHECK(got.empty());
  stores.release();
  while (got.size() < 50) stores.io.run_one();
  CHECK(stores.reads == 1);
  CHECK(std::ranges::all_of(got, [&](auto const& each) { return each == got.front(); }));
  CHECK(stores.wait(views.overview(shop_id, stores.soon())) == got.front());
  CHECK(stores.reads == 1);
  // Another project has a read of its own.
  CHECK(stores.wait(views.overview(depot_id, stores.soon()))->open_outages == -2);
  CHECK(stores.wait(views.overview(shop_id, stores.soon()))->open_outages == 1);
}

TEST_CASE("an overview beyond its age is read again, and a failed read is not kept") {
  held_sources stores;
  auto aged = stores.views(milliseconds(0));
  stores.wait(aged.overview(shop_id, stores.soon()));
  stores.wait(aged.overview(shop_id, stores.soon()));
  CHECK(stores.reads == 2);

  auto views = stores.views();
  stores.fails = true;
  CHECK_THROWS_AS(stores.wait(views.overview(shop_id, stores.soon())), unavailable);
  stores.known = {depot_id};
  CHECK_THROWS_AS(stores.wait(views.bars(shop_id, {depot_id}, stores.soon())), unavailable);
  stores.fails = false;
  CHECK(stores.wait(views.overview(shop_id, stores.soon()))->open_outages == 5);
}

TEST_CASE("a request whose deadline ends first fails alone, and the read goes on for the others") {
  held_sources stores;
  stores.held = true;
  auto views = stores.views();
  std::optional<overview_ptr> got;
  bool refused = false;
  auto const patient = [&]() -> task<> { got = co_await views.overview(shop_id, stores.soon()); };
  auto const hasty = [&]() -> task<> {
    try {
      co_await views.overview(shop_id, deadline::after(milliseconds(1)));
    } catch (unavailable const&) {
      refused = true;
    }
  };
  spawn_task(stores.io, patient());
  while (stores.waiting == nullptr) stores.io.run_one();
  spawn_task(stores.io, hasty());
  while (!refused) stores.io.run_one();
  CHECK_FALSE(got.has_value());
  stores.release();
  while (!got) stores.io.run_one();
  CHECK(stores.reads == 1);
}

TEST_CASE("bars come in the order of their ids, once each, and foreign ids are left out like unknown ones") {
  held_sources stores;
  for (int i = 0; i < 3; ++i) stores.known.push_back(uuid::generate_v7());
  auto const foreign = uuid::generate_v7();
  auto const &a = stores.known[0], &b = stores.known[1], &c = stores.known[2];
  auto views = stores.views();
  CHECK(ids_of(stores.wait(views.bars(shop_id, {c, foreign, a, c}, stores.soon()))) == std::vector{c, a});
  CHECK(stores.reads == 1);
  CHECK(ids_of(stores.wait(views.bars(shop_id, {a, foreign, c}, stores.soon()))) == std::vector{a, c});
  CHECK(stores.wait(views.bars(shop_id, {foreign}, stores.soon())).empty());
  CHECK(stores.reads == 1);
  // Only what is missing is read.
  stores.most_ids = 0;
  CHECK(ids_of(stores.wait(views.bars(shop_id, {a, b, c}, stores.soon()))) == std::vector{a, b, c});
  CHECK(stores.reads == 2);
  CHECK(stores.most_ids == 1);
  CHECK(stores.wait(views.bars(depot_id, {a}, stores.soon())).size() == 1);
  CHECK(stores.reads == 3);
}

TEST_CASE("concurrent requests for bars of a project read one after the other, and share what they have in common") {
  held_sources stores;
  stores.held = true;
  for (int i = 0; i < 4; ++i) stores.known.push_back(uuid::generate_v7());
  auto views = stores.views();
  std::vector<std::vector<uuid>> got;
  auto const ask = [&](std::vector<uuid> ids) -> task<> {
    auto const bars = co_await views.bars(shop_id, ids, stores.soon());
    CHECK(ids_of(bars) == ids);
    got.push_back(ids);
  };
  for (int i = 0; i < 20; ++i) spawn_task(stores.io, ask({stores.known[0], stores.known[1]}));
  for (int i = 0; i < 20; ++i) spawn_task(stores.io, ask({stores.known[1], stores.known[2], stores.known[3]}));
  while (stores.waiting == nullptr) stores.io.run_one();
  stores.io.poll();
  CHECK(stores.reads == 1);
  stores.release();
  while (got.size() < 40) stores.io.run_one();
  CHECK(stores.reads == 2);
  CHECK(stores.most_ids == 2);
}

TEST_CASE("bars that are too old for their age are returned to the requests that waited for them") {
  held_sources stores;
  stores.known = {uuid::generate_v7()};
  auto views = stores.views(milliseconds(0));
  CHECK(stores.wait(views.bars(shop_id, stores.known, stores.soon())).size() == 1);
  CHECK(stores.wait(views.bars(shop_id, stores.known, stores.soon())).size() == 1);
  CHECK(stores.reads == 2);
}

TEST_CASE("a bounded number of ids that are no monitors is kept, however many are asked for") {
  held_sources stores;
  stores.known = {uuid::generate_v7()};
  auto views = stores.views();
  for (int i = 0; i < 50; ++i) {
    std::vector<uuid> ids{stores.known};
    while (ids.size() < 100) ids.push_back(uuid::generate_v7());
    CHECK(ids_of(stores.wait(views.bars(shop_id, std::move(ids), stores.soon()))) == stores.known);
  }
  CHECK(stores.reads == 50);
  // The monitor was forgotten with the others at the bound, twice in 4 950 ids.
  CHECK(stores.reads_of_first == 3);
}

}  // namespace
}  // namespace svc::api
