#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/domain/monitoring/windows/plan.hpp"
#include "svc/domain/role.hpp"
#include "svc/store/repositories.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace svc::api {
namespace {

/// Writes the contract's `MaintenanceOccurrence`, or null.
void occurrence_json(http::json_text& out, std::string_view name,
                     std::optional<windows::occurrence> const& occurrence, std::string_view zone) {
  if (!occurrence) {
    out.member(name, nullptr);
    return;
  }
  out.open(name)
      .member("id", occurrence->id)
      .member("startsAt", occurrence->starts_at)
      .member("endsAt", occurrence->ends_at)
      .member("startsAtLocal", windows::local_time(occurrence->starts_at, zone))
      .close();
}

store::window_filter window_filter_of(call const& c) {
  store::window_filter out{.monitor = query_id(c, "monitorId")};
  if (auto const state = c.query_value("state")) out.state = windows::parse_state(*state);
  return out;
}

/// Returns `permission_denied` if the body names status pages and the caller may not change such pages. A window
/// needs only permissions of monitors.
result<> check_publisher(call const& c) {
  auto const* const named = c.member("statusPageIds");
  bool const publishes = named != nullptr && !named->as_array().empty();
  if (publishes && !allows(c.caller.owner_role, permission::status_page_update)) return errc::permission_denied;
  return {};
}

result<reply> window_answer(call const& c, result<windows::window> const& window) {
  if (!window) return window.error();
  return shown_reply(c, *window, window_json);
}

result<reply> created_window(call const& c, result<windows::window> const& window) {
  if (!window) return window.error();
  return created(c, shown_reply(c, *window, window_json), "/api/maintenance-windows/" + window->id.to_string());
}

}  // namespace

void window_json(http::json_text& out, windows::window const& window) {
  std::string_view const zone = window.set.recurring ? std::string_view(window.set.recurring->time_zone) : "UTC";
  out.member("id", window.id);
  window_settings_json(out, window.set);
  out.member("state", windows::name_of(window.state));
  occurrence_json(out, "current", window.current, zone);
  occurrence_json(out, "next", window.next, zone);
  out.member("monitorCount", window.monitor_count)
      .member("createdBy", window.created_by)
      .member("createdAt", window.created_at)
      .member("updatedAt", window.updated_at);
}

task<result<reply>> list_maintenance_windows(call& c) {
  auto const found = co_await c.use.stores.windows.list(c.caller.project_id, window_filter_of(c), c.page(), c.until);
  co_return page_reply(c, found, window_json);
}

task<result<reply>> create_maintenance_window(call& c) {
  if (auto const allowed = check_publisher(c); !allowed) co_return allowed.error();
  auto wanted = read_window(c.body.as_object());
  if (!wanted) co_return wanted.error();
  co_return created_window(
      c, co_await c.use.stores.windows.create(edit_by(c), c.caller.owner_id, std::move(*wanted), c.until));
}

task<result<reply>> get_maintenance_window(call& c) {
  co_return window_answer(c, co_await c.use.stores.windows.get(c.caller.project_id, c.path_id(), c.until));
}

task<result<reply>> update_maintenance_window(call& c) {
  if (auto const allowed = check_publisher(c); !allowed) co_return allowed.error();
  auto edit = [&c](windows::window const& current) { return patch_window(c.contract, current, c.body.as_object()); };
  co_return window_answer(c, co_await c.use.stores.windows.update(edit_by(c), c.path_id(), std::move(edit), c.until));
}

task<result<reply>> delete_maintenance_window(call& c) {
  auto const done = co_await c.use.stores.windows.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

task<result<reply>> end_maintenance_window(call& c) {
  co_return window_answer(c, co_await c.use.stores.windows.end(edit_by(c), c.path_id(), c.until));
}

task<result<reply>> start_monitor_maintenance(call& c) {
  auto const& body = c.body.as_object();
  std::chrono::minutes const duration(body.at("minutes").to_number<std::int64_t>());
  co_return created_window(c, co_await c.use.stores.windows.start(edit_by(c), c.caller.owner_id, c.path_id(),
                                                                  duration, text_in(body, "description"), c.until));
}

}  // namespace svc::api
