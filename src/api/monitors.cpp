#include "api/monitors.hpp"

#include "api/call_options.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/core/numbers.hpp"
#include "svc/monitoring/scheduler/slots.hpp"
#include "svc/store/monitors/check_store.hpp"
#include "svc/store/monitors/monitor_secrets.hpp"
#include "svc/store/repositories.hpp"

#include <algorithm>
#include <functional>
#include <string>

namespace svc::api {
namespace {

/// Returns the time of the monitor's next slot. Returns `std::nullopt` for a monitor that is not checked, or not yet;
/// the latter is checked at once.
std::optional<timestamp> next_check(monitor const& monitor, timestamp now) {
  bool const begun = std::ranges::any_of(monitor.seen, [](auto const& each) { return each.seen_at.has_value(); });
  if (!monitor.set.enabled || monitor.deleted_at || !begun || monitor.set.type == "heartbeat") return std::nullopt;
  auto const interval = scheduler::milliseconds(monitor.set.interval());
  auto const phase = scheduler::phase_of(monitor.id, uuid{}, interval);
  return timestamp{(scheduler::slot_at(phase, interval, now.micros / 1000) + interval.count()) * 1000};
}

void views_json(http::json_text& out, monitor const& monitor) {
  monitor_view const* newest = nullptr;
  out.open_list("locations");
  for (auto const& each : monitor.seen) {
    out.open_element()
        .member("code", store::own_location_code)
        .member("status", each.says)
        .member("lastCheckAt", each.seen_at)
        .member("consecutiveFailureCount", each.fails)
        .member("consecutiveSuccessCount", each.oks)
        .close();
    if (newest == nullptr || newest->seen_at < each.seen_at) newest = &each;
  }
  out.close_list()
      .member("lastCheckAt", newest == nullptr ? std::nullopt : newest->seen_at)
      .member("lastResponseTimeMs", newest == nullptr ? std::nullopt : newest->response_ms);
}

void reason_json(http::json_text& out, monitor const& monitor) {
  if (!monitor.reason_code) {
    out.member("reason", nullptr);
    return;
  }
  out.open("reason").member("code", *monitor.reason_code).member("message", monitor.reason).close();
}

void maintenance_json(http::json_text& out, std::optional<current_maintenance> const& maintenance) {
  if (!maintenance) {
    out.member("maintenance", nullptr);
    return;
  }
  out.open("maintenance")
      .member("id", maintenance->id)
      .member("name", maintenance->name)
      .member("until", maintenance->until)
      .close();
}

void verdict_json(http::json_text& out, monitor const& monitor, timestamp now) {
  out.member("status", monitor.status());
  reason_json(out, monitor);
  out.member("suspectSince", monitor.suspect_since)
      .member("flapping", false)
      .passing_member("nextCheckAt", next_check(monitor, now))
      .member("lastStatusChangeAt", monitor.verdict == "pending" ? std::nullopt : std::optional(monitor.since))
      .member("openOutageId", monitor.open_outage);
  maintenance_json(out, monitor.maintenance);
  views_json(out, monitor);
}

}  // namespace

void monitor_json(http::json_text& out, monitor const& monitor, timestamp now) {
  out.member("id", monitor.id);
  monitor_settings_json(out, monitor.set);
  verdict_json(out, monitor, now);
  out.stored_member("tags", monitor.tags).open_list("maskedFields");
  for (auto const& pointer : store::secret_pointers_of_check(boost::json::parse(monitor.set.config).as_object()))
    out.element("/config" + pointer);
  out.close_list()
      .member("deletedAt", monitor.deleted_at)
      .member("createdBy", monitor.created_by)
      .member("createdAt", monitor.created_at)
      .member("updatedAt", monitor.updated_at);
}

namespace {

/// The additional members of a single monitor of type heartbeat.
struct shown_heartbeat {
  store::heartbeat_view heartbeat_view;
  std::optional<std::string> url{};
};

/// Returns the heartbeat of a monitor, or `std::nullopt` for other types. Only callers that may change the monitor
/// see the URL for its pings.
task<std::optional<shown_heartbeat>> heartbeat_of(call& c, monitor const& monitor) {
  if (monitor.set.type != "heartbeat") co_return std::nullopt;
  auto& hearts = c.use.stores.hearts;
  auto const found = co_await hearts.get(c.caller.project_id, monitor.id, c.until);
  if (!found) co_return std::nullopt;
  shown_heartbeat out{*found};
  if (monitor.deleted_at || !allows(c.caller.owner_role, permission::monitor_update)) co_return out;
  if (auto const key = co_await hearts.key_of(c.caller.project_id, monitor.id, c.until))
    out.url = c.use.public_url + "/api/heartbeats/" + std::string(key->reveal());
  co_return out;
}

void heartbeat_json(http::json_text& out, shown_heartbeat const& heartbeat) {
  out.open("heartbeat");
  if (heartbeat.url) out.member("url", *heartbeat.url);
  out.member("expectedAt", heartbeat.heartbeat_view.expected_at)
      .member("deadlineAt", heartbeat.heartbeat_view.deadline_at)
      .member("lastBeatAt", heartbeat.heartbeat_view.last_ping_at)
      .member("lastDurationMs", heartbeat.heartbeat_view.last_duration_ms)
      .member("running", heartbeat.heartbeat_view.running)
      .close();
}

/// Returns a reply with the monitor; `more` adds members.
task<reply> monitor_reply(call& c, monitor monitor, std::function<void(http::json_text&)> more = {}) {
  auto const heartbeat = co_await heartbeat_of(c, monitor);
  auto const now = system_now();
  auto out = shown_reply(c, monitor.version, [&](http::json_text& text) {
    monitor_json(text, monitor, now);
    if (heartbeat) heartbeat_json(text, *heartbeat);
    if (more) more(text);
  });
  out.secret = heartbeat && heartbeat->url;
  co_return out;
}

task<result<reply>> monitor_answer(call& c, result<monitor> monitor) {
  if (!monitor) co_return monitor.error();
  co_return co_await monitor_reply(c, std::move(*monitor));
}

store::monitor_order order_of_monitors(std::optional<std::string_view> sort) {
  if (sort == "name") return store::monitor_order::name;
  return sort == "status" ? store::monitor_order::status : store::monitor_order::newest;
}

/// Pauses or resumes a monitor.
task<result<reply>> switch_monitor(call& c, bool enabled, std::string verb) {
  auto edit = [enabled](monitor const& now) {
    auto set = now.set;
    set.enabled = enabled;
    return result<monitor_settings>(std::move(set));
  };
  co_return co_await monitor_answer(
      c, co_await c.use.stores.monitors.update(edit_by(c), c.path_id(), std::move(edit), std::move(verb), c.until));
}

}  // namespace

task<result<reply>> list_monitors(call& c) {
  store::monitor_filter filter{.status = query_text(c, "status"),
                               .type = query_text(c, "type"),
                               .search = query_text(c, "search"),
                               .tag = query_text(c, "tag"),
                               .deleted = c.query_value("deleted") == "true",
                               .order = order_of_monitors(c.query_value("sort"))};
  auto const found = co_await c.use.stores.monitors.list(c.caller.project_id, std::move(filter), c.page(), c.until);
  auto const now = system_now();
  co_return page_reply(c, found, [&](http::json_text& out) {
    for (auto const& monitor : found.rows) {
      out.open_element();
      monitor_json(out, monitor, now);
      out.close();
    }
  });
}

task<result<reply>> create_monitor(call& c) {
  auto wanted = read_monitor(c.body.as_object(), c.use.monitor_rules, system_now());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.stores.monitors.create(edit_by(c), c.caller.owner_id, std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created(c, co_await monitor_reply(c, *made), "/api/monitors/" + made->id.to_string());
}

task<result<reply>> get_monitor(call& c) {
  auto const found = co_await c.use.stores.monitors.get(c.caller.project_id, c.path_id(), c.until);
  auto const wanted = parse_number<std::size_t>(c.query_value("recentResults").value_or("")).value_or(0);
  if (!found || wanted == 0) co_return co_await monitor_answer(c, found);
  auto const recent = co_await c.use.stores.history.results(found->id, {}, {.most = wanted}, c.until);
  co_return co_await monitor_reply(c, *found, [&](http::json_text& out) {
    out.open_list("recentResults");
    for (auto const& each : recent) {
      out.open_element();
      monitor_result_json(out, each);
      out.close();
    }
    out.close_list();
  });
}

task<result<reply>> update_monitor(call& c) {
  check_verdict verdict;
  auto const patch = [&c, &verdict](monitor const& now) {
    return patch_monitor(c.contract, now, c.body.as_object(), c.use.monitor_rules, system_now(), &verdict);
  };
  store::monitor_preparation prepare = [&](monitor const& now) {
    verdict.open();
    static_cast<void>(patch(now));
    verdict.close();
  };
  co_return co_await monitor_answer(c, co_await c.use.stores.monitors.update(edit_by(c), c.path_id(), patch,
                                                                             "updated", c.until, std::move(prepare)));
}

task<result<reply>> delete_monitor(call& c) {
  auto const done = co_await c.use.stores.monitors.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

task<result<reply>> restore_monitor(call& c) {
  co_return co_await monitor_answer(c, co_await c.use.stores.monitors.restore(edit_by(c), c.path_id(), c.until));
}

task<result<reply>> pause_monitor(call& c) {
  return switch_monitor(c, false, "paused");
}

task<result<reply>> resume_monitor(call& c) {
  return switch_monitor(c, true, "resumed");
}

/// Monitors of other types have no key that could expire.
task<result<reply>> rotate_heartbeat_key(call& c) {
  constexpr std::int64_t usual_grace = 86'400;
  auto const found = co_await c.use.stores.monitors.get(c.caller.project_id, c.path_id(), c.until);
  if (!found || found->deleted_at) co_return errc::not_found;
  if (found->set.type != "heartbeat")
    co_return error(errc::type_not_checkable, "Only a heartbeat has a key, and this monitor is checked instead.");
  auto const* const asked = c.member("graceSeconds");
  std::chrono::seconds const grace(asked == nullptr ? usual_grace : asked->as_int64());
  auto const made = co_await c.use.stores.hearts.rotate_key(edit_by(c), found->id, grace, c.until);
  if (!made) co_return made.error();
  co_return co_await monitor_reply(c, *found);
}

namespace {

void tags_of_monitor_json(http::json_text& out, monitor const& monitor) {
  out.stored_member("tags", monitor.tags);
}

}  // namespace

task<result<reply>> get_monitor_tags(call& c) {
  auto const found = co_await c.use.stores.monitors.get(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return shown_reply(c, *found, tags_of_monitor_json);
}

task<result<reply>> replace_monitor_tags(call& c) {
  auto wanted = read_tag_ids(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const done = co_await c.use.stores.monitors.set_tags(edit_by(c), c.path_id(), std::move(*wanted), c.until);
  if (!done) co_return done.error();
  co_return shown_reply(c, *done, tags_of_monitor_json);
}

}  // namespace svc::api
