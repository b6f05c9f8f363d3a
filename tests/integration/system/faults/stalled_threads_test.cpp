// A thread that one turn or one mail keeps is noticed with the project that it works for, an exception of a handler
// does not end the process, and SIGTERM does, whatever a thread does.
#include "integration/system/monitoring/tried_monitors.hpp"
#include "support/comes_true.hpp"
#include "support/service.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <thread>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

std::string project_id(tenant const& tenant) {
  return shared_fleet().word(
      "SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE o.slug = '" +
      tenant.organization + "' LIMIT 1");
}

TEST_CASE("a turn that keeps the check thread is logged with the project and the resource, and counted") {
  monitor_trials const trials;
  CHECK(sum_of(trials.metrics(), "svc_thread_stalls_total{thread=\"checks-0\"") == 0);
  CHECK(values_of(trials.metrics(), "svc_thread_stalls_total{thread=\"packing\"").size() == 1);
  CHECK(values_of(trials.metrics(), "svc_thread_stalls_total{thread=\"delivery\"").size() == 1);
  trials.set_failpoint("checks.perform=block:4500*1");
  CHECK(trials.try_monitor().status == 200);
  auto const line = trials.process().wait_error_line("one turn of its event loop blocks a thread");
  CAPTURE(line);
  CHECK(line.find("\"thread\":\"checks-0\"") != std::string::npos);
  CHECK(line.find("\"resource\":\"check_cpu\"") != std::string::npos);
  CHECK(line.find("\"project\":\"" + project_id(trials.user()) + "\"") != std::string::npos);
  CHECK(logged(trials.process(), "a thread that one turn had blocked serves again", 1));
  CHECK(
      comes_true([&] { return sum_of(trials.metrics(), "svc_thread_stalls_total{thread=\"checks-0\"") == 1; }, 10s));
  CHECK(sum_of(trials.metrics(), "svc_thread_stalls_total{") == 1);
}

/// Requires that the process was started with `drain_timeout` 1 s.
void check_end_by_deadline(service& process) {
  process_watch const watch(process.pid());
  auto const asked = std::chrono::steady_clock::now();
  process.signal(SIGTERM);
  CHECK(watch.ended_within(30s));
  auto const took = std::chrono::steady_clock::now() - asked;
  // The pause for the last log lines and a busy machine.
  CHECK(took < 1s + 5s + 2s);
  CHECK(process.wait() == 1);
  CHECK(process.wait_error_line("it ends now, whatever its threads do").find("\"afterMs\":6000") !=
        std::string::npos);
}

TEST_CASE("SIGTERM ends the process within drain_timeout and 5 s while a check keeps its thread") {
  monitor_trials const trials({"SVC_DRAIN_TIMEOUT=1s"});
  trials.set_failpoint("checks.perform=sleep:600000*1");
  std::thread asking([&] {
    try {
      trials.try_monitor();
    } catch (std::exception const&) {
      // The process ends before it answers.
    }
  });
  trials.process().wait_error_line("one turn of its event loop blocks a thread");
  check_end_by_deadline(trials.process());
  asking.join();
}

TEST_CASE(
    "a mail thread that outlives its deadline is logged with the project and counted, and SIGTERM ends the process") {
  monitor_trials const trials(
      {"SVC_DRAIN_TIMEOUT=1s", "SVC_SMTP_URL=smtp://127.0.0.1:1", "SVC_SMTP_FROM=svc@example.org"});
  auto const stalls = [&] { return sum_of(trials.metrics(), "svc_thread_stalls_total{thread=\"mail\"}"); };
  CHECK(values_of(trials.metrics(), "svc_thread_stalls_total{thread=\"mail\"}").size() == 1);
  trials.set_failpoint("mail.send=sleep:600000*1");
  // The user has an answer at the deadline of the attempt, which does not end.
  auto const tested = trials.client().post("/api/notification-providers/test",
                                           R"({"name":"mail","type":"email","config":{"to":["ops@mail.test"]}})");
  CHECK(tested.status == 200);
  CHECK(tested.body.find("\"timeout\"") != std::string::npos);
  auto const line =
      trials.process().wait_error_line("an attempt to send a mail exceeds its deadline and blocks its thread");
  CAPTURE(line);
  CHECK(line.find("\"thread\":\"mail\"") != std::string::npos);
  CHECK(line.find("\"resource\":\"mails\"") != std::string::npos);
  CHECK(line.find("\"project\":\"" + project_id(trials.user()) + "\"") != std::string::npos);
  CHECK(comes_true([&] { return stalls() == 1; }, 10s));
  check_end_by_deadline(trials.process());
}

}  // namespace
}  // namespace svc::test
