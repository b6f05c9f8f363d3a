#include "monitor_campaign_check.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace svc::test {
namespace {

using broken_by_kind = std::map<std::string, std::vector<std::string>>;

/// The check whose failure it is may have begun before the fall, by as long as it waited or its instance was stopped.
auto fall_of(found_outage const& outage, std::vector<target_fall> const& falls) {
  return std::ranges::find_if(falls, [&](target_fall const& fall) {
    return fall.monitor == outage.monitor && fall.from <= outage.detected && outage.began <= fall.until;
  });
}

void check_outages(monitor_campaign_facts const& of, broken_by_kind& broken) {
  std::vector<int> of_fall(of.falls.size());
  for (auto const& outage : of.outages) {
    auto const in = fall_of(outage, of.falls);
    if (in == of.falls.end())
      broken["an outage without a fall"].push_back(outage.monitor + " from " + std::to_string(outage.began) + " to " +
                                                   std::to_string(outage.detected));
    else
      ++of_fall[static_cast<std::size_t>(in - of.falls.begin())];
    if (!outage.ended) broken["an outage that did not end"].push_back(outage.monitor);
  }
  for (std::size_t i = 0; i < of.falls.size(); ++i) {
    if (of_fall[i] == 0) broken["a fall without an outage"].push_back(of.falls[i].monitor);
    if (of_fall[i] > 1) broken["a fall with two outages"].push_back(of.falls[i].monitor);
  }
}

void check_alerts(monitor_campaign_facts const& of, broken_by_kind& broken) {
  std::map<std::tuple<std::string, std::string, std::string>, int> written;
  for (auto const& alert : of.alerts) {
    ++written[{alert.outage, alert.type, alert.provider}];
    if (alert.status != "sent") broken["an alert that is " + alert.status].push_back(alert.outage);
  }
  std::size_t wanted = 0;
  for (auto const& outage : of.outages) {
    for (auto const& provider : of.providers_of.at(outage.monitor)) {
      for (auto const* type : {"monitor_failure", "monitor_recovery"}) {
        ++wanted;
        if (written[{outage.id, type, provider}] != 1)
          broken["not one alert for an outage, a type and a provider"].push_back(outage.monitor);
      }
    }
  }
  if (of.alerts.size() > wanted) broken["more alerts than outages tell"].emplace_back("");
}

/// What one receiver was sent, each message once, in the order in which it came first.
std::vector<received_message> distinct(std::vector<received_message> const& all, broken_by_kind& broken) {
  std::vector<received_message> out;
  std::set<std::string> seen;
  for (auto const& one : all) {
    if (seen.insert(one.id).second) {
      out.push_back(one);
      continue;
    }
    // One message at a time: only the newest can come again.
    if (out.back().id != one.id) broken["a message that came again behind a later one"].push_back(one.monitor);
  }
  return out;
}

void check_received(monitor_campaign_facts const& of, broken_by_kind& broken) {
  for (auto const& [provider, all] : of.received) {
    std::set<std::pair<std::string, std::string>> told;
    std::map<std::string, received_message> last;
    for (auto const& one : distinct(all, broken)) {
      if (!told.emplace(one.outage, one.type).second) broken["told twice"].push_back(one.monitor);
      bool const ends = one.type == "monitor.recovery";
      auto const before = last.find(one.monitor);
      bool const was_down = before != last.end() && before->second.type != "monitor.recovery";
      if (ends != was_down) broken["down and up not in turn"].push_back(one.monitor);
      if (ends && was_down && before->second.outage != one.outage)
        broken["the end of another outage"].push_back(one.monitor);
      last[one.monitor] = one;
    }
    for (auto const& [monitor, one] : last)
      if (one.type != "monitor.recovery") broken["an end that was not told"].push_back(monitor);
    for (auto const& outage : of.outages) {
      auto const& asked = of.providers_of.at(outage.monitor);
      if (std::ranges::find(asked, provider) != asked.end() && !told.contains({outage.id, "monitor.failure"}))
        broken["a failure that was not told"].push_back(outage.monitor);
    }
  }
}

void check_taken(monitor_campaign_facts const& of, broken_by_kind& broken) {
  for (auto const& [provider, all] : of.received) {
    std::map<std::string, bool> taken;
    for (auto const& one : all) taken[one.id] = taken[one.id] || one.taken;
    for (auto const& one : all)
      if (!taken[one.id]) broken["a message that was never taken"].push_back(one.monitor);
  }
}

void check_slots(monitor_campaign_facts const& of, broken_by_kind& broken) {
  std::map<std::string, long long> last;
  for (auto const& one : of.slots) {
    auto const [at, is_new] = last.emplace(one.monitor, one.slot);
    if (!is_new && one.slot <= at->second) broken["a slot that counts twice"].push_back(one.monitor);
    at->second = one.slot;
  }
}

}  // namespace

broken_by_kind broken_promises(monitor_campaign_facts const& of) {
  broken_by_kind broken;
  check_outages(of, broken);
  check_alerts(of, broken);
  check_received(of, broken);
  check_taken(of, broken);
  check_slots(of, broken);
  return broken;
}

}  // namespace svc::test
