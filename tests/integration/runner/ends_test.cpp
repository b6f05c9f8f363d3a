// Tests runs that do not end by themselves.
#include "workshop.hpp"

#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <thread>

using namespace svc::test;
namespace json = boost::json;

namespace {

constexpr char const* crowd =
    "(setsid sleep 1000 >/dev/null 2>&1 &) ; sleep 1000 & trap '' TERM; echo ready; sleep 1000";

}  // namespace

TEST_CASE("a run that exceeds its time is timed out, with all its processes") {
  for (std::string const mode : {"auto", "none"}) {
    CAPTURE(mode);
    workshop shop({.sandbox = mode});
    std::string run;
    auto const end = shop.run_to_end({"echo first", crowd, "echo never"}, {{"timeoutSeconds", short_timeout}}, &run);
    CHECK(status_of(end) == "timed_out");
    auto const& tests = end.at("tests").as_array();
    CHECK(tests.at(0).at("status").as_string() == "passed");
    CHECK(tests.at(1).at("status").as_string() == "timed_out");
    CHECK(tests.at(2).at("status").as_string() == "skipped");
    CHECK(shop.service().all(run).find("never") == std::string::npos);
    CHECK(processes_left(run) == 0);
    CHECK(shop.scratch_is_empty());
  }
}

TEST_CASE("a cancelled run ends at once, with all its processes") {
  for (std::string const mode : {"auto", "none"}) {
    CAPTURE(mode);
    workshop shop({.sandbox = mode});
    auto const run = shop.run({crowd, "echo never"});
    shop.service().wait_line(run, "ready");
    shop.service().cancel(run);
    auto const end = shop.service().completion(run);
    CHECK(status_of(end) == "cancelled");
    CHECK(end.at("tests").as_array().at(1).at("status").as_string() == "cancelled");
    CHECK(processes_left(run) == 0);
  }
}

TEST_CASE("a script that must end gets SIGTERM first, and its last output is kept") {
  constexpr char const* listener =
      "trap 'echo heard; exit 3' TERM; (trap 'echo child heard; exit' TERM; echo ready; while :; do sleep 0.1; done) "
      "&\n"
      "while :; do sleep 0.1; done";
  for (std::string const mode : {"auto", "none"}) {
    CAPTURE(mode);
    workshop shop({.sandbox = mode,
                   .environment = {"SVC_RUNNER_LIMITS_TIMEOUT_GRACE=30s", "SVC_RUNNER_LIMITS_CANCEL_GRACE=30s"}});
    auto const cancelled = shop.run({listener});
    std::string late;
    auto const timed_out = shop.run_to_end({listener}, {{"timeoutSeconds", short_timeout}}, &late);
    CHECK(status_of(timed_out) == "timed_out");
    CHECK(details_of(timed_out) == "the run's time was over; all its processes were ended");
    shop.service().wait_line(cancelled, "ready");
    shop.service().cancel(cancelled);
    auto const end = shop.service().completion(cancelled);
    CHECK(status_of(end) == "cancelled");
    CHECK(details_of(end) == "cancelled; all its processes were ended");
    for (auto const& run : {cancelled, late}) {
      CHECK(shop.service().all(run).find("\nheard\n") != std::string::npos);
      CHECK(processes_left(run) == 0);
    }
  }
}

TEST_CASE("a script that ignores SIGTERM is killed after its grace period, or at once without one") {
  for (std::string const mode : {"auto", "none"}) {
    CAPTURE(mode);
    workshop shop({.sandbox = mode, .environment = {"SVC_RUNNER_LIMITS_CANCEL_GRACE=200ms"}});
    std::string late;
    auto const timed_out = shop.run_to_end({crowd}, {{"timeoutSeconds", short_timeout}}, &late);
    CHECK(details_of(timed_out) ==
          "the run's time was over; it was killed because it did not end within 300 ms of SIGTERM");
    auto const run = shop.run({crowd});
    shop.service().wait_line(run, "ready");
    shop.service().cancel(run);
    CHECK(details_of(shop.service().completion(run)) ==
          "cancelled; it was killed because it did not end within 200 ms of SIGTERM");
    for (auto const& each : {run, late}) CHECK(processes_left(each) == 0);
  }
  workshop shop({.environment = {"SVC_RUNNER_LIMITS_CANCEL_GRACE=0s"}});
  auto const run = shop.run({"trap 'echo heard' TERM; echo ready; while :; do sleep 0.1; done"});
  shop.service().wait_line(run, "ready");
  shop.service().cancel(run);
  CHECK(status_of(shop.service().completion(run)) == "cancelled");
  CHECK(shop.service().all(run).find("heard") == std::string::npos);
}

TEST_CASE("a run whose claim is lost ends without a report") {
  workshop shop;
  auto const run = shop.run({crowd});
  shop.service().wait_line(run, "ready");
  shop.service().lose(run);
  shop.runner().wait_error_line("run lost");
  CHECK(processes_left(run) == 0);
  CHECK(!shop.service().completed(run));
  // The runner continues.
  CHECK(status_of(shop.run_to_end({"echo again"})) == "passed");
}

TEST_CASE("SIGTERM lets running scripts finish") {
  workshop shop;
  auto const run = shop.run({"echo ready; sleep 1; echo finished"});
  shop.service().wait_line(run, "ready");
  CHECK(shop.runner().stop() == 0);
  CHECK(status_of(shop.service().completion(run)) == "passed");
  CHECK(shop.service().all(run) == "ready\nfinished\n");
}

TEST_CASE("a run that outlasts the grace period is handed back") {
  workshop shop({.lines = "grace = '300ms'"});
  auto const run = shop.run({crowd});
  shop.service().wait_line(run, "ready");
  CHECK(shop.runner().stop() == 0);
  shop.service().wait_released(run);
  CHECK(!shop.service().completed(run));
  CHECK(processes_left(run) == 0);
  CHECK(shop.scratch_is_empty());
}

TEST_CASE("the output of a run that is handed back is sent before, even if it could have been sent with its result") {
  workshop shop({.lines = "grace = '1s'", .environment = {"SVC_RUNNER_LIMITS_CANCEL_GRACE=30s"}});
  auto const run =
      shop.run({"trap 'echo last words; exit' TERM; while :; do sleep 0.05; done"}, {{"wholeOutputBytes", 65'536}});
  auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (shop.service().count("heartbeat") == 0 && std::chrono::steady_clock::now() < give_up)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(shop.runner().stop() == 0);
  shop.service().wait_released(run);
  CHECK_FALSE(shop.service().completed(run));
  // The shell may also print that its `sleep` was terminated.
  CHECK(shop.service().all(run).find("last words\n") != std::string::npos);
}

TEST_CASE("a second signal ends the runner at once and leaves nothing") {
  workshop shop;
  auto const run = shop.run({crowd});
  shop.service().wait_line(run, "ready");
  shop.runner().signal(SIGTERM);
  shop.runner().wait_error_line("\"stopping\"");
  CHECK(shop.runner().stop() == 130);
  CHECK(processes_left(run) == 0);
  CHECK(shop.scratch_is_empty());
}

TEST_CASE("a runner that is killed leaves no process") {
  for (std::string const mode : {"auto", "none"}) {
    CAPTURE(mode);
    workshop shop({.sandbox = mode});
    auto const run = shop.run({crowd});
    shop.service().wait_line(run, "ready");
    shop.runner().kill();
    CHECK(processes_left(run) == 0);
  }
}

TEST_CASE("runs leave none of the runner's descriptors open, however they end") {
  for (auto const& way : ways()) {
    CAPTURE(name_of(way));
    workshop place(way);
    auto const open_descriptors = [&] {
      auto const all = std::filesystem::directory_iterator("/proc/" + std::to_string(place.runner().pid()) + "/fd");
      return std::distance(begin(all), end(all));
    };
    auto const one_of_each = [&] {
      CHECK(status_of(place.run_to_end({"echo one", "exit 1"})) == "failed");
      CHECK(status_of(place.run_to_end({"echo two >&2"})) == "passed");
      auto const run = place.run({crowd});
      place.service().wait_line(run, "ready");
      place.service().cancel(run);
      CHECK(status_of(place.service().completion(run)) == "cancelled");
      CHECK(processes_left(run) == 0);
      CHECK(place.scratch_is_empty());
    };
    // The first runs also open connections that stay.
    one_of_each();
    auto const before = open_descriptors();
    one_of_each();
    CHECK(comes_true([&] { return open_descriptors() <= before; }, std::chrono::seconds(5)));
  }
}

TEST_CASE("a runner removes at its start the files that a killed one has left") {
  for (auto const& way : ways()) {
    CAPTURE(name_of(way));
    workshop shop(way);
    auto const run = shop.run({"mkdir closed; echo x > closed/file; chmod 0 closed; " + std::string(crowd)});
    shop.service().wait_line(run, "ready");
    shop.runner().kill();
    CHECK(processes_left(run) == 0);
    CHECK_FALSE(std::filesystem::is_empty(shop.directory() + "/work"));
    shop.start_runner();
    CHECK(shop.scratch_is_empty());
  }
}

TEST_CASE("a runner that the service keeps forgetting pauses before it registers again") {
  workshop shop;
  shop.service().wait_count("claim", 1);
  shop.service().answer_next("claim", std::vector<int>(10'000, 404));
  shop.service().queue("last", {{"tests", json::array{}}});
  shop.service().wait_count("claim", 2);
  auto const start = std::chrono::steady_clock::now();
  shop.service().wait_count("claim", 2 + 5);
  // There are five pauses between 100 ms and 1.6 s, each of them at least half as long.
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(50 + 100 + 200 + 400 + 800));
  CHECK(shop.service().count("register") >= 5);
  CHECK(shop.runner().stop() == 0);
}

TEST_CASE("a runner whose claim is answered at once without runs pauses before it asks again") {
  workshop shop;
  shop.service().wait_count("claim", 1);
  shop.service().answer_next("claim", std::vector<int>(10'000, 200));
  shop.service().queue("last", {{"tests", json::array{}}});
  shop.service().wait_count("claim", 3);
  auto const start = std::chrono::steady_clock::now();
  shop.service().wait_count("claim", 3 + 3);
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::milliseconds(3 * 500 - 100));
  CHECK(shop.runner().stop() == 0);
}

TEST_CASE("a refused token ends the runner with a clear message") {
  workshop shop;
  auto const run = shop.run({crowd});
  shop.service().wait_line(run, "ready");
  shop.service().answer_next("claim", {401});
  shop.service().answer_next("output", {401});
  shop.service().answer_next("heartbeat", {401});
  shop.service().queue("other", {{"tests", json::array{}}});
  CHECK(shop.runner().wait() == 1);
  CHECK(shop.runner().err().text().find("the service does not accept the token") != std::string::npos);
  CHECK(processes_left(run) == 0);
}
