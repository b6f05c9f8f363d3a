#include "api/call_options.hpp"
#include "api/monitors.hpp"
#include "svc/api/handlers.hpp"
#include "svc/store/monitors/check_store.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {

void outage_json(http::json_text& out, store::outage const& of) {
  out.member("id", of.id)
      .member("monitorId", of.monitor)
      .member("startedAt", of.started_at)
      .member("detectedAt", of.detected_at)
      .member("endedAt", of.ended_at)
      .member("endReason", of.end_reason)
      .open("cause")
      .member("code", checks::row_of(of.cause.which).name)
      .member("message", of.cause.message)
      .member("location", of.cause_location)
      .close()
      .open_list("locationsDown");
  for (auto const& code : of.locations_down) out.element(code);
  out.close_list()
      .passing_member("durationSeconds", of.duration_seconds)
      .passing_member("excludedSeconds", of.excluded_seconds)
      .member("acknowledgedAt", of.acknowledged_at)
      .member("acknowledgedBy", of.acknowledged_by)
      .member("causedBy", nullptr);
}

task<result<reply>> list_outages(call& c) {
  auto const known = co_await c.use.stores.monitors.get(c.who.project_id, c.path_id(), c.until);
  if (!known) co_return known.error();
  store::outage_filter filter{.from = query_time(c, "from"), .to = query_time(c, "to")};
  if (auto const open = c.query_value("open")) filter.open = *open == "true";
  auto const found = co_await c.use.stores.outages.list(c.who.project_id, c.path_id(), filter, c.page(), c.until);
  co_return page_reply(c, found, outage_json);
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
    out.close_list().passing_member("lastSeenAt", seen.at).close();
  });
}

}  // namespace svc::api
