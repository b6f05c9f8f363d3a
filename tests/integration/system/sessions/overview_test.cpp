// The overview of a project and the bars of its monitors, as pages ask for them.
#include "browser.hpp"

#include "support/metrics_page.hpp"
#include "support/together.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>

namespace svc::test {
namespace {

constexpr auto overview_path = "/dashboard/v1/overview";

std::string bars_path(std::string const& ids) {
  return "/dashboard/v1/monitors/bars?ids=" + ids;
}

/// Reads of the view in all workers of an instance so far.
double reads(fleet const& installation, std::size_t instance, std::string const& view) {
  auto const page = installation.pages(instance).get("/metrics").body;
  return sum_of(page, "svc_overview_seconds_count", "view=\"" + view + "\"");
}

}  // namespace

TEST_CASE("the overview and bars of a project are for its roles, and no other project's ids are in them") {
  signed_in_member viewer("project_viewer");
  auto& installation = viewer.installation;
  auto const other = installation.make_tenant();
  auto const own = make_paused_monitor(installation, viewer.owner, "own"),
             foreign = make_paused_monitor(installation, other, "foreign");
  auto const unknown = uuid::generate_v7().to_string();
  browser editor(installation, 1), stranger(installation), outside(installation);
  editor.sign_in(installation.make_member(viewer.owner, "project_editor").user);
  editor.open_project(viewer.project);
  stranger.sign_in(other.user);
  stranger.open_project(viewer.project);
  for (auto const& path : {std::string(overview_path), bars_path(own)}) {
    CAPTURE(path);
    CHECK(viewer.page.get(path).status == 200);
    CHECK(editor.get(path).status == 200);
    CHECK(code_of(stranger.get(path)) == "project_not_found");
    CHECK(outside.get(path).status == 401);
    CHECK(code_of(installation.client(0, viewer.owner.token).get(path)) == "wrong_token_kind");
  }
  // Foreign ids are left out like unknown ones.
  auto const bars = [&](std::string const& ids) {
    return body_of(viewer.page.get(bars_path(ids))).at("monitors").as_array();
  };
  auto const mixed = bars(foreign + "," + own + "," + unknown + "," + own);
  REQUIRE(mixed.size() == 1);
  CHECK(text_of(mixed[0], "/id") == own);
  CHECK(bars(foreign) == bars(unknown));
  CHECK(bars(foreign).empty());
  CHECK(body_of(viewer.page.get(overview_path)).at("openOutages") == 1);
}

TEST_CASE("the overview shows the jobs, the queue and the monitors of the project, and has an ETag") {
  signed_in_member m("project_editor");
  make_paused_monitor(m.installation, m.owner, "paused");
  auto const test =
      text_of(body_of(m.page.post("/api/tests", R"({"title":"t","type":"command","script":"echo"})")), "/id");
  auto const job =
      text_of(body_of(m.page.post("/api/jobs",
                                  R"({"name":"nightly","jobType":"command","tests":[{"id":")" + test + R"("}]})")),
              "/id");
  REQUIRE(m.page.call("POST", "/api/jobs/" + job + "/trigger", "{}").status == 202);
  auto const got = m.page.get(overview_path);
  CAPTURE(got.body);
  REQUIRE(got.status == 200);
  auto const body = body_of(got);
  CHECK(text_of(body, "/jobs/0/id") == job);
  CHECK(body.at("jobs").at(0).at("runs") == 0);
  CHECK(body.at("last24h").at("hours").as_array().size() == 24);
  CHECK(body.at("monitors").at("paused") == 1);
  CHECK(body.at("openOutages") == 1);
  // The runner of the installation may have taken the run.
  auto const& queue = body.at("queue");
  CHECK(queue.at("queued").as_int64() + queue.at("running").as_int64() <= 1);
  CHECK(got.header("cache-control") == "no-store");

  auto const bars = bars_path(text_of(body_of(m.page.get("/api/monitors")), "/data/0/id"));
  REQUIRE(m.page.get(bars).header("etag").has_value());
  CHECK(m.page.call("GET", bars, {}, {{"If-None-Match", "\"0-other\""}}).status == 200);
  CHECK(m.page.call("GET", bars, {}, {{"If-Match", "\"0-other\""}}).status == 412);
  // Once the run is over, nothing changes but the time.
  auto const unchanged = [&] {
    auto const tag = *m.page.get(overview_path).header("etag");
    return m.page.call("GET", overview_path, {}, {{"If-None-Match", tag}}).status == 304;
  };
  CHECK(comes_true(unchanged, std::chrono::seconds(60)));
}

TEST_CASE("bars need 1 to 100 ids, and the overview takes no parameter") {
  signed_in_member m("project_viewer");
  std::string many = uuid::generate_v7().to_string();
  for (int i = 1; i < 100; ++i) many += "," + uuid::generate_v7().to_string();
  CHECK(m.page.get(bars_path(many)).status == 200);
  for (auto const& wrong : {bars_path(many + "," + uuid::generate_v7().to_string()), bars_path(""), bars_path("x"),
                            bars_path(many.substr(0, 36) + ","), std::string("/dashboard/v1/monitors/bars"),
                            std::string(overview_path) + "?page=1"}) {
    CAPTURE(wrong);
    CHECK(code_of(m.page.get(wrong)) == "validation_failed");
  }
}

TEST_CASE("requests for an overview and for bars within five seconds reach no store, also if they come together") {
  signed_in_member m("project_viewer");
  auto const monitor = make_paused_monitor(m.installation, m.owner, "polled");
  auto const metrics = m.installation.pages(0).get("/metrics").body;
  auto const workers = static_cast<double>(values_of(metrics, "svc_postgres_busy{").size());
  REQUIRE(workers >= 1);
  constexpr int browsers = 8, each = 20;
  std::vector<std::unique_ptr<browser>> pages;
  for (int i = 0; i < browsers; ++i) {
    pages.push_back(std::make_unique<browser>(m.installation));
    pages.back()->cookies() = m.page.cookies();
    pages.back()->open_project(m.project);
  }
  for (auto const& [view, path] :
       {std::pair<char const*, std::string>{"overview", overview_path}, {"bars", bars_path(monitor)}}) {
    CAPTURE(view);
    auto const before = reads(m.installation, 0, view);
    auto const start = steady::now();
    std::atomic<int> good = 0;
    together(browsers, [&](int i) {
      for (int n = 0; n < each; ++n)
        if (pages[static_cast<std::size_t>(i)]->get(path).status == 200) ++good;
    });
    auto const periods = std::chrono::duration<double>(steady::now() - start).count() / 5 + 1;
    CHECK(good == browsers * each);
    auto const count = reads(m.installation, 0, view) - before;
    CHECK(count >= 1);
    // At most one in each worker and period, however long the machine took. Bars are read again in a new hour.
    CHECK(count <= workers * (std::floor(periods) + 1));
  }
}

}  // namespace svc::test
