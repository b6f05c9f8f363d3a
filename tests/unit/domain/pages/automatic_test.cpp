#include "svc/domain/pages/automatic.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::pages;
using namespace std::chrono_literals;

namespace {

constexpr timestamp noon{1'800'000'000'000'000};

open_outage outage_at(std::uint8_t number, std::chrono::minutes after) {
  uuid id{};
  id.bytes[15] = number;
  return {id, noon + after};
}

watched_component down_since(std::chrono::minutes after) {
  return {.measured = component_status::partial_outage, .outage = outage_at(1, after)};
}

}  // namespace

TEST_CASE("a component is in outage since the outage that the rule needs") {
  std::vector<open_outage> const three{outage_at(3, 30min), outage_at(1, 10min), outage_at(2, 20min)};
  struct row {
    char const* name;
    std::vector<open_outage> outages;
    std::size_t monitors;
    aggregation rule;
    int number;  ///< 0: none
  };
  for (auto const& [name, outages, monitors, rule, number] : std::initializer_list<row>{
           {"no outage", {}, 3, aggregation::worst_case, 0},
           {"no monitors", {}, 0, aggregation::majority_vote, 0},
           {"the first of three", three, 5, aggregation::worst_case, 1},
           {"more than half of five", three, 5, aggregation::majority_vote, 3},
           {"half of six is no majority", three, 6, aggregation::majority_vote, 0},
           {"two of three", three, 3, aggregation::majority_vote, 2},
           {"the only one", {three[0]}, 1, aggregation::majority_vote, 3},
       }) {
    CAPTURE(name);
    auto const found = outage_of_component(outages, monitors, rule);
    CHECK((found ? int(found->id.bytes[15]) : 0) == number);
  }
}

TEST_CASE("an incident is due when the outage has lasted for the page's minutes, outside of maintenance") {
  CHECK_FALSE(is_incident_due(down_since(0min), 5min, noon + 5min + std::chrono::microseconds(-1)));
  CHECK(is_incident_due(down_since(0min), 5min, noon + 5min));
  auto component = down_since(0min);
  component.maintained = true;
  CHECK_FALSE(is_incident_due(component, 5min, noon + 60min));
  component = down_since(0min);
  component.measured = component_status::unknown;
  CHECK_FALSE(is_incident_due(component, 5min, noon + 60min));
  component.measured = component_status::degraded_performance;
  CHECK_FALSE(is_incident_due(component, 5min, noon + 60min));
  CHECK_FALSE(is_incident_due({.measured = component_status::major_outage}, 5min, noon + 60min));
  CHECK(impact_of_outage(component_status::major_outage) == impact::major);
  CHECK(impact_of_outage(component_status::partial_outage) == impact::minor);
}

TEST_CASE("an automatic incident is resolved when the component has been operational for the page's minutes") {
  auto step = progress_of({}, component_status::operational, 5min, noon);
  CHECK(step.good_since == noon);
  CHECK_FALSE(step.resolved);
  step = progress_of({.good_since = noon}, component_status::operational, 5min, noon + 4min);
  CHECK(step.good_since == noon);
  CHECK_FALSE(step.resolved);
  CHECK(progress_of({.good_since = noon}, component_status::operational, 5min, noon + 5min).resolved);
  for (auto const status : {component_status::unknown, component_status::degraded_performance,
                            component_status::partial_outage, component_status::major_outage}) {
    step = progress_of({.good_since = noon}, status, 5min, noon + 60min);
    CHECK_FALSE(step.good_since);
    CHECK_FALSE(step.resolved);
  }
}
