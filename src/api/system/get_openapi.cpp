#include "svc/api/contract_documents.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"

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

task<result<reply>> get_openapi_json(call& c) {
  co_return document_reply(c.use.documents.json, "application/json");
}

task<result<reply>> get_openapi_yaml(call& c) {
  co_return document_reply(c.use.documents.yaml, "application/yaml");
}

}  // namespace svc::api
