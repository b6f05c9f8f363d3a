// The pages of resources, found by ids in messages.
#include "integration/egress/http_server.hpp"
#include "integration/system/faults/faults.hpp"
#include "integration/system/jobs.hpp"
#include "support/comes_true.hpp"
#include "support/sample_pages.hpp"
#include "support/temporary_directory.hpp"
#include "views.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace svc::test {
namespace {

/// A resource of each type in a tenant's project.
struct located_things {
  std::map<std::string, std::string> ids{};

  located_things(fleet& installation, api_client user) {
    auto const made = [&](std::string const& path, std::string const& body) {
      auto const got = user.post(path, body);
      CAPTURE(got.body);
      REQUIRE(got.status == 201);
      return text_of(body_of(got), "/id");
    };
    ids["job"] = make_job(user);
    ids["test"] = made("/api/tests", R"({"title":"t","type":"command","script":"true"})");
    ids["run"] = text_of(body_of(user.post(trigger_path(ids["job"]))), "/data/runId");
    ids["provider"] =
        made("/api/notification-providers",
             R"({"name":"n","type":"slack","config":{"webhookUrl":"https://hooks.example.org/T1/B1"}})");
    ids["monitor"] = made("/api/monitors",
                          R"({"name":"site","type":"website","target":"https://shop.example.org/","enabled":false})");
    ids["status_page"] =
        made("/api/status-pages", R"({"name":"p","slug":"located-)" + some_id().substr(24) + R"("})");
    ids["outage"] = some_id();
    ids["alert"] = some_id();
    installation.sql(
        "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
        " cause_message, cause_location, locations_down) SELECT '" +
        ids["outage"] +
        "', project_id, id, clock_timestamp(), clock_timestamp(), clock_timestamp(), 'recovered', 3, 'refused',"
        " 'local', '{local}' FROM monitors WHERE id = '" +
        ids["monitor"] +
        "'; INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, "
        "provider_id,"
        " provider_name, status, attempts, last_attempt_at) SELECT '" +
        ids["alert"] + "', project_id, 'monitor_failure', 'monitor', id, 'site', '" + ids["outage"] + "', 0, '" +
        ids["provider"] + "', 'n', 'sent', 1, clock_timestamp() FROM monitors WHERE id = '" + ids["monitor"] + "'");
  }
};

}  // namespace

TEST_CASE("a resource of each type is found in whatever project it is, by whom a role allows to see it") {
  auto& installation = session_fleet();
  auto const owner = installation.make_tenant(), stranger = installation.make_tenant();
  located_things const things(installation, installation.client(0, owner.token));
  auto const viewer = installation.make_member(owner, "project_viewer");
  auto const ids = [&](std::string const& type) { return things.ids.at(type); };
  auto const root = "/app/" + owner.project + "/";
  std::map<std::string, std::string> const paths{
      {"monitor", "monitors/" + ids("monitor")},
      {"outage", "monitors/" + ids("monitor") + "/outages"},
      {"alert", "alerts"},
      {"job", "jobs/" + ids("job")},
      {"run", "runs/" + ids("run")},
      {"test", "tests/" + ids("test")},
      {"provider", "providers/" + ids("provider")},
      {"status_page", "status-pages/" + ids("status_page")},
  };
  browser page(installation), foreign(installation, 1);
  page.sign_in(viewer.user);
  foreign.sign_in(stranger.user);
  auto const target = [](std::string const& type, std::string const& id) {
    return "/dashboard/v1/locate?type=" + type + "&id=" + id;
  };
  auto const unknown = unknown_answer(page, "/dashboard/v1/locate?type=job&id=");
  CHECK(unknown.starts_with("404"));
  for (auto const& [type, path] : paths) {
    CAPTURE(type);
    auto const got = page.get(target(type, ids(type)));
    CAPTURE(got.body);
    CHECK(got.status == 200);
    CHECK(text_of(body_of(got), "/path") == root + path);
    CHECK(shown(page.get(target(type, some_id()))) == unknown);
    CHECK(shown(foreign.get(target(type, ids(type)))) == unknown);
    // An id of another type is unknown.
    CHECK(shown(page.get(target(type, ids(type == "job" ? "test" : "job")))) == unknown);
  }
  CHECK(page.get(target("token", some_id())).status == 400);
  CHECK(page.get(target("job", "nonsense")).status == 400);
  CHECK(page.get("/dashboard/v1/locate?type=job").status == 400);
  CHECK(installation.client(0, owner.token).get(target("job", ids("job"))).status == 401);
  // A member of the organisation without a role in the project.
  auto const member = installation.make_member(owner, "project_viewer");
  installation.sql("DELETE FROM project_members WHERE user_id = '" + member.user_id + "'");
  browser outside(installation);
  outside.sign_in(member.user);
  CHECK(shown(outside.get(target("job", ids("job")))) == unknown);
  // The policy of the organisation refuses the session of the viewer.
  auto const set_policy = [&](std::string const& policy) {
    installation.sql("UPDATE organizations SET sign_in_policy = " + policy + " WHERE slug = '" + owner.organization +
                     "'");
  };
  set_policy(R"('{"signIn":"oidc","providers":["other"]}')");
  CHECK(code_of(page.get(target("job", ids("job")))) == "policy_not_met");
  CHECK(unknown_answer(page, "/dashboard/v1/locate?type=job&id=") == unknown);
  CHECK(shown(outside.get(target("job", ids("job")))) == unknown);
  set_policy("NULL");
  // Deleted things are not found, except monitors, whose history stays readable.
  auto user = installation.client(0, owner.token);
  REQUIRE(user.del("/api/jobs/" + ids("job")).status == 204);
  REQUIRE(user.del("/api/monitors/" + ids("monitor")).status == 204);
  CHECK(shown(page.get(target("job", ids("job")))) == unknown);
  CHECK(page.get(target("monitor", ids("monitor"))).status == 200);
  installation.sql("UPDATE projects SET archived_at = now() WHERE id = '" + project_id(installation, owner) + "'");
  for (auto const& [type, path] : paths) {
    CAPTURE(type);
    CHECK(shown(page.get(target(type, ids(type)))) == unknown);
  }
}

namespace {

/// An instance with pages and a public address, and a receiver of messages that consist of their links. The other
/// instance on the same stores has neither, and stands still, so that it delivers no message.
struct linked_installation {
  temporary_directory files;
  throwaway_ca trusted = make_throwaway_ca("IP:127.0.0.1");
  http_server receiver{{.tls = &trusted}, [](http_connection& connection) {
                         while (!connection.request().empty()) connection.send("HTTP/1.1 204 No Content\r\n\r\n");
                       }};
  fleet installation{1};
  std::unique_ptr<second_service> place = installation.beside(environment());
  stopped_process other{installation.dev().pid_of("svcd")};

  std::vector<std::string> environment() const {
    support::write_pages(files.path() + "/pages", support::sample_pages());
    return {"SVC_OUTGOING_CA_FILE=" + files.write("ca.pem", trusted.authority),
            "SVC_DASHBOARD_DIRECTORY=" + files.path() + "/pages", "SVC_PUBLIC_URL=https://ci.example"};
  }
  api_client client(std::string token = {}) const {
    return {place->url(), installation.text("caFile"), std::move(token)};
  }
  /// Sends an alert about that resource and returns the link of its message.
  std::string link_of(std::string const& provider, std::string const& type, std::string const& resource,
                      std::string const& id) {
    auto const before = receiver.requests().size();
    installation.sql(
        "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id,"
        " provider_name, status) SELECT id_at(clock_timestamp(), gen_random_uuid()), project_id, '" +
        type + "', '" + resource + "', '" + id +
        "', 'it', gen_random_uuid(), 0, id, name, 'pending' FROM"
        " notification_providers WHERE id = '" +
        provider + "'");
    REQUIRE(comes_true([&] { return receiver.requests().size() > before; }, std::chrono::seconds(60)));
    auto const got = receiver.requests().back();
    return text_of(boost::json::parse(got.substr(got.find("\r\n\r\n") + 4)), "/link");
  }
};

}  // namespace

TEST_CASE("a message of each type leads to a page that finds its resource for members, and nothing for others") {
  linked_installation m;
  auto const owner = m.installation.make_tenant(), stranger = m.installation.make_tenant();
  auto user = m.client(owner.token);
  located_things const things(m.installation, m.client(owner.token));
  auto const hook = user.post("/api/notification-providers",
                              R"({"name":"hook","type":"webhook","config":{"url":")" + m.receiver.url() +
                                  R"(","bodyTemplate":"{\"link\":\"{{dashboardUrl}}\"}"}})");
  CAPTURE(hook.body);
  REQUIRE(hook.status == 201);
  auto const provider = text_of(body_of(hook), "/id");
  browser member(m.installation, m.client()), other(m.installation, m.client());
  member.sign_in(owner.user);
  other.sign_in(stranger.user);
  struct {
    std::string alert, resource, id, page;
  } const cases[] = {
      {"monitor_failure", "monitor", things.ids.at("monitor"), "monitors/"},
      {"job_failed", "job", things.ids.at("job"), "jobs/"},
      {"provider_failing", "provider", things.ids.at("provider"), "providers/"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.resource);
    auto const link = m.link_of(provider, c.alert, c.resource, c.id);
    CHECK(link == "https://ci.example/app/go/" + c.resource + "/" + c.id);
    CHECK(member.get("/app/go/" + c.resource + "/" + c.id).status == 200);
    auto const target = "/dashboard/v1/locate?type=" + c.resource + "&id=" + c.id;
    CHECK(text_of(body_of(member.get(target)), "/path") == "/app/" + owner.project + "/" + c.page + c.id);
    CHECK(other.get(target).status == 404);
  }
}

}  // namespace svc::test
