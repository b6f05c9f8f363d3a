#include "svc/api/contract_documents.hpp"

#include "svc/core/hash.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/deflate.hpp"

namespace svc::api {
namespace {

/// What `openapi/openapi.yaml` names as its server until the real address is known.
constexpr std::string_view placeholder = "https://public-url.invalid";

served_document make_document(std::string_view embedded, std::string_view public_url) {
  std::string text(embedded);
  for (auto at = text.find(placeholder); at != text.npos; at = text.find(placeholder, at + public_url.size())) {
    text.replace(at, placeholder.size(), public_url);
  }
  auto etag = "\"" + to_hex(byte_view(sha256(text)).first(8)) + "\"";
  auto encoded = std::make_shared<std::string const>(http::gzip(text, 9));
  return {std::make_shared<std::string const>(std::move(text)), std::move(encoded), std::move(etag)};
}

}  // namespace

contract_documents make_contract_documents(std::string_view public_url) {
  return {make_document(embedded::openapi_json, public_url), make_document(embedded::openapi_yaml, public_url)};
}

}  // namespace svc::api
