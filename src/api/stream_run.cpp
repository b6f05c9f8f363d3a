#include "svc/access/reauthorization.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/output/run_streams.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

/// The event after which the client goes on; the first field counts.
result<std::optional<event_id>> resume_point(http::request const& head, run const& of) {
  auto const given = head.find("Last-Event-ID");
  // Browsers send an empty one when no event had an id.
  if (!given || given->empty()) return std::optional<event_id>();
  auto const id = event_id::parse(*given);
  if (id && id->attempt <= of.attempt) return id;
  return error(errc::validation_failed, "Send the id of an event of this run as Last-Event-ID.",
               {{"Last-Event-ID", "must be the id of an event of this run"}});
}

}  // namespace

task<result<reply>> stream_run(call& c) {
  auto const found = co_await c.use.stores.runs.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  auto const from = resume_point(c.request, *found);
  if (!from) co_return from.error();
  if (*from) {
    auto const seen = co_await c.use.streams.seen_to_the_end(*found, **from, c.until);
    if (!seen) co_return seen.error();
    // An EventSource comes back until it is told so (WHATWG HTML 9.2.3).
    if (*seen) co_return reply{.status = 204};
  }
  auto place = c.use.streams.reserve(c.who.token_id, c.who.project_id);
  if (!place) co_return place.error();
  output::viewer_right by{c.who.subject, c.who.epoch,
                          c.reauthorize.check_for(c.secret.value(), c.operation, c.who.project_id)};
  // Proxies that collect answers would hold the events back.
  co_return reply{.fields = {{"X-Accel-Buffering", "no"}},
                  .stream = c.use.streams.open(std::move(*place), c.who.project_id, *found, *from, std::move(by)),
                  .content_type = "text/event-stream"};
}

}  // namespace svc::api
