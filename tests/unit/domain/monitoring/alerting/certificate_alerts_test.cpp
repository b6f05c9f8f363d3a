#include "svc/domain/monitoring/alerting/decide.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::alerting;

namespace {

timestamp const now{1'800'000'000'000'000};

decision warned(monitor_state const& of) {
  decision out;
  warn_of_certificate(of, uuid{{7}}, {{"CN=ca", "CN=shop", {}, {}, "aa"}, 14}, now, out);
  return out;
}

}  // namespace

TEST_CASE("a certificate that is about to end is told to each provider, if that is wanted") {
  monitor_state of{.alerts = {.providers = {{.id = uuid{{1}}}, {.id = uuid{{2}}, .disabled = true}}}};
  CHECK(warned(of).alerts.empty());
  of.alerts.on_ssl_expiration = true;
  auto const told = warned(of);
  REQUIRE(told.alerts.size() == 2);
  CHECK(told.alerts[0] == alert{alert_type::ssl_expiring, uuid{{7}}, 14, uuid{{1}}, std::nullopt});
  CHECK(told.alerts[1].suppressed == suppression::provider_disabled);
  CHECK(told.certificate->fingerprint == "aa");
  CHECK_FALSE(told.changed);
  of.muted_until = now + std::chrono::hours(1);
  CHECK(warned(of).alerts.empty());
  of.muted_until = now;
  CHECK(warned(of).alerts.size() == 2);
  of.alerts.enabled = false;
  CHECK(warned(of).alerts.empty());
}
