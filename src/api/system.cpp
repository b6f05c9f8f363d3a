#include "svc/api/contract_documents.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/health.hpp"
#include "svc/api/services.hpp"

#include <algorithm>

namespace svc::api {
namespace {

reply document_reply(served_document const& d, std::string_view content_type) {
  reply out;
  out.document = d.text;
  out.document_gzip = d.gzip;
  out.content_type = content_type;
  out.fields.emplace_back("ETag", d.etag);
  out.fields.emplace_back("Cache-Control", "public, max-age=300");
  return out;
}

}  // namespace

task<result<reply>> get_health(call& c) {
  auto const checked = c.use.status.check();
  bool const whole = std::all_of(checked.begin(), checked.end(), [](dependency const& d) { return d.up; });
  boost::json::object dependencies;
  for (auto const& d : checked) dependencies[d.name] = d.up ? "up" : "down";
  reply out;
  out.body = {{"status", whole ? "ok" : "degraded"},
              {"version", c.use.status.version},
              {"dependencies", std::move(dependencies)}};
  co_return out;
}

// The process runs and serves; never depends on Redis or PostgreSQL.
task<result<reply>> get_livez(call&) {
  reply out;
  out.body = {{"status", "ok"}};
  co_return out;
}

// Unready only while starting or draining: a lost store must not empty the whole fleet.
task<result<reply>> get_readyz(call& c) {
  if (!c.use.status.accepting) co_return error(errc::unavailable, "This instance is starting or draining.");
  reply out;
  out.body = {{"status", "ok"}};
  co_return out;
}

task<result<reply>> get_openapi_json(call& c) {
  co_return document_reply(c.use.documents.json, "application/json");
}

task<result<reply>> get_openapi_yaml(call& c) {
  co_return document_reply(c.use.documents.yaml, "application/yaml");
}

}  // namespace svc::api
