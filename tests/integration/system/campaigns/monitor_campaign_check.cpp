#include "monitor_campaign_check.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace svc::test {
namespace {

using broken_by_kind = std::map<std::string, std::vector<std::string>>;

/// Finds the fall of an outage. Its check may have started before the fall, by as long as it waited or its instance
/// was stopped.
auto fall_of(found_outage const& outage, std::vector<target_fall> const& falls) {
  return std::ranges::find_if(falls, [&](target_fall const& fall) {
    return fall.monitor == outage.monitor && fall.first <= outage.detected && outage.began <= fall.until;
  });
}

void check_outages(monitor_campaign_facts const& facts, broken_by_kind& broken) {
  std::vector<int> of_fall(facts.falls.size());
  for (auto const& outage : facts.outages) {
    auto const iterator = fall_of(outage, facts.falls);
    if (iterator == facts.falls.end())
      broken["an outage without a fall"].push_back(outage.monitor + " from " + std::to_string(outage.began) + " to " +
                                                   std::to_string(outage.detected));
    else
      ++of_fall[static_cast<std::size_t>(iterator - facts.falls.begin())];
    if (!outage.ended) broken["an outage that did not end"].push_back(outage.monitor);
  }
  for (std::size_t i = 0; i < facts.falls.size(); ++i) {
    if (of_fall[i] == 0) broken["a fall without an outage"].push_back(facts.falls[i].monitor);
    if (of_fall[i] > 1) broken["a fall with two outages"].push_back(facts.falls[i].monitor);
  }
}

using alert_key = std::tuple<std::string, std::string, std::string>;  ///< outage, type and provider

bool is_suppressed(written_alert const& alert) {
  return alert.status == "suppressed";
}

/// Returns the outages of whose failure a provider was not notified, each with the provider.
std::set<std::pair<std::string, std::string>> suppressed_failures(monitor_campaign_facts const& facts) {
  std::set<std::pair<std::string, std::string>> out;
  for (auto const& alert : facts.alerts)
    if (is_suppressed(alert) && alert.type == "monitor_failure") out.emplace(alert.outage, alert.provider);
  return out;
}

/// Counts the alerts, and checks that each was sent or could be suppressed.
std::map<alert_key, int> count_alerts(monitor_campaign_facts const& facts, broken_by_kind& broken) {
  std::map<std::string, std::string> monitor_of;
  for (auto const& outage : facts.outages) monitor_of[outage.id] = outage.monitor;
  std::map<alert_key, int> out;
  for (auto const& alert : facts.alerts) {
    ++out[{alert.outage, alert.type, alert.provider}];
    auto const& monitor = monitor_of[alert.outage];
    bool const silenced = facts.silenced.contains(monitor);
    bool const may_be_suppressed = alert.type == "monitor_failure" && (silenced || facts.sometimes.contains(monitor));
    if (silenced && !is_suppressed(alert)) broken["an alert of a silenced monitor"].push_back(monitor);
    if (alert.status != "sent" && !(is_suppressed(alert) && may_be_suppressed))
      broken["an alert that is " + alert.status].push_back(alert.outage);
  }
  return out;
}

void check_alerts(monitor_campaign_facts const& facts, broken_by_kind& broken) {
  auto written = count_alerts(facts, broken);
  auto const suppressed = suppressed_failures(facts);
  std::size_t wanted = 0;
  for (auto const& outage : facts.outages) {
    for (auto const& provider : facts.providers_of.at(outage.monitor)) {
      int const ends = suppressed.contains({outage.id, provider}) ? 0 : 1;
      wanted += static_cast<std::size_t>(1 + ends);
      auto const recoveries = written[{outage.id, "monitor_recovery", provider}];
      if (written[{outage.id, "monitor_failure", provider}] != 1 || recoveries < ends)
        broken["not one alert for an outage, a type and a provider"].push_back(outage.monitor);
      if (recoveries > ends) broken["an end too many"].push_back(outage.monitor);
    }
  }
  if (facts.alerts.size() > wanted) broken["more alerts than outages tell"].emplace_back("");
}

/// Returns the messages of one receiver, each once, in the order of their first arrival.
std::vector<received_message> distinct(std::vector<received_message> const& all, broken_by_kind& broken) {
  std::vector<received_message> out;
  std::set<std::string> seen;
  for (auto const& message : all) {
    if (seen.insert(message.id).second) {
      out.push_back(message);
      continue;
    }
    // There is one message at a time, so only the newest can arrive again.
    if (out.back().id != message.id)
      broken["a message that came again behind a later one"].push_back(message.monitor);
  }
  return out;
}

void check_received(monitor_campaign_facts const& facts, broken_by_kind& broken) {
  auto const suppressed = suppressed_failures(facts);
  for (auto const& [provider, all] : facts.received) {
    std::set<std::pair<std::string, std::string>> reported;
    std::map<std::string, received_message> last;
    for (auto const& message : distinct(all, broken)) {
      if (!reported.emplace(message.outage, message.type).second) broken["told twice"].push_back(message.monitor);
      bool const ends = message.type == "monitor.recovery";
      auto const before = last.find(message.monitor);
      bool const was_down = before != last.end() && before->second.type != "monitor.recovery";
      if (ends != was_down) broken["down and up not in turn"].push_back(message.monitor);
      if (ends && was_down && before->second.outage != message.outage)
        broken["the end of another outage"].push_back(message.monitor);
      last[message.monitor] = message;
    }
    for (auto const& [monitor, entry] : last)
      if (entry.type != "monitor.recovery") broken["an end that was not told"].push_back(monitor);
    for (auto const& outage : facts.outages) {
      auto const& asked = facts.providers_of.at(outage.monitor);
      if (std::ranges::find(asked, provider) == asked.end()) continue;
      bool const received = reported.contains({outage.id, "monitor.failure"});
      bool const expected = !suppressed.contains({outage.id, provider});
      if (!received && expected) broken["a failure that was not told"].push_back(outage.monitor);
      if (received && !expected) broken["a suppressed failure that was told"].push_back(outage.monitor);
    }
  }
}

void check_taken(monitor_campaign_facts const& facts, broken_by_kind& broken) {
  for (auto const& [provider, all] : facts.received) {
    std::map<std::string, bool> taken;
    for (auto const& message : all) taken[message.id] = taken[message.id] || message.taken;
    for (auto const& message : all)
      if (!taken[message.id]) broken["a message that was never taken"].push_back(message.monitor);
  }
}

void check_slots(monitor_campaign_facts const& facts, broken_by_kind& broken) {
  std::map<std::string, long long> last;
  for (auto const& slot : facts.slots) {
    auto const [position, is_new] = last.emplace(slot.monitor, slot.slot);
    if (!is_new && slot.slot <= position->second) broken["a slot that counts twice"].push_back(slot.monitor);
    position->second = slot.slot;
  }
}

}  // namespace

broken_by_kind broken_promises(monitor_campaign_facts const& facts) {
  broken_by_kind broken;
  check_outages(facts, broken);
  check_alerts(facts, broken);
  check_received(facts, broken);
  check_taken(facts, broken);
  check_slots(facts, broken);
  return broken;
}

}  // namespace svc::test
