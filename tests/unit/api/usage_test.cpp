#include "api/resources.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace svc::api {
namespace {

TEST_CASE("each quota is shown with its usage; no quota is null") {
  auto const shown = usage_json({.cli_tokens = {1, 20},
                                 .trigger_keys = {2, 10},
                                 .jobs = {3, 30},
                                 .monitors = {11, 110},
                                 .tests = {4, 40},
                                 .script_bytes = {5, 50},
                                 .tags = {6, 60},
                                 .variables = {7, 70},
                                 .variable_bytes = {8, 80},
                                 .providers = {12, 120},
                                 .maintenance_windows = {13, 100},
                                 .status_pages = {14, 20},
                                 .page_bytes = {15, 0},
                                 .output_bytes = {10, 100},
                                 .queued_runs = {9, 0}});
  CHECK(shown.at("jobs") == boost::json::value({{"used", 3}, {"limit", 30}}));
  CHECK(shown.at("maintenanceWindows") == boost::json::value({{"used", 13}, {"limit", 100}}));
  CHECK(shown.at("statusPages") == boost::json::value({{"used", 14}, {"limit", 20}}));
  CHECK(shown.at("pageBytes") == boost::json::value({{"used", 15}, {"limit", nullptr}}));
  CHECK(shown.at("queuedRuns") == boost::json::value({{"used", 9}, {"limit", nullptr}}));
  std::set<std::int64_t> used;
  for (auto const& each : shown) used.insert(each.value().at("used").as_int64());
  CHECK(used == std::set<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
}

}  // namespace
}  // namespace svc::api
