#include "svc/api/kept_views.hpp"

#include "support/run_task.hpp"
#include "unit/api/held_answer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace svc::api {
namespace {

constexpr milliseconds usual_age{3'600'000};
uuid const first_project = uuid::generate_v7(), second_project = uuid::generate_v7();

/// A source that counts its reads, and answers only when the test says so.
struct held_source : test::held_answer {
  task<std::string> read(uuid project, deadline until) {
    ++reads;
    co_await answer(until);
    co_return project.to_string() + " " + std::to_string(reads);
  }
  kept_views<std::string> views(milliseconds age = usual_age, std::size_t most = 100) {
    return {io, [this](uuid project, deadline until) { return read(project, until); }, age, most};
  }
  std::string find(kept_views<std::string>& views, uuid project) {
    return *test::run_task(io, views.find(project, soon()));
  }

  int reads = 0;
};

TEST_CASE("a hundred requests of a project at once share one read, and later ones its view") {
  held_source stores;
  stores.held = true;
  auto views = stores.views();
  std::vector<std::string> got;
  auto const ask = [&](uuid project) -> task<> { got.push_back(*co_await views.find(project, stores.soon())); };
  for (int i = 0; i < 100; ++i) spawn_task(stores.io, ask(first_project));
  while (stores.waiting == nullptr) stores.io.run_one();
  stores.io.poll();
  CHECK(stores.reads == 1);
  CHECK(got.empty());
  stores.release();
  while (got.size() < 100) stores.io.run_one();
  CHECK(stores.reads == 1);
  CHECK(std::ranges::all_of(got, [&](auto const& each) { return each == got.front(); }));
  CHECK(stores.find(views, first_project) == got.front());
  CHECK(stores.reads == 1);
  CHECK(stores.find(views, second_project) == second_project.to_string() + " 2");
}

TEST_CASE("a view beyond its age is read again, and a failed read fails its requests and is not kept") {
  held_source stores;
  auto aged = stores.views(milliseconds(0));
  stores.find(aged, first_project);
  stores.find(aged, first_project);
  CHECK(stores.reads == 2);

  auto views = stores.views();
  stores.fails = true;
  CHECK_THROWS_AS(stores.find(views, first_project), unavailable);
  CHECK_THROWS_AS(stores.find(views, first_project), unavailable);
  CHECK(stores.reads == 4);
  stores.fails = false;
  CHECK(stores.find(views, first_project) == first_project.to_string() + " 5");
}

TEST_CASE("the age of a view counts from the start of its read, because what it shows may be as old as that") {
  held_source stores;
  stores.held = true;
  auto views = stores.views(milliseconds(50));
  bool over = false;
  auto const ask = [&]() -> task<> {
    co_await views.find(first_project, stores.soon());
    over = true;
  };
  spawn_task(stores.io, ask());
  while (stores.waiting == nullptr) stores.io.run_one();
  steady_timer later(stores.io, milliseconds(60));
  later.async_wait([&](boost::system::error_code) { stores.release(); });
  while (!over) stores.io.run_one();
  stores.find(views, first_project);
  CHECK(stores.reads == 2);
}

TEST_CASE("views of more projects than the bound are read for each request") {
  held_source stores;
  auto views = stores.views(usual_age, 3);
  std::vector<uuid> projects;
  for (int i = 0; i < 5; ++i) projects.push_back(uuid::generate_v7());
  for (auto const& each : projects) stores.find(views, each);
  for (auto const& each : projects) stores.find(views, each);
  CHECK(stores.reads == 5 + 2);
}

}  // namespace
}  // namespace svc::api
