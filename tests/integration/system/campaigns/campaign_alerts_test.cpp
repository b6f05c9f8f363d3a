// The check of runs' alerts itself.
#include "campaign_alerts.hpp"

#include <doctest/doctest.h>

#include <functional>

namespace svc::test {
namespace {

/// Thresholds of two; a run's name is its number.
run_alert_facts correct_alerts() {
  run_alert_facts out{.jobs = {{"j", {.failures = 2, .passes = 2}}}};
  int number = 0;
  for (auto const* status : {"failed", "error", "passed", "passed", "timed_out", "passed", "failed"}) {
    auto const run = std::to_string(number++);
    out.ended[run] = status;
    out.in_order.push_back({"j", run, status});
  }
  out.ended["c"] = "cancelled";
  out.alerts = {{"1", "job_failed"},
                {"2", "job_recovered"},
                {"3", "job_success"},
                {"4", "job_timeout"},
                {"5", "job_recovered"}};
  return out;
}

TEST_CASE("the check of runs' alerts finds nothing wrong with correct facts, and each forged one") {
  CHECK_MESSAGE(evaluate(correct_alerts()).broken.empty(), evaluate(correct_alerts()).text());
  struct {
    char const* subject;
    std::function<void(run_alert_facts&)> forge;
  } const cases[] = {
      {"no job_failed", [](auto& f) { f.alerts.erase({"1", "job_failed"}); }},
      {"no job_recovered", [](auto& f) { f.alerts.erase({"5", "job_recovered"}); }},
      {"a job_timeout too many", [](auto& f) { f.alerts.insert({"4", "job_timeout"}); }},
      {"a job_failed too many", [](auto& f) { f.alerts.insert({"0", "job_failed"}); }},
      {"a job_success too many", [](auto& f) { f.alerts.insert({"2", "job_success"}); }},
      {"not counted", [](auto& f) { f.ended["9"] = "passed"; }},
      {"counted twice", [](auto& f) { f.in_order.push_back(f.in_order.back()); }},
      {"counted otherwise than it ended", [](auto& f) { f.ended["0"] = "passed"; }},
      {"counted though cancelled", [](auto& f) { f.in_order.push_back({"j", "c", "cancelled"}); }},
  };
  for (auto const& each : cases) {
    CAPTURE(each.subject);
    auto facts = correct_alerts();
    each.forge(facts);
    CHECK(evaluate(facts).broken.contains(each.subject));
  }
}

}  // namespace
}  // namespace svc::test
