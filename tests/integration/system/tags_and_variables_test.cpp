#include "integration/system/overload/resources.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("tags: unique, put on tests, gone from them when deleted") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto reader = fleet.client(1, tenant.token);
  auto const made = owner.post("/api/tags", R"({"name":"smoke","color":"#00ff00"})");
  auto const tag = id_of(made);
  CHECK(code_of(owner.post("/api/tags", R"({"name":"smoke"})")) == "name_taken");
  auto const test = "/api/tests/" + id_of(owner.post("/api/tests", R"({"title":"t","type":"command"})"));
  auto const etag = reader.get(test).header("etag").value();
  auto const body = R"({"tags":[{"id":")" + tag + R"("}]})";
  CHECK(owner.call("PUT", test + "/tags", body, {{"If-Match", etag}}).status == 200);
  CHECK(owner.call("PUT", test + "/tags", body, {{"If-Match", etag}}).status == 412);
  // It looks the same in every answer.
  auto const shown = body_of(reader.get("/api/tags")).at("data");
  CHECK(body_of(reader.get(test + "/tags")).at("tags") == shown);
  CHECK(body_of(reader.get(test)).at("tags") == shown);
  CHECK(body_of(reader.get("/api/tests")).at("data").at(0).at("tags") == shown);
  CHECK(body_of(reader.get("/api/tags/" + tag)) == shown.at(0));
  // A change and a deletion apply only to the version that the ETag names.
  auto const version = reader.get("/api/tags/" + tag).header("etag").value();
  CHECK(owner.call("PATCH", "/api/tags/" + tag, R"({"name":"fumes"})", {{"If-Match", version}}).status == 200);
  CHECK(owner.call("PATCH", "/api/tags/" + tag, R"({"name":"late"})", {{"If-Match", version}}).status == 412);
  CHECK(owner.call("DELETE", "/api/tags/" + tag, "", {{"If-Match", version}}).status == 412);
  CHECK(code_of(owner.call("PUT", test + "/tags", R"({"tags":[{"id":")" + nobody + R"("}]})")) ==
        "validation_failed");
  CHECK(owner.del("/api/tags/" + tag).status == 204);
  CHECK(body_of(reader.get(test + "/tags")).at("tags") == boost::json::array());
  CHECK(code_of(reader.get("/api/tags/" + tag)) == "not_found");
}

TEST_CASE("variables: every instance shows them unless they are secret") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto reader = fleet.client(1, tenant.token);
  auto const path = "/api/variables/" + id_of(owner.post("/api/variables", R"({"key":"URL","value":"x"})"));
  CHECK(text_of(body_of(reader.get(path)), "/value") == "x");
  CHECK(owner.patch(path, R"({"isSecret":true})").status == 200);
  CHECK_FALSE(body_of(reader.get(path)).contains("value"));
  auto const opened = owner.patch(path, R"({"isSecret":false})");
  CHECK(code_of(opened) == "validation_failed");
  CHECK(text_of(body_of(opened), "/details/0/field") == "/value");
  CHECK(text_of(body_of(owner.patch(path, R"({"isSecret":false,"value":"y"})")), "/value") == "y");
  for (auto const* key : {"SERVICE_URL", "SVC_X", "LD_PRELOAD", "PATH", "HOME", "BASH_ENV", "ENV", "NODE_OPTIONS"}) {
    CAPTURE(key);
    auto const refused = owner.post("/api/variables", R"({"key":")" + std::string(key) + R"(","value":"x"})");
    CHECK(code_of(refused) == "validation_failed");
    CHECK(text_of(body_of(refused), "/details/0/field") == "/key");
  }
  CHECK(code_of(owner.post("/api/variables", R"({"key":"URL","value":"x"})")) == "name_taken");
  CHECK(owner.del(path).status == 204);
  CHECK(code_of(reader.get(path)) == "not_found");
}

}  // namespace
}  // namespace svc::test
