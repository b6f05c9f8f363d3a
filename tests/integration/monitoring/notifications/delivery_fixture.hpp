#pragma once

#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/monitoring/notifications/schedule.hpp"
#include "svc/store/delivery/delivery_store.hpp"

#include <string>
#include <vector>

namespace svc::test {

/// The shop with providers, alerts for them, and the queue.
struct telling_shop : watched_shop {
  static std::chrono::seconds group_of(std::string_view type, std::optional<std::chrono::seconds> chosen) {
    return notifications::group_time(*notifications::provider_type_named(type), chosen);
  }
  uuid make_provider(std::string const& type, std::string const& called = "one") {
    std::string const config = type == "webhook"
                                   ? R"({"url":"https://a.test/)" + called + R"(","method":"POST"})"
                                   : R"({"webhookUrl":"https://hooks.slack.com/services/)" + called + R"("})";
    return wait(providers.create(as_ed(), {called, type, true, config}, soon()))->id;
  }
  /// Creates a monitor that notifies these providers.
  svc::monitor make_notified(std::vector<uuid> const& ids, std::string const& label = "site") {
    auto set = wanted_without_provider();
    set.name = label;
    set.alert_providers = ids;
    std::string list;
    for (auto const& each : ids) list += (list.empty() ? "\"" : ",\"") + each.to_string() + "\"";
    set.alert_config = R"({"enabled":true,"customMessage":"See the book.","notificationProviders":[)" + list + "]}";
    return make_monitor(set);
  }
  void fails(uuid monitor) { decide(result_at(monitor, next_slot_ += 1000, checks::status::down)); }
  void recovers(uuid monitor) { decide(result_at(monitor, next_slot_ += 1000)); }
  /// Looks for alerts, then claims due messages of at most `most` providers.
  std::vector<store::claimed_message> claim(std::int64_t most = 16) {
    wait(queue.wake(soon()));
    return wait(queue.claim(most, soon())).messages;
  }
  store::claimed_message claim_one() {
    auto found = claim();
    REQUIRE(found.size() == 1);
    return found.front();
  }
  store::settled_message settle(store::claimed_message const& message, store::attempt_end end) {
    return wait(queue.settle(message, std::move(end), soon()));
  }
  store::settled_message sent(store::claimed_message const& message) {
    return settle(message, {.state = store::attempt_end::fate::sent});
  }
  store::settled_message fails_to_send(store::claimed_message const& message, bool uncertain = false) {
    return settle(message,
                  {.reason = "refused", .status = 503, .next = milliseconds(60'000), .uncertain = uncertain});
  }
  store::settled_message dies(store::claimed_message const& message, bool disable = false) {
    return settle(message,
                  {.state = store::attempt_end::fate::dead, .reason = "rejected", .status = 400, .disable = disable});
  }
  /// Moves the queue's times back by this interval.
  void later(std::string const& name) {
    as_owner("UPDATE provider_queue SET due_at = due_at - interval '" + name +
             "', next_start = next_start - interval '" + name + "', quiet_from = quiet_from - interval '" + name +
             "'; UPDATE alerts SET created_at = created_at - interval '" + name + "'");
  }
  /// Returns the content of a message: `monitor_failure` with its end as `monitor_failure+`.
  static std::string reported(store::claimed_message const& message) {
    std::string out;
    for (auto const& each : message.alerts) {
      out += (out.empty() ? "" : " ") + each.target_name + ":" + each.type.substr(each.type.find('_') + 1);
      if (each.outage && each.outage->ended_at) out += "+";
    }
    return out;
  }

  store::delivery_store queue{pool, group_of};

 private:
  std::int64_t next_slot_ = 0;
};

}  // namespace svc::test
