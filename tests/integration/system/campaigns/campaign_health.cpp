#include "campaign_fixture.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <thread>

namespace svc::test {
namespace {

/// These take a step every 5 s or less often: they must not stand still, but may not have taken a step yet.
constexpr std::array slow_loops{
    "last_uses",          "old_keys",       "old_changes",   "schedule_mender",     "retention",
    "check_packing",      "check_failures", "check_watch",   "partitions",          "heartbeats_listen",
    "master_key_check",   "redis_policy",   "accounts",      "maintenance_windows", "page_announcements",
    "page_outages",       "page_days",      "deleted_pages", "page_copies",         "page_domains",
    "page_mail_retention"};
constexpr char const* last_success = "svc_background_last_success_timestamp_seconds";

constexpr std::chrono::milliseconds between_looks{100};

double wall_clock() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool is_slow(std::string const& series) {
  return std::any_of(slow_loops.begin(), slow_loops.end(),
                     [&](auto const* name) { return series.find(name) != std::string::npos; });
}

/// Loops that have not succeeded since then.
std::string idle_loops(std::string const& metrics, double since) {
  std::string out;
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(last_success) || is_slow(line)) continue;
    if (std::stod(line.substr(line.rfind(' '))) < since) out += line + "\n";
  }
  return out;
}

std::string ailments(campaign_fixture& fixture, int instance, double since) {
  auto const name = "instance " + std::to_string(instance) + ": ";
  auto pages = fixture.pages_of(instance);
  if (pages.get("/readyz").status != 200 || fixture.client_of(instance, {}).get("/readyz").status != 200)
    return name + "not ready\n";
  auto const page = body_of(pages.get("/readyz?verbose"));
  if (text_of(page, "/dependencies") != "ok") return name + boost::json::serialize(page) + "\n";
  std::string out;
  for (auto const& value : page.at("background").at("loops").as_array())
    if (text_of(value, "/state") == "still") out += name + boost::json::serialize(value) + "\n";
  if (auto const idle = idle_loops(pages.get("/metrics").body, since); !idle.empty()) out += name + idle;
  return out;
}

/// Locks that a transaction of the service has held or waited for longer than any transaction may last.
std::string old_locks(campaign_fixture& fixture) {
  std::string out;
  for (auto const& row :
       fixture.fleet().sql("SELECT DISTINCT a.pid, a.state, clock_timestamp() - a.xact_start, a.query FROM pg_locks l"
                           " JOIN pg_stat_activity a USING (pid) WHERE a.usename = 'svc_app' AND"
                           " coalesce(a.xact_start, '-infinity') < clock_timestamp() - interval '3 s'"))
    out += "lock of " + row[0] + ", " + row[1] + ", " + row[2] + ": " + row[3] + "\n";
  return out;
}

}  // namespace

std::string recovered(campaign_fixture& fixture, std::chrono::seconds within) {
  using clock = std::chrono::steady_clock;
  auto const since = wall_clock();
  for (auto const until = clock::now() + within;; std::this_thread::sleep_for(between_looks)) {
    std::string wrong;
    for (int i = 0; i < fixture.instances(); ++i) wrong += ailments(fixture, i, since);
    wrong += old_locks(fixture);
    if (wrong.empty() || clock::now() > until) return wrong;
  }
}

}  // namespace svc::test
