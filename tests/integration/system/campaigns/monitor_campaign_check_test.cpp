// The check of the monitors' campaign sees each kind of broken promise: correct facts, with one forged.
#include "monitor_campaign_check.hpp"

#include <doctest/doctest.h>

#include <functional>

namespace svc::test {
namespace {

/// Monitors of one provider: `a` fails twice, `b` once; one message arrived twice. `c` is in a window all the time
/// and fails once. `d` has a parent: it fails next to the parent once, and alone once. A pager receives all of `d`,
/// too.
monitor_campaign_facts correct_facts() {
  monitor_campaign_facts f;
  f.falls = {{"a", 10, 20}, {"b", 12, 20}, {"a", 30, 40}};
  f.outages = {{"a1", "a", 9, 12, true}, {"b1", "b", 13, 14, true}, {"a2", "a", 31, 32, true}};
  for (auto const* outage : {"a1", "b1", "a2"})
    for (auto const* type : {"monitor_failure", "monitor_recovery"}) f.alerts.push_back({outage, type, "p", "sent"});
  f.providers_of = {{"a", {"p"}}, {"b", {"p"}}};
  f.received["p"] = {{"m1", "monitor.failure", "a", "a1", true},  {"m2", "monitor.failure", "b", "b1", false},
                     {"m2", "monitor.failure", "b", "b1", true},  {"m3", "monitor.recovery", "a", "a1", true},
                     {"m4", "monitor.recovery", "b", "b1", true}, {"m5", "monitor.failure", "a", "a2", true},
                     {"m6", "monitor.recovery", "a", "a2", true}};
  f.slots = {{"a", 1000}, {"b", 1000}, {"a", 3000}};
  f.silenced = {"c"};
  f.sometimes = {"d"};
  f.falls.insert(f.falls.end(), {{"c", 12, 20}, {"d", 12, 20}, {"d", 30, 40}});
  f.outages.insert(f.outages.end(),
                   {{"c1", "c", 13, 14, true}, {"d1", "d", 13, 14, true}, {"d2", "d", 31, 32, true}});
  f.providers_of.insert({{"c", {"p"}}, {"d", {"p", "pager"}}});
  f.alerts.insert(f.alerts.end(), {{"c1", "monitor_failure", "p", "suppressed"},
                                   {"d1", "monitor_failure", "p", "suppressed"},
                                   {"d1", "monitor_failure", "pager", "suppressed"},
                                   {"d2", "monitor_failure", "p", "sent"},
                                   {"d2", "monitor_failure", "pager", "sent"},
                                   {"d2", "monitor_recovery", "pager", "sent"},
                                   {"d2", "monitor_recovery", "p", "sent"}});
  f.received["p"].insert(f.received["p"].end(),
                         {{"m8", "monitor.failure", "d", "d2", true}, {"m9", "monitor.recovery", "d", "d2", true}});
  return f;
}

struct forgery {
  char const* seen_as;
  std::function<void(monitor_campaign_facts&)> forge;
};

TEST_CASE("the check of the monitors' campaign finds nothing wrong with correct facts, and each forged one") {
  CHECK(broken_promises(correct_facts()).empty());
  using facts = monitor_campaign_facts;
  forgery const all[] = {
      {"a fall without an outage", [](facts& f) { f.outages.pop_back(); }},
      {"a fall with two outages", [](facts& f) { f.outages.push_back({"a3", "a", 39, 40, true}); }},
      {"an outage without a fall", [](facts& f) { f.outages[0].detected = 9.5; }},
      {"an outage without a fall", [](facts& f) { f.outages[0].began = 21, f.outages[0].detected = 22; }},
      {"an outage that did not end", [](facts& f) { f.outages[0].ended = false; }},
      {"an alert that is failed", [](facts& f) { f.alerts[0].status = "failed"; }},
      {"not one alert for an outage, a type and a provider", [](facts& f) { f.alerts.pop_back(); }},
      {"not one alert for an outage, a type and a provider",
       [](facts& f) { std::erase_if(f.alerts, [](auto const& a) { return a.outage == "c1"; }); }},
      {"an alert that is suppressed", [](facts& f) { f.alerts[0].status = "suppressed"; }},
      {"an alert that is suppressed", [](facts& f) { f.alerts.back().status = "suppressed"; }},
      {"an alert of a silenced monitor", [](facts& f) { f.alerts[6].status = "sent"; }},
      {"an end too many", [](facts& f) { f.alerts.push_back({"d1", "monitor_recovery", "pager", "sent"}); }},
      {"a suppressed failure that was told",
       [](facts& f) { f.received["p"].push_back({"m0", "monitor.failure", "c", "c1", true}); }},
      {"more alerts than outages tell", [](facts& f) { f.alerts.push_back({"x", "monitor_failure", "p", "sent"}); }},
      {"told twice", [](facts& f) { f.received["p"].push_back({"m7", "monitor.recovery", "a", "a2", true}); }},
      {"down and up not in turn", [](facts& f) { std::swap(f.received["p"][5], f.received["p"][6]); }},
      {"the end of another outage", [](facts& f) { f.received["p"][3].outage = "a2"; }},
      {"an end that was not told", [](facts& f) { f.received["p"].erase(f.received["p"].begin() + 6); }},
      {"a failure that was not told", [](facts& f) { f.received["p"].erase(f.received["p"].begin()); }},
      {"a message that came again behind a later one",
       [](facts& f) { f.received["p"].push_back(f.received["p"][0]); }},
      {"a message that was never taken", [](facts& f) { f.received["p"][2].taken = false; }},
      {"a slot that counts twice", [](facts& f) { f.slots.push_back({"a", 3000}); }},
  };
  for (auto const& forgery : all) {
    CAPTURE(forgery.seen_as);
    auto f = correct_facts();
    forgery.forge(f);
    CHECK(broken_promises(f).contains(forgery.seen_as));
  }
}

}  // namespace
}  // namespace svc::test
