// Data that only pages need.
#include "api/call_options.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/domain/cron.hpp"
#include "svc/store/repositories.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ranges>
#include <string>
#include <vector>

namespace svc::api {
namespace {

constexpr std::size_t previewed_times = 10;

/// Returns the difference to UTC in the form of RFC 3339: `-04:00`.
std::string offset_text(std::chrono::seconds offset) {
  auto const minutes = std::chrono::duration_cast<std::chrono::minutes>(std::chrono::abs(offset)).count();
  std::array<char, 16> text;
  auto const size = std::snprintf(text.data(), text.size(), "%c%02d:%02d", offset.count() < 0 ? '-' : '+',
                                  static_cast<int>(minutes / 60), static_cast<int>(minutes % 60));
  return {text.data(), static_cast<std::size_t>(size)};
}

void scheduled_time_json(http::json_text& out, scheduled_time const& time) {
  constexpr std::string_view changes[] = {"", "skipped", "doubled"};
  constexpr std::size_t size_without_fraction = 19;
  out.member("at", time.moment)
      .member("local", to_rfc3339(time.moment + time.offset).substr(0, size_without_fraction))
      .member("offset", offset_text(time.offset));
  if (time.change != clock_change::none) out.member("note", changes[static_cast<std::size_t>(time.change)]);
}

constexpr std::size_t most_shown_runners = 100;

/// Returns the reasons why no runner takes the run now.
std::vector<std::string_view> reasons_of(store::run_waiting const& run) {
  std::vector<std::string_view> out;
  if (run.status != "queued") return out;
  if (run.runners.empty())
    out.emplace_back("no_runner_for_type");
  else if (std::ranges::all_of(run.runners, &store::waited_runner::full))
    out.emplace_back("runners_busy");
  if (run.limit && run.running.value_or(0) >= *run.limit) out.emplace_back("max_concurrent_runs");
  return out;
}

/// Describes a type of resource: the least right to see it, and the page of a project that shows it.
struct page_type {
  std::string_view name;
  permission view;
  std::string_view list;  ///< the first word of the address
  enum class address : std::uint8_t { own, of_parent, list } shape = address::own;
};

/// In the order of `store::page_resource`. `web/dashboard/src/router.tsx` has the same addresses. An outage is on the
/// page of outages of its monitor, an alert on the page of alerts.
constexpr std::array<page_type, 8> page_types{{
    {"monitor", permission::monitor_view, "monitors"},
    {"outage", permission::monitor_view, "monitors", page_type::address::of_parent},
    {"alert", permission::monitor_view, "alerts", page_type::address::list},
    {"job", permission::job_view, "jobs"},
    {"run", permission::run_view, "runs"},
    {"test", permission::test_view, "tests"},
    {"provider", permission::notification_view, "providers"},
    {"status_page", permission::status_page_view, "status-pages"},
}};

std::string path_of_page(store::resource_place const& place, page_type const& type, uuid id) {
  auto const out = "/app/" + place.organization + "/" + place.project + "/" + std::string(type.list);
  if (type.shape == page_type::address::list) return out;
  if (type.shape == page_type::address::of_parent && place.parent)
    return out + "/" + place.parent->to_string() + "/outages";
  return out + "/" + id.to_string();
}

}  // namespace

task<result<reply>> locate_resource(call& c) {
  auto const* const type = std::ranges::find(page_types, c.query_value("type").value_or(""), &page_type::name);
  auto const id = query_id(c, "id");
  auto const unknown = [] {
    return error(errc::not_found, "There is no such resource, or your role does not show it.");
  };
  if (type == page_types.end() || !id) co_return unknown();
  auto const resource = static_cast<store::page_resource>(type - page_types.begin());
  auto const place =
      co_await c.use.stores.accounts.locate(c.caller.owner_id, c.caller.token_id, resource, *id, c.until);
  if (!place || !allows(place->user_role, type->view)) co_return unknown();
  if (!place->policy_met) co_return errc::policy_not_met;
  http::json_text out;
  out.member("path", path_of_page(*place, *type, *id));
  co_return reply{.text = out.take()};
}

task<result<reply>> preview_schedule(call& c) {
  auto const zone = c.query_value("timeZone").value_or("UTC");
  if (!is_time_zone(zone))
    co_return error(errc::validation_failed, {}, {{"timeZone", "must be an IANA time zone such as Europe/Berlin"}});
  // The contract has checked the form.
  auto const schedule = cron_schedule::parse(c.query_value("cron").value_or(""));
  http::json_text out;
  out.open_list("times");
  if (schedule) {
    for (auto const& time : schedule->times_after(system_now(), zone, previewed_times)) {
      out.open_element();
      scheduled_time_json(out, time);
      out.close();
    }
  }
  out.close_list();
  co_return reply{.text = out.take()};
}

task<result<reply>> explain_waiting_run(call& c) {
  auto const& needs = c.use.stores.needs;
  auto const found =
      co_await c.use.stores.runs.waiting(c.caller.project_id, c.path_id(), needs.max_runs_per_project, c.until);
  if (!found && found.error().code == errc::run_already_over)
    co_return error(errc::run_already_over, "The run has ended, so it waits for nothing.");
  if (!found) co_return found.error();
  http::json_text out;
  out.open_list("reasons");
  for (auto const reason : reasons_of(*found)) out.element(reason);
  out.close_list().member_if("running", found->running).member_if("limit", found->limit).open_list("runners");
  for (auto const& runner : found->runners | std::views::take(most_shown_runners)) {
    out.open_element()
        .member("name", runner.name)
        .member("slots", runner.slots)
        .member("busy", runner.busy)
        .member("lastSeenAt", runner.last_seen_at)
        .close();
  }
  out.close_list();
  co_return reply{.text = out.take()};
}

}  // namespace svc::api
