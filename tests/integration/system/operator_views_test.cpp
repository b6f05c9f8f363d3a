// The views of operators use metrics that the service exports: rules, dashboards and pages.
#include "integration/system/faults/faults.hpp"
#include "support/metrics_page.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

namespace svc::test {
namespace {

std::string text_of_file(std::filesystem::path const& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the names of metrics in a text, without the suffixes of a histogram's series. `svc_redis_*` in prose is
/// not a name.
std::set<std::string> metrics_in(std::string const& text) {
  std::regex const metric(R"(\b((svc|http_server|process)_[a-z_]+|revocation_[a-z_]+)(?![a-z_*]))");
  std::regex const series("_(bucket|count|sum)$");
  std::set<std::string> names;
  for (std::sregex_iterator iterator(text.begin(), text.end(), metric), end; iterator != end; ++iterator)
    names.insert(std::regex_replace(iterator->str(), series, ""));
  return names;
}

TEST_CASE("each metric that rules, dashboards and documents name exists") {
  // The first answer makes the counter of its route and status.
  REQUIRE(shared_fleet().client(0).get("/livez").status == 200);
  auto const page = shared_fleet().pages(0).get("/metrics").body;
  std::filesystem::path const root = std::filesystem::path(SVC_SCHEMA_DIRECTORY) / "../..";
  std::vector<std::filesystem::path> texts{root / "deploy/prometheus/alerts.yml",
                                           root / "deploy/prometheus/alerts_test.yml", root / "docs/runbook.md"};
  for (auto const& entry : std::filesystem::directory_iterator(root / "deploy/grafana"))
    if (entry.path().extension() == ".json") texts.push_back(entry.path());
  REQUIRE(texts.size() >= 4);
  for (auto const& path : texts) {
    CAPTURE(path.filename().string());
    auto const named = metrics_in(text_of_file(path));
    CHECK(named.size() >= 10);
    for (auto const& text : named) {
      CAPTURE(text);
      CHECK(page.find("# TYPE " + text + " ") != std::string::npos);
    }
  }
}

TEST_CASE("the operator's listener answers an unknown path with an error in plain JSON, and names its own paths") {
  auto const got = shared_fleet().pages(0).get("/api/jobs");
  CHECK(code_of(got) == "route_not_found");
  CHECK(got.header("content-type") == "application/json");
  CHECK(got.body.find("/readyz?verbose") != std::string::npos);
}

TEST_CASE("metrics bear the names that Prometheus and OpenTelemetry give them") {
  auto client = shared_fleet().client(0, shared_fleet().text("token"));
  REQUIRE(client.get("/api/auth/whoami").status == 200);
  auto const page = shared_fleet().pages(0).get("/metrics").body;
  // The names follow https://opentelemetry.io/docs/specs/semconv/http/http-metrics/, in the spelling of its exporter
  // for Prometheus.
  std::string const route = R"(http_request_method="GET",%http_route="/api/auth/whoami")";
  auto const action = [&](std::string const& more) { return std::regex_replace(route, std::regex("%"), more); };
  CHECK(page.find("http_server_request_duration_seconds_count{" + action("") + "}") != std::string::npos);
  CHECK(page.find("http_server_requests_total{" + action(R"(http_response_status_code="200",)") + "}") !=
        std::string::npos);
  // A metric that only grows is a counter and ends in _total; no other metric does.
  std::regex const type("# TYPE ([a-z_]+) (counter|gauge|histogram)\n");
  int families = 0;
  for (std::sregex_iterator iterator(page.begin(), page.end(), type), end; iterator != end; ++iterator, ++families) {
    auto const name = (*iterator)[1].str();
    CAPTURE(name);
    CHECK(name.ends_with("_total") == ((*iterator)[2] == "counter"));
  }
  CHECK(families > 40);
}

TEST_CASE("the process shows itself as Prometheus's own clients do") {
  auto& fleet = shared_fleet();
  auto const page = fleet.pages(0).get("/metrics").body;
  auto const value = [&](std::string const& name) { return sum_of(page, name + " "); };
  CHECK(value("process_resident_memory_bytes") > 10e6);
  CHECK(value("process_virtual_memory_bytes") > value("process_resident_memory_bytes"));
  CHECK(value("process_cpu_seconds_total") > 0);
  CHECK(value("process_open_fds") > 10);
  CHECK(value("process_max_fds") > value("process_open_fds"));
  auto const age = static_cast<double>(std::time(nullptr)) - value("process_start_time_seconds");
  CHECK(age >= -1);
  CHECK(age < 3600);
  CHECK(value("svc_log_lines_dropped_total") == 0);
}

}  // namespace
}  // namespace svc::test
