#include "svc/api/request_log.hpp"

#include "svc/core/log.hpp"
#include "svc/http/headers.hpp"

namespace svc::api {
namespace {

/// The id of the resource in the path. Nothing else of a path is logged, because a client may have put a token into
/// it.
std::string resource_of(http::route const& route) {
  for (auto each = route.path.rbegin(); each != route.path.rend(); ++each)
    if (auto const id = uuid::parse(each->second)) return id->to_string();
  return {};
}

}  // namespace

request_log::request_log(http::contract const& contract, metrics& counters) : counters_(counters) {
  for (auto const& op : contract.operations()) routes_.push_back(make_route(op.method, op.path));
  routes_.push_back(make_route("GET", "/status"));
  routes_.push_back(make_route("GET", "/app"));
  routes_.push_back(make_route("_OTHER", "unmatched"));
}

request_log::per_route request_log::make_route(std::string const& method, std::string const& path) {
  // Names of OpenTelemetry's semantic conventions, as its Prometheus exporter spells them.
  labels labels{{"http_request_method", method}, {"http_route", path}};
  auto const duration = counters_.make_histogram("http_server_request_duration_seconds",
                                                 "From the complete head to the complete response", labels);
  return {method + " " + path, std::move(labels), duration, {}};
}

void request_log::count(per_route& r, unsigned status) {
  auto found = r.by_status.find(status);
  if (found == r.by_status.end()) {
    auto labels = r.as_labels;
    labels.emplace_back("http_response_status_code", std::to_string(status));
    auto const made = counters_.make_counter("http_server_requests_total", "Requests answered", labels);
    found = r.by_status.emplace(status, made).first;
  }
  found->second.add();
}

request_log::per_route& request_log::route_of(exchange const& x) {
  if (x.page == page_kind::status) return routes_[routes_.size() - 3];
  if (x.page == page_kind::dashboard) return routes_[routes_.size() - 2];
  return x.route.found != nullptr ? routes_[x.route.found->index] : routes_.back();
}

void request_log::record(exchange const& x, http::response const& out) {
  auto& r = route_of(x);
  auto const took = std::chrono::duration_cast<microseconds>(steady::now() - x.head.arrived);
  r.duration.observe(static_cast<double>(took.count()) / 1e6);
  count(r, out.status);
  if (!log::enabled(log::level::info)) return;
  auto const* record = x.passed.record.get();
  auto const trace = http::trace_of(x.head);
  // The name of the trace is OpenTelemetry's for logs that are not its own.
  log::info("request", {{"requestId", x.request_id},
                        {"trace_id", trace ? trace->trace_id : std::string_view()},
                        {"route", r.route},
                        {"resourceId", resource_of(x.route)},
                        {"method", is_known_method(x.head.method) ? x.head.method : "OTHER"},
                        {"status", out.status},
                        {"durationUs", took.count()},
                        {"authUs", x.passed.auth_time.count()},
                        {"limitUs", x.passed.limit_time.count()},
                        {"handlerUs", x.handler_time.count()},
                        {"bytes", out.content().size()},
                        {"client", x.head.client_address},
                        {"tokenId", record != nullptr ? record->caller.token_id.to_string() : std::string()}});
}

void request_log::record_refused(std::string_view request_id, unsigned status, std::string_view client_address) {
  count(routes_.back(), status);
  log::info("refused head", {{"requestId", request_id}, {"status", status}, {"client", client_address}});
}

}  // namespace svc::api
