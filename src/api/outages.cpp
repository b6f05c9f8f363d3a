#include "api/call_options.hpp"
#include "api/monitors.hpp"
#include "svc/api/handlers.hpp"
#include "svc/store/monitors/check_store.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

/// Returns the filter of a list's query.
store::outage_filter outage_filter_of(call const& c) {
  store::outage_filter out{.start = query_time(c, "from"), .end = query_time(c, "to")};
  if (auto const open = c.query_value("open")) out.open = *open == "true";
  return out;
}

void outage_of_project_json(http::json_text& out, store::outage_of_project const& row) {
  outage_json(out, row.subject);
  out.member("monitorName", row.monitor_name);
}

}  // namespace

void outage_json(http::json_text& out, store::outage const& outage) {
  out.member("id", outage.id)
      .member("monitorId", outage.monitor)
      .member("startedAt", outage.started_at)
      .member("detectedAt", outage.detected_at)
      .member("endedAt", outage.ended_at)
      .member("endReason", outage.end_reason)
      .open("cause")
      .member("code", checks::row_of(outage.cause.which).name)
      .member("message", outage.cause.message)
      .member("location", outage.cause_location)
      .close()
      .open_list("locationsDown");
  for (auto const& code : outage.locations_down) out.element(code);
  out.close_list()
      .passing_member("durationSeconds", outage.duration_seconds)
      .passing_member("excludedSeconds", outage.excluded_seconds)
      .member("acknowledgedAt", outage.acknowledged_at)
      .member("acknowledgedBy", outage.acknowledged_by)
      .member("causedBy", outage.caused_by);
}

task<result<reply>> list_outages(call& c) {
  auto const known = co_await c.use.stores.monitors.get(c.caller.project_id, c.path_id(), c.until);
  if (!known) co_return known.error();
  auto const found =
      co_await c.use.stores.outages.list(c.caller.project_id, c.path_id(), outage_filter_of(c), c.page(), c.until);
  co_return page_reply(c, found, outage_json);
}

task<result<reply>> list_project_outages(call& c) {
  auto const found = co_await c.use.stores.outages.list_of_project(c.caller.project_id, query_id(c, "monitorId"),
                                                                   outage_filter_of(c), c.page(), c.until);
  co_return page_reply(c, found, outage_of_project_json);
}

task<result<reply>> acknowledge_outage(call& c) {
  auto const done =
      co_await c.use.stores.outages.acknowledge(edit_by(c), c.path_id(), c.path_id("outageId"), c.until);
  if (!done) co_return done.error();
  reply out;
  out.text = http::written(outage_json, *done);
  co_return out;
}

task<result<reply>> list_locations(call& c) {
  auto const seen = co_await c.use.stores.shards.seen(c.until);
  page_facts facts;
  facts.total = 1;
  bool const shown = c.page().number == 1;
  co_return page_reply(c, facts, [&](http::json_text& out) {
    if (!shown) return;
    out.open_element()
        .member("id", store::own_location)
        .member("code", store::own_location_code)
        .member("name", store::own_location_code)
        .member("region", nullptr)
        .member("online", seen.online)
        .open_list("capabilities");
    for (std::string_view const each : {"http", "tcp", "udp", "dns"}) out.element(each);
    out.close_list().passing_member("lastSeenAt", seen.time).close();
  });
}

}  // namespace svc::api
