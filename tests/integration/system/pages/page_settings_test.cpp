// Status pages and their components over the API of two instances.
#include "integration/system/pages/page_requests.hpp"
#include "support/comes_true.hpp"

#include "svc/core/time.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace svc::test {
namespace {

std::string make_page_monitor(api_client& owner, std::string const& name) {
  return id_of(owner.post("/api/monitors", R"({"name":")" + name + R"(","type":"website",)" +
                                               R"("target":"https://a.test/","enabled":false})"));
}

TEST_CASE("a status page is created as a draft, shown, listed, published under conditions and deleted") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto reader = fleet.client(1, tenant.token);
  auto const path = make_page(owner, R"(,"headline":"All systems","language":"de","timeZone":"Europe/Berlin")");
  auto const shown = reader.get(path);
  CAPTURE(shown.body);
  REQUIRE(shown.status == 200);
  auto const page = body_of(shown);
  CHECK(text_of(page, "/status") == "draft");
  CHECK(text_of(page, "/language") == "de");
  CHECK(text_of(page, "/componentStatus") == "unknown");
  CHECK(page.at("domain").is_null());
  CHECK(body_of(reader.get(pages_path + "?status=draft&search=acme")).at("data").as_array().size() == 1);
  CHECK(body_of(reader.get(pages_path + "?status=published")).at("data").as_array().empty());

  auto const version = shown.header("etag").value();
  CHECK(owner.call("PATCH", path, R"({"status":"published"})", {{"If-Match", version}}).status == 200);
  CHECK(owner.call("PATCH", path, R"({"name":"late"})", {{"If-Match", version}}).status == 412);
  CHECK(text_of(body_of(reader.get(path)), "/status") == "published");
  CHECK(owner.patch(path, R"({"status":"archived","headline":null})").status == 200);
  CHECK(body_of(reader.get(path)).at("headline").is_null());
  CHECK(owner.call("DELETE", path, "", {{"If-Match", version}}).status == 412);
  CHECK(owner.del(path).status == 204);
  CHECK(code_of(reader.get(path)) == "not_found");
  CHECK(code_of(owner.patch(path, R"({"name":"n"})")) == "not_found");
  CHECK(audited_actions(owner, {"status_page"}) ==
        std::vector<std::string>{"status_page.created", "status_page.published", "status_page.archived",
                                 "status_page.deleted"});
}

TEST_CASE("a slug is unique in the installation, and a former or deleted one stays with its project") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant(), other = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto stranger = fleet.client(1, other.token);
  auto const body = [](std::string const& slug) { return R"({"name":"n","slug":")" + slug + "\"}"; };
  auto const first = unused_slug(), second = unused_slug();
  auto const path = pages_path + "/" + id_of(owner.post(pages_path, body(first)));
  CHECK(code_of(owner.post(pages_path, body(first))) == "slug_taken");
  CHECK(code_of(stranger.post(pages_path, body(first))) == "slug_taken");
  CHECK(owner.patch(path, R"({"slug":")" + second + "\"}").status == 200);
  CHECK(code_of(stranger.post(pages_path, body(first))) == "slug_taken");
  CHECK(code_of(stranger.post(pages_path, body(second))) == "slug_taken");
  CHECK(owner.del(path).status == 204);
  CHECK(code_of(stranger.post(pages_path, body(second))) == "slug_taken");
  CHECK(owner.post(pages_path, body(second)).status == 201);
  CHECK(refused_member(owner.post(pages_path, body("admin"))) == "/slug");
}

TEST_CASE("a page keeps five former slugs; the sixth change is refused") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const path = make_page(owner);
  for (int i = 0; i < 5; ++i) CHECK(owner.patch(path, R"({"slug":")" + unused_slug() + "\"}").status == 200);
  CHECK(code_of(owner.patch(path, R"({"slug":")" + unused_slug() + "\"}")) == "slug_change_limit_reached");
  CHECK(owner.patch(path, R"({"name":"n"})").status == 200);
}

TEST_CASE("references that are not of the project are refused with the wrong member, and its pages are hidden") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant(), other = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto stranger = fleet.client(1, other.token);
  auto const theirs = make_page_monitor(stranger, "theirs");
  auto const pager =
      id_of(owner.post("/api/notification-providers", R"({"name":"pager","type":"pagerduty","config":{"routingKey":)"
                                                      R"("0123456789abcdef0123456789abcdef"}})"));
  auto const path = make_page(owner), id = path.substr(pages_path.size() + 1);
  auto const component = make_component(owner, path);
  CHECK(refused_member(owner.patch(path, R"({"notificationProviders":[")" + nobody + "\"]}")) ==
        "/notificationProviders/0");
  CHECK(refused_member(owner.patch(path, R"({"notificationProviders":[")" + pager + "\"]}")) ==
        "/notificationProviders/0");
  CHECK(refused_member(owner.post(path + "/components", R"({"name":"c","monitorIds":[")" + theirs + "\"]}")) ==
        "/monitorIds/0");
  for (std::string const& hidden :
       {path, path + "/components", path + "/components/" + component, path + "/incidents", path + "/subscribers"}) {
    CAPTURE(hidden);
    CHECK(code_of(stranger.get(hidden)) == "not_found");
  }
  CHECK(code_of(stranger.post(path + "/components", R"({"name":"c"})")) == "not_found");
  CHECK(code_of(stranger.del(path)) == "not_found");
  // A component is found only below its own page.
  auto const second = make_page(owner);
  CHECK(code_of(owner.get(second + "/components/" + component)) == "not_found");
}

TEST_CASE("components are listed by position, overridden until a time, and unknown once a monitor is deleted") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto reader = fleet.client(1, tenant.token);
  auto const path = make_page(owner), all = path + "/components";
  auto const monitor = make_page_monitor(owner, "shop");
  auto const shop = make_component(owner, path, R"(,"position":2,"monitorIds":[")" + monitor + "\"]");
  auto const mail = make_component(owner, path, R"(,"position":1,"group":"External")");
  auto const listed = body_of(reader.get(all)).at("data");
  REQUIRE(listed.as_array().size() == 2);
  CHECK(text_of(listed, "/0/id") == mail);
  CHECK(text_of(listed, "/0/status") == "operational");
  CHECK(text_of(listed, "/1/status") == "unknown");  // its monitor is paused
  auto const future = to_rfc3339(system_now() + std::chrono::hours(1));
  auto const raised =
      owner.patch(all + "/" + mail, R"({"statusOverride":"major_outage","overrideUntil":")" + future + "\"}");
  CAPTURE(raised.body);
  CHECK(text_of(body_of(raised), "/status") == "major_outage");
  CHECK(text_of(body_of(reader.get(path)), "/componentStatus") == "major_outage");
  CHECK(text_of(body_of(owner.patch(all + "/" + mail, R"({"statusOverride":null})")), "/status") == "operational");
  CHECK(owner.del("/api/monitors/" + monitor).status == 204);
  auto const missing = body_of(reader.get(all + "/" + shop));
  CHECK(missing.at("missingMonitors") == 1);
  CHECK(text_of(missing, "/status") == "unknown");
  CHECK(owner.del(all + "/" + shop).status == 204);
  CHECK(code_of(reader.get(all + "/" + shop)) == "not_found");
  CHECK(audited_actions(owner, {"component"}).back() == "component.deleted");
}

TEST_CASE("a page has at most 100 components") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const path = make_page(owner);
  for (int i = 0; i < 100; ++i) make_component(owner, path);
  CHECK(code_of(owner.post(path + "/components", R"({"name":"one too many"})")) == "component_limit_reached");
}

TEST_CASE("viewers read pages, editors change them, and only administrators delete them") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto editor = fleet.client(0, fleet.make_member(tenant, "project_editor").token);
  auto viewer = fleet.client(1, fleet.make_member(tenant, "project_viewer").token);
  auto const path = make_page(editor);
  auto const component = make_component(editor, path);
  CHECK(viewer.get(path).status == 200);
  CHECK(viewer.get(path + "/components").status == 200);
  CHECK(code_of(viewer.get(path + "/subscribers")) == "permission_denied");
  CHECK(code_of(viewer.post(pages_path, R"({"name":"n","slug":"nnn"})")) == "permission_denied");
  CHECK(code_of(viewer.patch(path, R"({"name":"n"})")) == "permission_denied");
  CHECK(code_of(viewer.post(path + "/incidents", R"({"name":"n","status":"resolved","body":"b"})")) ==
        "permission_denied");
  CHECK(editor.patch(path, R"({"name":"n"})").status == 200);
  CHECK(editor.del(path + "/components/" + component).status == 204);
  CHECK(code_of(editor.del(path)) == "permission_denied");
  CHECK(owner.del(path).status == 204);
}

TEST_CASE("svcd admin hides a page on every instance within two seconds, and frees a former slug") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant(), other = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto stranger = fleet.client(1, other.token);
  auto const former = unused_slug(), slug = unused_slug();
  auto const body = [](std::string const& name) {
    return R"({"name":"n","slug":")" + name + R"(","status":"published"})";
  };
  auto const path = pages_path + "/" + id_of(owner.post(pages_path, body(former)));
  CHECK(owner.patch(path, R"({"slug":")" + slug + "\"}").status == 200);
  for (int i = 0; i < 2; ++i) CHECK(fleet.client(i).get("/status/" + slug).status == 200);
  CHECK(fleet.admin({"archive-page", slug}).at("archived") == boost::json::value(slug));
  for (int i = 0; i < 2; ++i)
    CHECK(comes_true([&] { return fleet.client(i).get("/status/" + slug).status == 404; }, std::chrono::seconds(2),
                     std::chrono::milliseconds(50)));
  CHECK(text_of(body_of(owner.get(path)), "/status") == "archived");
  CHECK(code_of(stranger.post(pages_path, body(former))) == "slug_taken");
  CHECK(fleet.admin({"release-slug", former}).at("released") == boost::json::value(former));
  CHECK(stranger.post(pages_path, body(former)).status == 201);
}

TEST_CASE("pages and the bytes of their posts count for the usage") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const used = [&](char const* name) { return body_of(owner.get("/api/usage")).at(name).at("used"); };
  CHECK(used("statusPages") == 0);
  auto const path = make_page(owner);
  CHECK(used("statusPages") == 1);
  CHECK(used("pageBytes") == 0);
  auto const made =
      owner.post(path + "/incidents", R"({"name":"n","status":"resolved","body":"12345","notify":false})");
  CAPTURE(made.body);
  CHECK(used("pageBytes") == 5);
  CHECK(owner.del(path + "/incidents/" + id_of(made)).status == 204);
  CHECK(used("pageBytes") == 0);
  CHECK(owner.del(path).status == 204);
  CHECK(used("statusPages") == 0);
}

TEST_CASE("a logo is stored by the type of its first bytes, and deleted twice") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const logo = make_page(owner) + "/logo";
  auto const stored = owner.call("PUT", logo, R"({"contentType":"image/png","data":"iVBORw0KGgo="})");
  CHECK(stored.status == 200);
  CHECK(text_of(body_of(stored), "/name") == "Acme");
  CHECK(refused_member(owner.call("PUT", logo, R"({"contentType":"image/jpeg","data":"iVBORw0KGgo="})")) == "/data");
  CHECK(refused_member(owner.call("PUT", logo, R"({"contentType":"image/png","data":"PHN2Zy8+"})")) == "/data");
  std::string const large = R"({"contentType":"image/png","data":")" + std::string(410'000, 'A') + "\"}";
  CHECK(code_of(owner.call("PUT", logo, large)) == "body_too_large");
  CHECK(owner.del(logo).status == 204);
  CHECK(owner.del(logo).status == 204);
  CHECK(code_of(owner.del(pages_path + "/" + nobody + "/logo")) == "not_found");
}

}  // namespace
}  // namespace svc::test
