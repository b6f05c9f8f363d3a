// The outages of a project, as pages list them.
#include "browser.hpp"

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr auto outages_path = "/dashboard/v1/outages";

}  // namespace

TEST_CASE("the outages of a project are for its roles, and foreign monitors are left out like unknown ones") {
  signed_in_member viewer("project_viewer");
  auto& installation = viewer.installation;
  auto const other = installation.make_tenant();
  auto const own = make_paused_monitor(installation, viewer.owner, "own"),
             foreign = make_paused_monitor(installation, other, "foreign"), unknown = uuid::generate_v7().to_string();
  browser editor(installation, 1), stranger(installation), outside(installation);
  editor.sign_in(installation.make_member(viewer.owner, "project_editor").user);
  editor.open_project(viewer.project);
  stranger.sign_in(other.user);
  stranger.open_project(viewer.project);
  CHECK(editor.get(outages_path).status == 200);
  CHECK(code_of(stranger.get(outages_path)) == "project_not_found");
  CHECK(outside.get(outages_path).status == 401);
  CHECK(code_of(installation.client(0, viewer.owner.token).get(outages_path)) == "wrong_token_kind");
  auto const listed = [&](std::string const& query) { return body_of(viewer.page.get(outages_path + query)); };
  REQUIRE(listed("").at("data").as_array().size() == 1);
  CHECK(text_of(listed(""), "/data/0/monitorId") == own);
  CHECK(text_of(listed(""), "/data/0/monitorName") == "own");
  CHECK(listed("?monitorId=" + foreign) == listed("?monitorId=" + unknown));
  CHECK(listed("?monitorId=" + foreign).at("pagination").at("total") == 0);
  auto const got = viewer.page.get(outages_path);
  CHECK(viewer.page.call("GET", outages_path, {}, {{"If-None-Match", *got.header("etag")}}).status == 304);
  for (auto const* wrong : {"?open=maybe", "?monitorId=x", "?from=yesterday", "?other=1"}) {
    CAPTURE(wrong);
    CHECK(code_of(viewer.page.get(std::string(outages_path) + wrong)) == "validation_failed");
  }
}

TEST_CASE("outages of a project are filtered by being open and by time, across pages") {
  signed_in_member m("project_viewer");
  auto const first = make_paused_monitor(m.installation, m.owner, "first"),
             second = make_paused_monitor(m.installation, m.owner, "second");
  m.installation.sql(
      "UPDATE outages SET ended_at = started_at + interval '1 hour', end_reason = 'recovered'"
      " WHERE monitor_id = '" +
      first + "'");
  auto const names = [&](std::string const& query) {
    auto const listed = body_of(m.page.get(outages_path + query));
    std::string out;
    for (auto const& row : listed.at("data").as_array()) out += text_of(row, "/monitorName") + " ";
    return out;
  };
  CHECK(names("?open=true") == "second ");
  CHECK(names("?open=false") == "first ");
  CHECK(names("?from=2020-01-01T00:00:00Z&to=2021-01-01T00:00:00Z").empty());
  auto const day_ago = to_rfc3339(timestamp{system_now().micros - 24 * 3'600'000'000});
  CHECK(names("?from=" + day_ago) == "second ");
  CHECK(names("?to=" + day_ago).size() == std::string("first second ").size());
  CHECK(names("?monitorId=" + first) == "first ");
  auto const page = m.page.get(std::string(outages_path) + "?limit=1");
  CHECK(body_of(page).at("pagination").at("total") == 2);
  CHECK(page.header("link")->find("rel=\"next\"") != std::string::npos);
}

}  // namespace svc::test
