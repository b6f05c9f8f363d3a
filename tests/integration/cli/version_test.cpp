#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_process.hpp"

#include "svc/core/build_info.hpp"

#include <doctest/doctest.h>

using namespace svc::test;

namespace {

/// A service whose health and contract name these versions.
scripted_server versioned_server(std::string const& service, std::string const& contract) {
  return scripted_server([=](received const& r) {
    return r.line().find("/api/health") != std::string::npos
               ? whole_answer(200, R"({"status":"ok","version":")" + service + R"(","dependencies":{}})")
               : whole_answer(200, R"({"openapi":"3.1.0","info":{"title":"x","version":")" + contract + R"("}})");
  });
}

svc_result check_version(std::string const& url, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"version", "--check"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_svc({.arguments = arguments, .environment = {"SERVICE_URL=" + url}});
}

}  // namespace

TEST_CASE("version --check says whether the service is older or newer, and whether the two are compatible") {
  std::string const own(svc::this_build().version);
  REQUIRE(own == "0.2.0");
  struct row {
    char const *name, *service, *contract;
    int code;
    char const* says;
  };
  row const rows[] = {
      {"the same", "0.2.0", "0.2.0", 0, "has this client's version"},
      {"a newer patch", "0.2.1", "0.2.1", 0, "newer than this client, and they are compatible"},
      {"an older pre-release", "0.2.0-rc.1", "0.2.0-rc.1", 0, "older than this client, and they are compatible"},
      {"newer", "0.3.0", "0.3.0", 1, "install a newer svc"},
      {"much newer", "10.0.0", "10.0.0", 1, "install a newer svc"},
      {"older", "0.1.9", "0.1.9", 1, "older than this client"},
      {"the contract counts", "7.0.0", "0.2.0", 0, "has this client's version"},
      {"no version", "0.2.0", "newest", 4, "is not a semantic version"},
      {"no version of the service", "", "0.2.0", 4, "is not a semantic version"},
  };
  for (auto const& r : rows) {
    CAPTURE(r.name);
    scripted_server const server = versioned_server(r.service, r.contract);
    auto const result = check_version(server.url());
    CAPTURE(result.err);
    CHECK(result.code == r.code);
    CHECK(result.err.find(r.says) != std::string::npos);
  }
}

TEST_CASE("version --check needs no token, and answers programs too") {
  scripted_server const server = versioned_server("0.2.0", "0.2.0");
  auto const result = check_version(server.url(), {"--json"});
  CHECK(result.code == 0);
  CHECK(result.out.find(R"("relation":"same")") != std::string::npos);
  for (auto const& request : server.requests()) CHECK(request.field("Authorization").empty());
}

TEST_CASE("version needs no service") {
  CHECK(run_svc({.arguments = {"version"}}).out.starts_with("svc 0.2.0"));
  CHECK(run_svc({.arguments = {"version", "--json"}}).out.starts_with("{\"client\":\"0.2.0\""));
}
