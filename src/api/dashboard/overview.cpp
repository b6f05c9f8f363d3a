// The state of a project at a glance.
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/project_views.hpp"
#include "svc/api/services.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace svc::api {
namespace {

constexpr std::int64_t cell_micros = 3'600'000'000;

void overview_job_json(http::json_text& out, store::overview_job const& job) {
  out.member("id", job.id)
      .member("name", job.name)
      .member("status", job.status)
      .member("runs", job.runs)
      .member("passed", job.passed);
  if (job.runs > 0) out.stored_member("successRate", success_rate(job.passed, job.runs));
  out.member_if("medianMs", job.median_ms).open_list("lastStatuses");
  for (auto const& status : job.last_statuses) out.element(status);
  out.close_list().member_if("nextRunAt", job.next_run_at);
}

void overview_runs_json(http::json_text& out, store::overview_runs const& runs) {
  out.open("last24h")
      .member("passed", runs.passed)
      .member("failed", runs.failed)
      .member("error", runs.error)
      .member("timedOut", runs.timed_out)
      .member("cancelled", runs.cancelled)
      .member("atLeast", runs.at_least);
  if (!runs.at_least) {
    out.open_list("hours");
    for (auto const& hour : runs.hours)
      out.open_element()
          .passing_member("start", hour.start)
          .member("passed", hour.passed)
          .member("notPassed", hour.not_passed)
          .close();
    out.close_list();
  }
  out.close();
}

void bar_json(http::json_text& out, store::monitor_bar const& bar) {
  out.member("id", bar.monitor).open_list("cells");
  auto start = bar.start;
  for (auto const& cell : bar.cells) {
    out.open_element()
        .member("start", start)
        .member("observedSeconds", cell.observed_seconds)
        .member("downMs", (cell.down_micros + 999) / 1000)
        .close();
    start.micros += cell_micros;
  }
  out.close_list();
}

}  // namespace

std::string success_rate(std::int64_t passed, std::int64_t runs) {
  auto const rate = std::to_string(10'000 + passed * 10'000 / runs % 10'000);
  return (passed == runs ? "1." : "0.") + rate.substr(1);
}

result<std::vector<uuid>> monitor_ids_in(std::string_view list) {
  std::vector<uuid> out;
  for (;;) {
    auto const end = list.find(',');
    auto const id = uuid::parse(list.substr(0, end));
    if (!id)
      return error(errc::validation_failed, {}, {{"ids", "must be 1 to 100 ids of monitors, separated by commas"}});
    out.push_back(*id);
    if (end == list.npos) return out;
    list.remove_prefix(end + 1);
  }
}

void overview_json(http::json_text& out, store::overview const& overview) {
  out.open_list("jobs");
  for (auto const& job : overview.jobs) {
    out.open_element();
    overview_job_json(out, job);
    out.close();
  }
  out.close_list();
  overview_runs_json(out, overview.last_day);
  out.open("queue")
      .member("queued", overview.queue.queued)
      .member("running", overview.queue.running)
      .member_if("oldestQueuedAt", overview.queue.oldest_queued_at)
      .close()
      .open("monitors")
      .member("up", overview.monitors.up)
      .member("degraded", overview.monitors.degraded)
      .member("down", overview.monitors.down)
      .member("error", overview.monitors.error)
      .member("pending", overview.monitors.pending)
      .member("paused", overview.monitors.paused)
      .close()
      .member("openOutages", overview.open_outages)
      .passing_member("asOf", overview.as_of);
}

task<result<reply>> get_overview(call& c) {
  auto const found = co_await c.use.views.overview(c.caller.project_id, c.until);
  co_return shown_reply(c, 0, [&](http::json_text& out) { overview_json(out, *found); });
}

task<result<reply>> get_monitor_bars(call& c) {
  auto ids = monitor_ids_in(c.query_value("ids").value());
  if (!ids) co_return ids.error();
  auto const found = co_await c.use.views.bars(c.caller.project_id, std::move(*ids), c.until);
  co_return shown_reply(c, 0, [&](http::json_text& out) {
    out.open_list("monitors");
    for (auto const& bar : found) {
      out.open_element();
      bar_json(out, *bar);
      out.close();
    }
    out.close_list();
  });
}

}  // namespace svc::api
