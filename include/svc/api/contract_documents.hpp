#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace svc::api {

/// A constant document as it is served. Immutable, shared by all workers.
struct served_document {
  std::shared_ptr<std::string const> text;
  std::shared_ptr<std::string const> gzip;
  std::string etag;  ///< with its quotes
};

/// The OpenAPI document in both forms, with this deployment's address as its server.
struct contract_documents {
  served_document json;
  served_document yaml;
};

contract_documents make_contract_documents(std::string_view public_url);

}  // namespace svc::api
