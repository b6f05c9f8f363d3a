#include "svc/live/feed/feed_events.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace svc::feed {
namespace {

steady::time_point const begin = steady::time_point(std::chrono::seconds(1000));

uuid numbered(int value) {
  uuid out;
  out.bytes[14] = static_cast<std::uint8_t>(value / 256);
  out.bytes[15] = static_cast<std::uint8_t>(value % 256);
  return out;
}

change_set one_of(resource kind, int id) {
  change_set out(collector_bounds);
  out.add(kind, numbered(id));
  return out;
}

change_set one_run(int run, std::string status, std::int64_t order) {
  change_set out(collector_bounds);
  out.add({.run = numbered(run), .job = numbered(9), .status = std::move(status), .order = order});
  return out;
}

event_ptr event_of(std::optional<resource> kind, std::string text) {
  return std::make_shared<feed_event const>(feed_event{kind, std::move(text)});
}

TEST_CASE("events have the form of the contract") {
  auto const zero = numbered(0).to_string(), first = numbered(1).to_string(), nine = numbered(9).to_string();
  CHECK(ready_event("3f9c", "2026-11-20T10:11:12.345Z") ==
        "event: ready\ndata: {\"bundle\":\"3f9c\",\"asOf\":\"2026-11-20T10:11:12.345Z\"}\n\n");
  CHECK(ready_event("", "2026-11-20T10:11:12.345Z") ==
        "event: ready\ndata: {\"asOf\":\"2026-11-20T10:11:12.345Z\"}\n\n");
  event_pace pace;
  auto changes = one_of(resource::job, 0);
  changes.add(resource::job, numbered(1));
  pace.hear(changes);
  CHECK(pace.take(begin)->text == "event: changed\ndata: {\"resource\":\"job\",\"ids\":[\"" + zero + "\",\"" + first +
                                      "\"],\"more\":false}\n\n");
  auto runs = one_run(1, "running", 5);
  runs.add({.run = numbered(0), .status = "queued", .order = 2});
  runs.add_more_runs();
  pace.hear(runs);
  auto const event = pace.take(begin);
  CHECK_FALSE(event->kind);
  CHECK(event->text == "event: runs\ndata: {\"changed\":[{\"id\":\"" + zero +
                           "\",\"jobId\":null,\"status\":\"queued\"},{" + "\"id\":\"" + first + "\",\"jobId\":\"" +
                           nine + "\",\"status\":\"running\"}],\"more\":true}\n\n");
  CHECK(pace.take(begin) == nullptr);
  CHECK(pace.due() == steady::time_point::max());
}

TEST_CASE("a viewer gets at most four events in any second, and no change is lost") {
  event_pace pace;
  std::vector<steady::time_point> sent;
  std::size_t named = 0;
  int change = 0;
  // Ten messages a second, of all kinds in turn.
  for (auto now = begin; now < begin + std::chrono::seconds(20); now += milliseconds(10)) {
    if ((now - begin) % milliseconds(100) == milliseconds(0) && now < begin + std::chrono::seconds(10)) {
      pace.hear(one_of(static_cast<resource>(static_cast<std::size_t>(change) % resources), change));
      ++change;
    }
    while (auto const event = pace.take(now)) {
      sent.push_back(now);
      named += static_cast<std::size_t>(std::ranges::count(event->text, '-')) / 4;
    }
  }
  CHECK(named == 100);
  CHECK(pace.due() == steady::time_point::max());
  for (std::size_t i = event_pace::most_in_period; i < sent.size(); ++i)
    CHECK(sent[i] - sent[i - event_pace::most_in_period] >= event_pace::period);
}

TEST_CASE("changes of one kind are merged for a quarter of a second; the first one is sent at once") {
  event_pace pace;
  pace.hear(one_of(resource::job, 1));
  CHECK(pace.due() <= begin);
  CHECK(pace.take(begin) != nullptr);
  pace.hear(one_of(resource::job, 2));
  pace.hear(one_of(resource::job, 3));
  CHECK(pace.take(begin + milliseconds(249)) == nullptr);
  CHECK(pace.due() == begin + milliseconds(250));
  // Another kind does not wait for it.
  pace.hear(one_of(resource::monitor, 1));
  CHECK(pace.take(begin + milliseconds(100))->kind == resource::monitor);
  auto const merged = pace.take(begin + milliseconds(250));
  CHECK(merged->text.find(numbered(2).to_string()) != std::string::npos);
  CHECK(merged->text.find(numbered(3).to_string()) != std::string::npos);
}

TEST_CASE("a busy kind does not keep others waiting for longer than a second") {
  event_pace pace;
  bool seen = false;
  for (auto now = begin; now <= begin + std::chrono::seconds(1); now += milliseconds(10)) {
    pace.hear(one_run(static_cast<int>((now - begin) / milliseconds(10)), "queued", 2));
    if (now == begin + milliseconds(10)) pace.hear(one_of(resource::runner, 1));
    while (auto const event = pace.take(now)) seen = seen || event->kind == resource::runner;
  }
  CHECK(seen);
}

TEST_CASE("an event names at most two hundred things, and says that there are more") {
  event_pace pace;
  change_set many(collector_bounds);
  for (int i = 0; i < 201; ++i) many.add(resource::tag, numbered(i));
  for (int i = 0; i < 200; ++i) many.add({.run = numbered(i), .status = "queued", .order = 2});
  pace.hear(many);
  for (int i = 0; i < 2; ++i) {
    auto const event = pace.take(begin);
    REQUIRE(event);
    bool const tags = event->kind == resource::tag;
    CHECK(std::ranges::count(event->text, '-') == 200 * 4);
    CHECK(event->text.ends_with(tags ? "\"more\":true}\n\n" : "\"more\":false}\n\n"));
  }
  CHECK(pace.take(begin) == nullptr);
}

TEST_CASE("an older state of a run is not news after a newer one") {
  event_pace pace;
  pace.hear(one_run(1, "running", run_order(1, run_step::running)));
  CHECK(pace.take(begin) != nullptr);
  pace.hear(one_run(1, "queued", run_order(0, run_step::queued)));
  CHECK(pace.due() == steady::time_point::max());
  // The same number: it was handed back and is claimed again.
  pace.hear(one_run(1, "queued", run_order(1, run_step::running)));
  CHECK(pace.take(begin + std::chrono::seconds(1))->text.find("queued") != std::string::npos);
  // Only the newest runs are remembered.
  for (int i = 2; i < 2100; ++i) pace.hear(one_run(i, "queued", 2));
  static_cast<void>(pace.take(begin + std::chrono::seconds(2)));
  pace.hear(one_run(1, "running", run_order(1, run_step::running)));
  CHECK(pace.due() != steady::time_point::max());
}

TEST_CASE("after a loss nothing that waits is sent, because viewers read everything again") {
  event_pace pace;
  pace.hear(one_of(resource::job, 1));
  pace.clear();
  CHECK(pace.take(begin) == nullptr);
  pace.hear(one_of(resource::job, 2));
  CHECK(pace.take(begin)->text.find(numbered(2).to_string()) != std::string::npos);
}

TEST_CASE("a viewer gets the kinds that its role may view, and others once its role may") {
  struct {
    role viewer;
    bool job, token, runner;
  } const cases[] = {{role::none, false, false, false},
                     {role::project_viewer, true, false, false},
                     {role::project_editor, true, true, false},
                     {role::project_admin, true, true, true}};
  for (auto const& c : cases) {
    CAPTURE(to_string(c.viewer));
    viewer_queue queue(c.viewer);
    CHECK(queue.add(event_of(resource::job, "job")) == c.job);
    CHECK(queue.add(event_of({}, "runs")) == c.job);
    CHECK(queue.add(event_of(resource::cli_token, "token")) == c.token);
    CHECK(queue.add(event_of(resource::runner, "runner")) == c.runner);
  }
  viewer_queue queue(role::project_viewer);
  queue.set_role(role::project_admin);
  CHECK(queue.add(event_of(resource::runner, "runner")));
  queue.set_role(role::project_viewer);
  CHECK_FALSE(queue.add(event_of(resource::runner, "runner")));
}

TEST_CASE("a viewer that reads too slowly keeps eight events at most, and learns which kinds have changed") {
  viewer_queue queue(role::org_owner);
  for (std::size_t i = 0; i < viewer_queue::most_waiting; ++i)
    REQUIRE(queue.add(event_of(i % 2 == 0 ? std::optional(resource::job) : std::nullopt, std::to_string(i))));
  CHECK(*queue.take() == "0");
  REQUIRE(queue.add(event_of(resource::tag, "8")));
  REQUIRE(queue.add(event_of(resource::tag, "9")));  // one too many
  std::vector<std::string> rest;
  while (auto const text = queue.take()) rest.push_back(*text);
  CHECK(rest == std::vector<std::string>{"event: changed\ndata: {\"resource\":\"job\",\"ids\":[],\"more\":true}\n\n",
                                         "event: changed\ndata: {\"resource\":\"tag\",\"ids\":[],\"more\":true}\n\n",
                                         "event: runs\ndata: {\"changed\":[],\"more\":true}\n\n"});
  CHECK(queue.empty());
  // Afterwards it gets events as before.
  REQUIRE(queue.add(event_of(resource::tag, "next")));
  CHECK(*queue.take() == "next");
  REQUIRE(queue.add(event_of(resource::tag, "dropped")));
  queue.clear();
  CHECK(queue.take() == nullptr);
}

}  // namespace
}  // namespace svc::feed
