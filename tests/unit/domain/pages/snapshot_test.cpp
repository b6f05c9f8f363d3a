// The JSON form of a snapshot and its bounds.
#include "svc/core/utf8.hpp"
#include "unit/domain/pages/sample_page.hpp"

#include <doctest/doctest.h>

#include <chrono>

using namespace svc;
using namespace svc::pages;
using namespace svc::test;

TEST_CASE("a snapshot is read as it was written") {
  for (auto const& snapshot : {rich_snapshot(), empty_snapshot(), snapshot_of(most_components)}) {
    auto const json = write_snapshot(snapshot);
    auto const read = read_snapshot(json);
    REQUIRE(read);
    CHECK(write_snapshot(*read) == json);
    page_view const before{snapshot, sample_address(), sample_now}, after{*read, sample_address(), sample_now};
    CHECK(status_html(before) == status_html(after));
  }
}

TEST_CASE("any cut or changed byte gives a snapshot or nothing") {
  auto const json = write_snapshot(rich_snapshot());
  for (std::size_t size = 0; size < json.size(); size += 101) CHECK_FALSE(read_snapshot(json.substr(0, size)));
  for (std::size_t place = 0; place < json.size(); place += 29) {
    auto changed = json;
    changed[place] = changed[place] == '0' ? '}' : '0';
    if (auto const read = read_snapshot(changed)) CHECK_NOTHROW(status_html({*read, sample_address(), sample_now}));
  }
}

TEST_CASE("a snapshot of another version or above a bound is refused") {
  auto json = write_snapshot(empty_snapshot());
  json.replace(json.find("\"version\":1"), 11, "\"version\":2");
  CHECK_FALSE(read_snapshot(json));
  auto many = snapshot_of(most_components + 1);
  CHECK_FALSE(read_snapshot(write_snapshot(many)));
  bound_snapshot(many);
  CHECK(read_snapshot(write_snapshot(many)));
  CHECK_FALSE(read_snapshot(std::string(most_snapshot_bytes + 1, ' ')));
  CHECK_FALSE(read_snapshot("[]"));
  CHECK_FALSE(read_snapshot(R"({"version":1,"page":[]})"));
}

TEST_CASE("the worst snapshot is bounded, and its newest texts stay") {
  auto snapshot = huge_snapshot();
  snapshot.incidents.insert(snapshot.incidents.begin(), rich_snapshot().incidents.front());
  bound_snapshot(snapshot);
  auto const json = write_snapshot(snapshot);
  CHECK(json.size() <= most_snapshot_bytes);
  CHECK(read_snapshot(json));
  CHECK_FALSE(snapshot.incidents.front().posts.front().body.empty());
  CHECK(snapshot.incidents.back().shortened);
  std::size_t bytes = 0;
  for (auto const& incident : snapshot.incidents)
    for (auto const& each : incident.posts) bytes += each.body.size();
  CHECK(bytes <= most_text_bytes);
}

TEST_CASE("the worst snapshot is rendered within bounds of size and time") {
  auto snapshot = huge_snapshot();
  bound_snapshot(snapshot);
  page_view const view{snapshot, sample_address(), sample_now};
  auto const start = std::chrono::steady_clock::now();
  CHECK(status_html(view).size() <= 4'000'000);
  CHECK(rss_feed(view).size() <= 2'000'000);
  CHECK(json_feed(view).size() <= 2'000'000);
  CHECK(calendar(view).size() <= 1'000'000);
  CHECK(summary_json(view).size() <= 2'000'000);
  // A minute's worth of rebuilds would not fit otherwise; sanitizers take ten times as long.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("dropped texts shorten their incident") {
  auto snapshot = rich_snapshot();
  bound_snapshot(snapshot, 0);
  for (auto const& incident : snapshot.incidents) {
    CHECK(incident.shortened);
    for (auto const& each : incident.posts) CHECK(each.body.empty());
  }
  page_view const view{snapshot, sample_address(), sample_now};
  CHECK(incident_html(view, snapshot.incidents.front().id)->find("Older texts are not shown here.") !=
        std::string::npos);
}

TEST_CASE("groups keep the order of their first components") {
  auto snapshot = rich_snapshot();
  auto const groups = groups_of(snapshot);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].name.empty());
  CHECK(groups[0].components.size() == 5);
  CHECK(groups[1].name == "Back office");
  CHECK(groups[1].components.size() == 2);
}

TEST_CASE("uptime counts only observed time") {
  page_component component;
  CHECK_FALSE(uptime_of(component));
  component.days = {{.up_seconds = 75, .down_seconds = 25}, {}, {.up_seconds = 100}};
  CHECK(*uptime_of(component) == doctest::Approx(0.875));
}
