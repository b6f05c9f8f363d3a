#include "api/pages.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

namespace svc::api {
namespace {

using test::object;

timestamp const component_now = parse_rfc3339("2026-11-20T10:00:00Z").value();
std::string const component_monitor = "01934f2e-8888-7d3e-9b1f-5a2c8e4d6f70";

result<pages::component_settings> component_of(std::string const& members) {
  auto const body = object(R"({"name":"Checkout")" + (members.empty() ? "" : "," + members) + "}");
  CHECK(test::faults(test::check("CreateStatusPageComponentRequest", body)) == "");
  return read_component(body, component_now);
}

TEST_CASE("valid and invalid components, beyond the schema") {
  std::string const capital = "01934F2E-8888-7d3e-9b1f-5a2c8e4d6f70";
  struct {
    std::string name, members, wrong;
  } const cases[] = {
      {"only a name", "", ""},
      {"override without end", R"("statusOverride":"partial_outage")", ""},
      {"override with end", R"("statusOverride":"operational","overrideUntil":"2026-11-20T10:00:01Z")", ""},
      {"end now", R"("statusOverride":"operational","overrideUntil":"2026-11-20T10:00:00Z")", "/overrideUntil"},
      {"end of nothing", R"("overrideUntil":"2026-11-20T10:00:01Z")", "/overrideUntil"},
      {"one monitor twice", R"("monitorIds":[")" + component_monitor + R"(",")" + capital + "\"]", "/monitorIds/1"},
      {"hidden group", R"("group":"a\u202eb")", "/group"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(test::faults(component_of(c.members)) == c.wrong);
  }
  auto const plain = component_of("").value();
  CHECK(plain.position == 0);
  CHECK(plain.show_uptime);
  CHECK(plain.rule == pages::aggregation::worst_case);
  CHECK_FALSE(plain.override_status);
}

TEST_CASE("a new override drops the end of the stored one, and an expired end stays otherwise") {
  pages::component const stored{
      .id = uuid::generate_v7(),
      .page = uuid::generate_v7(),
      .set = {.name = "Checkout",
              .monitors = {uuid::parse(component_monitor).value()},
              .override_status = pages::component_status::major_outage,
              .override_until = timestamp{component_now.micros - 3'600'000'000 + 1}}};  // with a microsecond
  auto const patched_by = [&](std::string const& patch) {
    return patch_component(test::contract(), stored, object(patch), component_now).value();
  };
  CHECK(patched_by(R"({"name":"n"})").override_until == stored.set.override_until);
  CHECK(patched_by(R"({"name":"n"})").monitors == stored.set.monitors);
  auto const again = patched_by(R"({"statusOverride":"partial_outage"})");
  CHECK(again.override_status == pages::component_status::partial_outage);
  CHECK_FALSE(again.override_until);
  auto const none = patched_by(R"({"statusOverride":null})");
  CHECK_FALSE(none.override_status);
  CHECK_FALSE(none.override_until);
  auto const late =
      patch_component(test::contract(), stored, object(R"({"overrideUntil":"2026-11-19T10:00:00Z"})"), component_now);
  CHECK(test::faults(late) == "/overrideUntil");
}

TEST_CASE("a component is shown as the contract says") {
  pages::component component{.id = uuid::generate_v7(),
                             .page = uuid::generate_v7(),
                             .set = component_of(R"("monitorIds":[")" + component_monitor + "\"]").value(),
                             .missing_monitors = 1};
  auto const shown = test::shown(component_json, component);
  CHECK(test::faults(test::check("StatusPageComponent", shown)) == "");
  CHECK(shown.at("status") == "unknown");
  CHECK(shown.at("missingMonitors") == 1);
  CHECK(shown.at("statusOverride").is_null());
  CHECK(shown.at("monitorIds").as_array().at(0) == boost::json::value(component_monitor));
  component.set.override_status = pages::component_status::under_maintenance;
  component.set.override_until = component_now;
  auto const overridden = test::shown(component_json, component);
  CHECK(test::faults(test::check("StatusPageComponent", overridden)) == "");
  CHECK(overridden.at("statusOverride") == "under_maintenance");
  CHECK(overridden.at("overrideUntil") == "2026-11-20T10:00:00.000Z");
}

}  // namespace
}  // namespace svc::api
