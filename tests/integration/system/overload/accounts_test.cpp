// Each account of a resource that tenants share is in the metrics of an instance and in the operators' table of
// budgets.
#include "integration/system/extra_instance.hpp"
#include "support/comes_true.hpp"
#include "support/metrics_page.hpp"
#include "support/watched_target.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>

namespace svc::test {
namespace {

/// The first column of the table of accounts in docs/operating.md.
std::set<std::string> documented_accounts() {
  std::ifstream page(SVC_SCHEMA_DIRECTORY "/../../docs/operating.md");
  std::set<std::string> out;
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| account |")) in_table = true;
    if (line.empty()) in_table = false;
    if (in_table && line.starts_with("| `")) out.insert(line.substr(3, line.find('`', 3) - 3));
  }
  return out;
}

std::set<std::string> shown_accounts(std::string const& page) {
  constexpr std::string_view series = "svc_account_limit{account=\"";
  std::set<std::string> out;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(series))
      out.insert(line.substr(series.size(), line.find('"', series.size()) - series.size()));
  return out;
}

TEST_CASE("each account is in the metrics with a limit, and has its row in the table of budgets") {
  auto const page = shared_fleet().pages(0).get("/metrics").body;
  auto const shown = shown_accounts(page);
  CHECK(shown == documented_accounts());
  CHECK(shown.size() >= 10);
  for (auto const& limit : values_of(page, "svc_account_limit{")) CHECK(limit > 0);
  CHECK(values_of(page, "svc_account_held{").size() == shown.size());
  CHECK(values_of(page, "svc_account_refused_total{").size() == shown.size());
  // No label names a tenant.
  CHECK(values_of(page, "svc_account_held{", "project").empty());
}

TEST_CASE("an owner that exhausts its share is counted each time, and named in the log once a minute") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  watched_target target;
  // A quarter of four: an organization may have one request that waits for a check.
  auto const service = fleet.beside({"SVC_WORKERS=1", "SVC_HTTP_OUTSIDE_WAITS=4"});
  api_client pages(service->admin_url(), {}, {});
  api_client owner(service->url(), fleet.text("caFile"), tenant.token, std::chrono::seconds(60));
  auto const of_account = [&](std::string const& series) {
    return sum_of(pages.get("/metrics").body, series + "{account=\"outside_waits\"");
  };
  auto const body = R"({"name":"site","type":"http_request","target":"http://)" + target.address() +
                    R"(/","frequencyMinutes":60,"config":{}})";
  REQUIRE(pages.post("/debug/failpoints", "checks.perform=delay:5000*1").status == 200);
  std::thread waiting([&, token = tenant.token] {
    api_client first(service->url(), fleet.text("caFile"), token, std::chrono::seconds(60));
    CHECK(first.post("/api/monitors/test", body).status == 200);
  });
  CHECK(comes_true([&] { return of_account("svc_account_held") == 1; }, std::chrono::seconds(20)));
  for (int i = 0; i < 3; ++i) CHECK(code_of(owner.post("/api/monitors/test", body)) == "overloaded");
  waiting.join();
  CHECK(of_account("svc_account_refused_total") == 3);
  CHECK(of_account("svc_account_held") == 0);
  CHECK(of_account("svc_account_limit") == 4);
  auto const line =
      service->process().wait_error_line("an organisation has exhausted its share of a shared resource");
  CHECK(line.find("\"account\":\"outside_waits\"") != std::string::npos);
  auto const id = fleet.word("SELECT id FROM organizations WHERE slug = '" + tenant.organization + "'");
  CHECK(line.find("\"organisation\":\"" + id + "\"") != std::string::npos);
  CHECK(line.find("\"share\":1,") != std::string::npos);
  auto const again = [&](std::string const& each) {
    return each.find("has exhausted its share") != std::string::npos && each != line;
  };
  CHECK_FALSE(service->process().err().wait_line(again, std::chrono::seconds(1)).has_value());
}

}  // namespace
}  // namespace svc::test
