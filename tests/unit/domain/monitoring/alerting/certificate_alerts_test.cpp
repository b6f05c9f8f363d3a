#include "svc/domain/monitoring/alerting/decide.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::alerting;

namespace {

timestamp const now{1'800'000'000'000'000};

decision warned(monitor_state const& monitor) {
  decision out;
  warn_of_certificate(monitor, uuid{{7}}, {{"CN=ca", "CN=shop", {}, {}, "aa"}, 14}, now, out);
  return out;
}

}  // namespace

TEST_CASE("each provider is notified of an expiring certificate, if that is requested") {
  monitor_state monitor{.alerts = {.providers = {{.id = uuid{{1}}}, {.id = uuid{{2}}, .disabled = true}}}};
  CHECK(warned(monitor).alerts.empty());
  monitor.alerts.on_ssl_expiration = true;
  auto const reported = warned(monitor);
  REQUIRE(reported.alerts.size() == 2);
  CHECK(reported.alerts[0] == alert{alert_type::ssl_expiring, uuid{{7}}, 14, uuid{{1}}, std::nullopt});
  CHECK(reported.alerts[1].suppressed == suppression::provider_disabled);
  CHECK(reported.certificate->fingerprint == "aa");
  CHECK_FALSE(reported.changed);
  monitor.muted_until = now + std::chrono::hours(1);
  CHECK(warned(monitor).alerts.empty());
  monitor.muted_until = now;
  CHECK(warned(monitor).alerts.size() == 2);
  monitor.maintenance = {{now + -std::chrono::hours(1), now + std::chrono::hours(1)}};
  CHECK(warned(monitor).alerts.empty());
  monitor.maintenance = {{now + -std::chrono::hours(1), now}};
  CHECK(warned(monitor).alerts.size() == 2);
  monitor.alerts.enabled = false;
  CHECK(warned(monitor).alerts.empty());
}
