#include "monitoring/checks/check_meter.hpp"

#include <doctest/doctest.h>

using namespace svc;

TEST_CASE("a place counts as well again when a failure was confirmed there, not when a target answers") {
  metrics counters;
  checks::check_state state{1};
  checks::check_meter meter(counters, state);
  checks::result_of_check ill, up, down;
  ill.ended = checks::status::error;
  ill.known.error = checks::failure(checks::code::location_impaired);
  up.ended = checks::status::up;
  down.ended = checks::status::down;
  down.known.error = checks::failure(checks::code::connect_refused);
  auto const& type = *checks::check_type_named("http_request");
  for (int i = 0; i < 3; ++i) {
    meter.ended(type, ill);
    CHECK(state.impaired);
    // A target may be near, or its answer older than the trouble.
    meter.ended(type, up);
    CHECK(state.impaired);
  }
  CHECK(counters.expose().find("svc_location_impaired{location=\"local\"} 1") != std::string::npos);
  meter.ended(type, down);
  CHECK_FALSE(state.impaired);
  CHECK(counters.expose().find("svc_location_impaired{location=\"local\"} 0") != std::string::npos);
}
