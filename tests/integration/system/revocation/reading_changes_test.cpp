#include "integration/system/faults/faults.hpp"
#include "integration/system/overload/worker_connections.hpp"

namespace svc::test {
namespace {

/// Instance 0 waits this long between the COMMIT of a change and its effect.
constexpr char const* held = "change.after_commit=delay:2000*1";

TEST_CASE("a token that reads as disabled is dead, though the change itself was not answered yet") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token), reader = fleet.client(1, tenant.token);
  for (bool const entry : {true, false}) {
    CAPTURE(entry);
    auto const made = body_of(owner.post("/api/cli-tokens", entry ? R"({"name":"one"})" : R"({"name":"listed"})"));
    auto const path = "/api/cli-tokens/" + text_of(made, "/token/id");
    auto connections = connections_of(fleet, text_of(made, "/token/key"));
    CHECK(whoami(connections) == "200");
    REQUIRE(fleet.pages(0).post("/debug/failpoints", held).status == 200);
    std::atomic<bool> answered = false;
    std::thread changing([&] {
      auto client = fleet.client(0, tenant.token);
      CHECK(client.patch(path, R"({"enabled":false})").status == 200);
      answered = true;
    });
    auto const shows = [&] {
      return reader.get(entry ? path : "/api/cli-tokens").body.find("\"enabled\":false") != std::string::npos;
    };
    auto const shown = comes_true(shows, patience);
    auto const said = whoami(connections);
    bool const early = !answered;
    changing.join();
    CHECK(shown);
    CHECK(early);
    CHECK(said == "401 token_disabled");
    CHECK(owner.del(path).status == 204);
  }
}

}  // namespace
}  // namespace svc::test
