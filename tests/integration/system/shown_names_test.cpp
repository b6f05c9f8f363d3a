// Names with characters that nobody can see: refused when they are new, and readable and editable if they are stored.
#include "integration/system/overload/resources.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

struct named_resource {
  char const *path, *table, *field, *body, *patch;
};

/// Creations without their names; tags and keys of variables have a narrower alphabet of their own.
constexpr named_resource named_resources[] = {
    {"/api/jobs", "jobs", "name", R"("jobType":"command")", R"({"description":"d"})"},
    {"/api/tests", "tests", "title", R"("type":"command")", R"({"description":"d"})"},
    {"/api/monitors", "monitors", "name", R"("type":"heartbeat","config":{"schedule":{"everySeconds":3600}})",
     R"({"description":"d"})"},
    {"/api/notification-providers", "notification_providers", "name",
     R"("type":"webhook","config":{"url":"https://example.com/hook"})", R"({"enabled":false})"},
    {"/api/status-pages", "status_pages", "name", R"("slug":"hidden-names")", R"({"description":"d"})"},
};

/// Returns the fields that a refusal names, joined by spaces.
std::string faults_of(answer const& refused) {
  auto const body = body_of(refused);
  std::string out;
  for (auto const& each : body.at("details").as_array()) out += (out.empty() ? "" : " ") + text_of(each, "/field");
  return out;
}

TEST_CASE("a hidden character in a name is refused, and a stored name that has one stays readable and editable") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  for (auto const& each : named_resources) {
    CAPTURE(each.path);
    std::string const field = each.field;
    auto const named = [&](std::string const& name) { return R"({")" + field + R"(":")" + name + "\""; };
    auto const refused = owner.post(each.path, named(R"(invoice\u202etxt.exe)") + "," + each.body + "}");
    CAPTURE(refused.body);
    CHECK(code_of(refused) == "validation_failed");
    CHECK(text_of(body_of(refused), "/details/0/field") == "/" + field);

    auto const id = id_of(owner.post(each.path, named("plain") + "," + each.body + "}"));
    auto const path = std::string(each.path) + "/" + id;
    CHECK(code_of(owner.patch(path, named(R"(a\u200bb)") + "}")) == "validation_failed");
    fleet.sql("UPDATE " + std::string(each.table) + " SET " + field + " = E'invoice\\u202Etxt.exe'" +
              " WHERE id = '" + id + "'");
    auto const shown = fleet.client(1, tenant.token).get(path);
    CHECK(shown.status == 200);
    CHECK(text_of(body_of(shown), "/" + field) == "invoice\u202Etxt.exe");
    CHECK(owner.patch(path, each.patch).status == 200);
    CHECK(owner.patch(path, named(R"(invoice\u202etxt.exe)") + "}").status == 200);
    CHECK(owner.patch(path, named("invoice") + "}").status == 200);
  }
  CHECK(code_of(owner.post("/api/tags", R"({"name":"a\u200bb"})")) == "validation_failed");
  CHECK(code_of(owner.post("/api/variables", R"({"key":"A\u200bB","value":"x"})")) == "validation_failed");
}

TEST_CASE("a form is tested whatever name it has, because its stored one may have a hidden character") {
  auto& fleet = shared_fleet();
  auto owner = fleet.client(0, fleet.make_tenant().token);
  std::string const name = R"({"name":"invoice\u202etxt.exe",)";
  // The other faults show that the name was not the reason.
  auto const monitor =
      owner.post("/api/monitors/test",
                 name + R"("type":"http_request","target":"https://a.test/",)" + R"("frequencySeconds":61})");
  CAPTURE(monitor.body);
  CHECK(faults_of(monitor) == "/frequencySeconds");
  auto const provider =
      owner.post("/api/notification-providers/test",
                 name + R"("type":"webhook","config":{"url":"https://a.test/","headers":{"a":"1","A":"2"}}})");
  CAPTURE(provider.body);
  CHECK(faults_of(provider) == "/config/headers/A");
}

}  // namespace
}  // namespace svc::test
