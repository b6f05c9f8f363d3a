// The answers of the service to JSON that is made to be expensive. The tests of attacks show that other clients do
// not notice.
#include "hostile_documents.hpp"
#include "integration/system/faults/faults.hpp"
#include "integration/system/runner.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("JSON that is expensive to read: refused with the reason, or accepted") {
  auto& fleet = shared_fleet();
  auto client = fleet.client(0, fleet.make_tenant().token);
  for (auto const& document : hostile_documents()) {
    CAPTURE(document.name);
    auto const got = client.post("/api/tests", document.text);
    CHECK(got.status == document.status);
    CHECK_MESSAGE(got.body.find(document.sentence) != std::string::npos, got.body.substr(0, 300));
  }
}

TEST_CASE("the limit on a document's values, for users and for runners") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  configured_service const both(fleet.dev(), both_kinds);
  auto const made = fleet.admin({"create-runner", "--project", tenant.project, "--name", "bounds"});
  api_client user("https://" + both.address(0), fleet.text("caFile"), tenant.token);
  api_client runner("https://" + both.address(1), fleet.text("caFile"), text_of(made, "/key"));
  auto const zeros = [](int n) { return filled("{\"zz\":[0", ",0", "]}", static_cast<std::size_t>(2 * n) + 6); };
  auto const run = "/internal/v1/runs/" + tenant.user_id + "/output";
  // The document has the object, its array and 49 998 zeros; the next one has one zero more.
  CHECK(code_of(user.post("/api/tests", zeros(49'998))) == "validation_failed");
  CHECK(code_of(runner.post(run, zeros(49'998))) == "validation_failed");
  for (auto const& got : {user.post("/api/tests", zeros(49'999)), runner.post(run, zeros(49'999))}) {
    CHECK(got.status == 400);
    CHECK(code_of(got) == "malformed_json");
    CHECK(got.body.find("at most 50000 values; there is one more at line 1") != std::string::npos);
  }
}

}  // namespace
}  // namespace svc::test
