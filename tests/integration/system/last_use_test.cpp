#include "integration/system/faults/faults.hpp"

namespace svc::test {
namespace {

constexpr milliseconds flushed_within{13'000};  // every 10 s

std::string version_in(std::string const& etag) {
  return etag.substr(0, etag.find('-'));
}

TEST_CASE("the last use shows after the flush, also the final one, and changes no version: old ETags allow writes") {
  fleet fleet(2);
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  struct used {
    std::string path, etag, version, key;
  };
  auto const make = [&](std::string const& name) {
    auto const made = body_of(owner.post("/api/cli-tokens", R"({"name":")" + name + R"("})"));
    auto const path = "/api/cli-tokens/" + text_of(made, "/token/id");
    auto const got = owner.get(path);
    CHECK(body_of(got).at("lastUsedAt").is_null());
    CHECK(body_of(got).at("lastUsedIp").is_null());
    return used{path, got.header("etag").value(),
                fleet.sql("SELECT version FROM tokens WHERE id = '" + text_of(made, "/token/id") + "'")[0][0],
                text_of(made, "/token/key")};
  };
  auto const check_used = [&](used const& token, milliseconds within) {
    CHECK(comes_true([&] { return !body_of(owner.get(token.path)).at("lastUsedAt").is_null(); }, within));
    auto const got = owner.get(token.path);
    CHECK(text_of(body_of(got), "/lastUsedIp") == "127.0.0.1");
    // The hash after the version is that of the body, which shows the use; writers compare only the version.
    CHECK(version_in(got.header("etag").value()) == version_in(token.etag));
    auto const id = token.path.substr(token.path.rfind('/') + 1);
    CHECK(fleet.sql("SELECT version FROM tokens WHERE id = '" + id + "'")[0][0] == token.version);
    CHECK(owner.call("PATCH", token.path, R"({"name":")" + id + R"("})", {{"If-Match", token.etag}}).status == 200);
  };

  auto const periodic = make("periodic");
  CHECK(fleet.client(0, periodic.key).get("/api/auth/whoami").status == 200);
  check_used(periodic, flushed_within);

  auto const last = make("last");
  CHECK(fleet.client(1, last.key).get("/api/auth/whoami").status == 200);
  CHECK(fleet.process(1).stop() == 0);
  check_used(last, milliseconds(0));
}

}  // namespace
}  // namespace svc::test
