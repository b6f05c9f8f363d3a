#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/core/hash.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/deflate.hpp"

#include <algorithm>

namespace svc::api {

namespace {

/// The server that `openapi/openapi.yaml` names until the real address is known.
constexpr std::string_view placeholder = "https://public-url.invalid";

served_document make_document(std::string_view embedded, std::string_view public_url) {
  std::string text(embedded);
  for (auto sv = text.find(placeholder); sv != text.npos; sv = text.find(placeholder, sv + public_url.size())) {
    text.replace(sv, placeholder.size(), public_url);
  }
  auto etag = "\"" + to_hex(byte_view(sha256(text)).first(8)) + "\"";
  auto encoded = std::make_shared<std::string const>(http::gzip(text, 9));
  return {std::make_shared<std::string const>(std::move(text)), std::move(encoded), std::move(etag)};
}

}  // namespace

contract_documents make_contract_documents(std::string_view public_url) {
  return {make_document(embedded::openapi_json, public_url), make_document(embedded::openapi_yaml, public_url)};
}

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
  auto const checks = c.use.status.checks();
  reply out;
  out.body = {{"status", whole ? "ok" : "degraded"},
              {"version", c.use.status.version},
              {"dependencies", std::move(dependencies)},
              {"checks", {{"status", checks.status}, {"lagSeconds", checks.lag_seconds}}}};
  co_return out;
}

// The answer means that the process runs and serves. It never depends on Redis or PostgreSQL.
task<result<reply>> get_livez(call&) {
  reply out;
  out.body = {{"status", "ok"}};
  co_return out;
}

// The instance is unready only while it starts or drains: a lost store must not empty the whole fleet.
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
