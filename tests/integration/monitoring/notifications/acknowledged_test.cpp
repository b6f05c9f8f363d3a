// Tests the events that PagerDuty receives about an acknowledged outage. A receiver of the test accepts them over
// TLS.
#include "delivery_fixture.hpp"

#include "integration/egress/http_server.hpp"
#include "support/temporary_directory.hpp"
#include "svc/egress/http/http_client.hpp"
#include "svc/monitoring/notifications/notifier.hpp"
#include "svc/monitoring/notifications/sender.hpp"
#include "svc/store/delivery/alert_store.hpp"
#include "svc/store/monitors/outage_store.hpp"

#include <boost/json/parse.hpp>

#include <thread>

using namespace svc;
using namespace svc::test;

namespace {

void take_events(http_connection& connection) {
  while (!connection.request().empty()) connection.send(answer_of(202));
}

/// The real notifier and sender; the test's receiver is both PagerDuty and a webhook.
struct paging_shop : telling_shop {
  paging_shop() {
    settings->urls.pagerduty = receiver.url("");
    pager = create("pagerduty", R"({"routingKey":"r"})");
    hook = create("webhook", R"({"url":")" + receiver.url("/hook") + R"(","method":"POST"})");
    monitor = make_notified({pager, hook}).id;
  }
  uuid create(std::string const& type, std::string const& config) {
    return wait(providers.create(as_ed(), {type, type, true, config}, soon()))->id;
  }
  uuid open_outage() { return *get(monitor).open_outage; }
  result<store::outage> acknowledge() { return wait(outages.acknowledge(as_ed(), monitor, open_outage(), soon())); }

  /// Returns the actions of the received events of one incident, once all is sent. It waits in real time: the
  /// notifier also looks by itself, and an attempt that it has started then must not seem old.
  std::string events() {
    for (auto const until = soon(); rows("alerts WHERE status = 'pending'") > 0 && !until.passed();) {
      wait(notifier.look());
      wait(notifier.emptied(soon()));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::string out, incident;
    for (auto const& each : receiver.requests()) {
      if (!each.starts_with("POST /v2/enqueue ")) continue;
      auto const event = boost::json::parse(each.substr(each.find("\r\n\r\n") + 4)).as_object();
      auto const text = std::string(event.at("dedup_key").as_string());
      CHECK((incident.empty() || incident == text));
      incident = text;
      out += (out.empty() ? "" : " ") + std::string(event.at("event_action").as_string());
    }
    return out;
  }
  std::int64_t notifications_of(uuid provider) {
    return rows("alerts WHERE provider_id = '" + provider.to_string() + "' AND status = 'sent'");
  }

  throwaway_ca trusted = make_throwaway_ca("IP:127.0.0.1");
  temporary_directory files;
  http_server receiver{{.tls = &trusted}, take_events};
  egress::resolver names{io, {}};
  egress::http_client client{
      io, names, std::make_shared<egress::address_policy const>(std::vector{*svc::cidr::parse("127.0.0.1/32")}),
      std::make_shared<egress::trust_store const>(
          std::initializer_list<std::string>{files.write("ca.pem", trusted.authority)})};
  std::shared_ptr<notifications::text_settings> settings = std::make_shared<notifications::text_settings>();
  notifications::sender sender{{client, client}, settings};
  store::outage_store outages{pool};
  store::alert_store alerts{pool};
  metrics counters;
  background_loops loops{counters};
  notifications::notifier notifier{{io,
                                    pool,
                                    providers,
                                    [this](notifications::provider_config config, notifications::message message,
                                           unsigned number, std::vector<notifications::settled_recipient> settled) {
                                      return sender.send(std::move(config), std::move(message), number,
                                                         std::move(settled));
                                    },
                                    counters,
                                    {loops, io, "0", [] { return true; }}}};
  uuid pager, hook, monitor;
};

}  // namespace

TEST_CASE("the acknowledgement of an outage is sent only to PagerDuty, once, between its failure and its end") {
  paging_shop db;
  db.fails(db.monitor);
  CHECK(db.events() == "trigger");
  REQUIRE(db.acknowledge().has_value());
  REQUIRE(db.acknowledge().has_value());
  CHECK(db.events() == "trigger acknowledge");
  db.recovers(db.monitor);
  CHECK(db.events() == "trigger acknowledge resolve");
  CHECK(db.notifications_of(db.hook) == 2);
  // Users see the outage's acknowledgement, and no alert of it.
  auto const listed = db.wait(db.alerts.list(db.project, {}, {}, db.soon()));
  CHECK(listed.total == 4);
  auto const hidden = uuid::parse(db.words("SELECT id::text FROM alerts WHERE type = 'outage_acknowledged'"));
  CHECK(failure(db.wait(db.alerts.get(db.project, *hidden, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.alerts.retry(db.as_ed(), *hidden, db.soon()))) == errc::not_found);
}

TEST_CASE("an acknowledgement waits for the failure, and is not sent once the outage has ended") {
  paging_shop db;
  db.fails(db.monitor);
  REQUIRE(db.acknowledge().has_value());
  SUBCASE("open") {
    CHECK(db.events() == "trigger acknowledge");
  }
  SUBCASE("ended") {
    db.recovers(db.monitor);
    CHECK(db.events() == "resolve resolve");
  }
}

TEST_CASE("PagerDuty gets an acknowledgement when the mute of its monitor ends, and never if it is disabled") {
  paging_shop db;
  auto const mute = [&](std::string const& until) {
    db.as_owner("UPDATE monitors SET muted_until = now() + interval '" + until + "'");
  };
  mute("1 hour");
  db.fails(db.monitor);
  REQUIRE(db.acknowledge().has_value());
  CHECK(db.events().empty());
  mute("-1 s");
  db.as_owner("UPDATE monitor_status SET look_at = now()");
  db.wait(db.checks.look(db.soon()));
  CHECK(db.events() == "trigger acknowledge");

  paging_shop disabled;
  disabled.as_owner("UPDATE notification_providers SET enabled = false WHERE type = 'pagerduty'");
  disabled.fails(disabled.monitor);
  REQUIRE(disabled.acknowledge().has_value());
  CHECK(disabled.rows("alerts WHERE type = 'outage_acknowledged'") == 0);
  CHECK(disabled.events().empty());
}

TEST_CASE("a failed alert that is sent again is followed by its acknowledgement") {
  paging_shop db;
  db.fails(db.monitor);
  for (auto const& each : db.claim()) each.provider == db.pager ? void(db.dies(each)) : void(db.sent(each));
  auto const failed = db.words("SELECT id::text FROM alerts WHERE status = 'failed'");
  REQUIRE(db.acknowledge().has_value());
  db.later("1 min");
  CHECK(db.events() == "acknowledge");
  REQUIRE(db.wait(db.alerts.retry(db.as_ed(), *uuid::parse(failed), db.soon())).has_value());
  CHECK(db.events() == "acknowledge trigger acknowledge");
}
