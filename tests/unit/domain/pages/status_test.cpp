// The status of a component: aggregation, evidence, maintenance, incidents, overrides.
#include "svc/domain/pages/status.hpp"

#include "unit/domain/pages/sample_page.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc;
using namespace svc::pages;
using namespace svc::test;

namespace {

constexpr std::chrono::seconds minute{60};

/// Letters: `u` up, `g` degraded, `d` down, `n` no evidence.
std::vector<monitor_evidence> monitors_of(std::string_view letters) {
  std::vector<monitor_evidence> out;
  for (char const c : letters) {
    auto const verdict = c == 'u'   ? monitor_verdict::up
                         : c == 'g' ? monitor_verdict::degraded
                         : c == 'd' ? monitor_verdict::down
                                    : monitor_verdict::none;
    out.push_back(checked_evidence(verdict, minutes_before(1), minute));
  }
  return out;
}

component_status status_by(std::string_view letters, aggregation rule) {
  return measure(monitors_of(letters), rule, sample_now).status;
}

page_snapshot one_component(component_status measured) {
  auto out = empty_snapshot();
  out.components.push_back({.id = id_with(1), .name = "Shop"});
  out.components.front().measured = {.status = measured, .valid_until = sample_now + std::chrono::minutes(1)};
  return out;
}

component_status shown(page_snapshot const& snapshot, timestamp now = sample_now) {
  return status_table(snapshot, now).status(snapshot.components.front().id);
}

}  // namespace

TEST_CASE("each row of the table of statuses holds for both rules") {
  struct {
    std::string_view monitors;
    component_status worst_case, majority;
  } const rows[] = {
      {"", component_status::operational, component_status::operational},
      {"u", component_status::operational, component_status::operational},
      {"d", component_status::major_outage, component_status::major_outage},
      {"dd", component_status::major_outage, component_status::major_outage},
      {"du", component_status::partial_outage, component_status::degraded_performance},
      {"ddu", component_status::partial_outage, component_status::major_outage},
      {"dduu", component_status::partial_outage, component_status::degraded_performance},
      {"dn", component_status::partial_outage, component_status::degraded_performance},
      {"dg", component_status::partial_outage, component_status::degraded_performance},
      {"gu", component_status::degraded_performance, component_status::degraded_performance},
      {"gn", component_status::degraded_performance, component_status::degraded_performance},
      {"n", component_status::unknown, component_status::unknown},
      {"nu", component_status::unknown, component_status::operational},
      {"nnu", component_status::unknown, component_status::unknown},
      {"nnuu", component_status::unknown, component_status::operational},
  };
  for (auto const& row : rows) {
    CAPTURE(row.monitors);
    CHECK(status_by(row.monitors, aggregation::worst_case) == row.worst_case);
    CHECK(status_by(row.monitors, aggregation::majority_vote) == row.majority);
  }
}

TEST_CASE("a result is evidence for three intervals, a heartbeat until a minute after its deadline") {
  auto const checked = [](int age) {
    return std::vector{checked_evidence(monitor_verdict::up, sample_now + std::chrono::seconds(-age), minute)};
  };
  CHECK(measure(checked(179), aggregation::worst_case, sample_now).status == component_status::operational);
  CHECK(measure(checked(180), aggregation::worst_case, sample_now).status == component_status::unknown);
  auto const heartbeat = [](int late) {
    return std::vector{
        heartbeat_evidence(monitor_verdict::up, minutes_before(60), sample_now + std::chrono::seconds(-late))};
  };
  CHECK(measure(heartbeat(59), aggregation::worst_case, sample_now).status == component_status::operational);
  CHECK(measure(heartbeat(60), aggregation::worst_case, sample_now).status == component_status::unknown);
  std::vector const never{checked_evidence(monitor_verdict::up, std::nullopt, minute)};
  CHECK(measure(never, aggregation::worst_case, sample_now).status == component_status::unknown);
}

TEST_CASE("a measurement is valid until the loss of evidence changes it") {
  auto monitors = monitors_of("uuu");
  monitors[1].expires_at = sample_now + std::chrono::seconds(10);
  monitors[2].expires_at = sample_now + std::chrono::seconds(20);
  CHECK(measure(monitors, aggregation::worst_case, sample_now).valid_until == sample_now + std::chrono::seconds(10));
  CHECK(measure(monitors, aggregation::majority_vote, sample_now).valid_until ==
        sample_now + std::chrono::seconds(20));
  auto const copy_end = sample_now + copy_lifetime;
  CHECK(measure({}, aggregation::worst_case, sample_now).valid_until == copy_end);
  CHECK(measure(monitors_of("n"), aggregation::worst_case, sample_now).valid_until == copy_end);
}

TEST_CASE("the evidence of a page is the oldest of the newest results that count") {
  auto monitors = monitors_of("uun");
  monitors[0].newest_result = minutes_before(2);
  monitors[2].newest_result = minutes_before(500);
  auto const measured = measure(monitors, aggregation::worst_case, sample_now);
  CHECK(measured.evidence_at == minutes_before(2));
  CHECK(measured.last_result_at == minutes_before(1));
  auto snapshot = rich_snapshot();
  snapshot.components[3].measured.evidence_at = minutes_before(30);
  snapshot.components[4].measured.evidence_at.reset();
  set_evidence_time(snapshot);
  CHECK(snapshot.evidence_at == minutes_before(30));
  auto none = empty_snapshot();
  set_evidence_time(none);
  CHECK_FALSE(none.evidence_at);
}

TEST_CASE("active maintenance of the page shows on its components, and only while it goes on") {
  auto snapshot = one_component(component_status::major_outage);
  snapshot.maintenance.push_back({.id = id_with(7),
                                  .name = "Work",
                                  .starts_at = sample_now,
                                  .ends_at = sample_now + std::chrono::seconds(5),
                                  .components = {id_with(1)}});
  CHECK(shown(snapshot) == component_status::under_maintenance);
  CHECK(shown(snapshot, sample_now + std::chrono::seconds(-1)) == component_status::major_outage);
  CHECK(shown(snapshot, sample_now + std::chrono::seconds(5)) == component_status::major_outage);
  snapshot.maintenance.front().cancelled = true;
  CHECK(shown(snapshot) == component_status::major_outage);
  snapshot.maintenance.front() = {.id = id_with(7), .starts_at = sample_now, .ends_at = sample_now + minute};
  CHECK(shown(snapshot) == component_status::major_outage);
}

TEST_CASE("an open incident raises a component and never improves it") {
  auto snapshot = one_component(component_status::degraded_performance);
  snapshot.incidents.push_back(
      {.id = id_with(8), .name = "Fails", .components = {{id_with(1), component_status::partial_outage}}});
  auto& incident = snapshot.incidents.front();
  CHECK(shown(snapshot) == component_status::partial_outage);
  incident.components.front().status = component_status::operational;
  CHECK(shown(snapshot) == component_status::degraded_performance);
  incident.components.front().status = component_status::major_outage;
  for (auto const over : {post_status::resolved, post_status::postmortem}) {
    incident.status = over;
    CHECK(shown(snapshot) == component_status::degraded_performance);
  }
}

TEST_CASE("an override wins until its end") {
  auto snapshot = one_component(component_status::major_outage);
  auto& component = snapshot.components.front();
  component.override_status = component_status::operational;
  CHECK(shown(snapshot) == component_status::operational);
  snapshot.incidents.push_back({.id = id_with(8), .components = {{id_with(1), component_status::major_outage}}});
  CHECK(shown(snapshot) == component_status::operational);
  component.override_until = sample_now + std::chrono::seconds(1);
  CHECK(shown(snapshot) == component_status::operational);
  CHECK(shown(snapshot, *component.override_until) == component_status::major_outage);
}

TEST_CASE("a copy is grey after its evidence, whatever else says") {
  auto snapshot = one_component(component_status::operational);
  auto& component = snapshot.components.front();
  auto const end = component.measured.valid_until;
  CHECK(shown(snapshot, end + std::chrono::microseconds(-1)) == component_status::operational);
  CHECK(shown(snapshot, end) == component_status::unknown);
  component.override_status = component_status::operational;
  CHECK(shown(snapshot, end) == component_status::unknown);
  CHECK(is_stale(snapshot, end));
  CHECK_FALSE(is_stale(snapshot, sample_now));
  CHECK(valid_until(snapshot) == end);
}

TEST_CASE("a page shows its worst component, and nothing is green without components") {
  component_status const ascending[] = {component_status::operational,       component_status::unknown,
                                        component_status::under_maintenance, component_status::degraded_performance,
                                        component_status::partial_outage,    component_status::major_outage};
  auto snapshot = one_component(component_status::operational);
  for (auto const status : ascending) {
    CAPTURE(to_text(status));
    snapshot.components.push_back(snapshot.components.front());
    snapshot.components.back().id = id_with(static_cast<unsigned>(snapshot.components.size()));
    snapshot.components.back().measured.status = status;
    CHECK(status_table(snapshot, sample_now).worst() == status);
    CHECK(component_status_of(to_text(status)) == status);
  }
  CHECK(status_table(snapshot, sample_now).status(id_with(99)) == component_status::unknown);
  CHECK(status_table(empty_snapshot(), sample_now).worst() == component_status::unknown);
  CHECK_FALSE(component_status_of("fine"));
  CHECK(aggregation_of("majority_vote") == aggregation::majority_vote);
}
