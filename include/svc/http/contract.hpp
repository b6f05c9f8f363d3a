#pragma once

#include "svc/core/result.hpp"
#include "svc/domain/session.hpp"
#include "svc/http/message.hpp"

#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The shipped document; `https://public-url.invalid` in it is a placeholder for `public_url`.
namespace svc::embedded {
extern std::string_view const openapi_json;
extern std::string_view const openapi_yaml;
/// The contract of runners.
extern std::string_view const internal_json;
/// The contract of the dashboard's pages.
extern std::string_view const dashboard_json;
}  // namespace svc::embedded

namespace svc::http {

struct schema;

/// The validated query or path parameters of one operation, by name.
using parameter_list = std::vector<std::pair<std::string, std::string>>;

/// One operation of the OpenAPI document. Immutable after start, shared by all workers.
struct operation {
  std::string id;                        ///< operationId, which is the handler's name
  std::string method;                    ///< GET, POST, ...
  std::string path;                      ///< template, e.g. /api/jobs/{id}/trigger
  std::string permission;                ///< "job:view"; empty: any usable token
  std::vector<std::string> token_kinds;  ///< x-token-kinds: "cli", "test", "trigger", "runner", "session"; empty:
                                         ///< public
  std::string rate_class;                ///< x-rate-class: a name of a `rate_class`
  std::size_t body_limit = 0;            ///< bytes; 0: no body is read
  bool body_required = false;
  bool any_media = false;            ///< the body may have any media type and is not parsed
  bool lenient_query = false;        ///< public operations ignore unknown query parameters
  bool accepts_idempotency = false;  ///< takes `Idempotency-Key`
  bool conditional = false;          ///< a GET with an ETag, which `If-None-Match` is compared with
  std::string deprecation{};         ///< field value with the start date (RFC 9745); empty: not deprecated
  std::string sunset{};              ///< field value with the end date (RFC 8594); empty: no end is known
  std::vector<std::string> errors;   ///< codes of x-errors
  unsigned success = 200;
  std::size_t index = 0;                                   ///< position in contract::operations()
  session_scope_kind scope = session_scope_kind::project;  ///< x-scope: where a session acts
  bool fresh = false;                                      ///< x-fresh: a session needs a fresh sign-in
  bool takes_session = false;                              ///< x-token-kinds has "session"
  bool only_session = false;                               ///< x-token-kinds has nothing else
  bool own_pages = false;  ///< a public write of the dashboard, which only pages of this service may cause
};

/// The result of the router: an operation with its path parameters, or the reason why none was found.
struct route {
  operation const* found = nullptr;
  std::vector<std::string> allowed{};  ///< methods of this path, if the request has another one
  parameter_list path{};               ///< decoded; ids are already checked to be UUIDs, see `bad_parameter`
  std::optional<error> bad_parameter{};
  bool head = false;        ///< the GET operation serves a HEAD request
  bool unreadable = false;  ///< the path cannot be decoded, so it is unknown if an operation has it
};

/// The OpenAPI document in the program's form: routes, parameters, bodies. Immutable, shared.
class contract {
 public:
  /// Throws `std::runtime_error` with a JSON pointer if the document has a keyword that is not enforced,
  /// lacks one of our `x-` keys, or names an unknown error code, class, kind or permission.
  static std::shared_ptr<contract const> load(std::string_view json);
  /// Loads several documents as one contract, in order. Throws as well if two documents have the same operation, or
  /// schemas of the same name that differ.
  static std::shared_ptr<contract const> load(std::vector<std::string_view> const& documents);
  virtual ~contract() = default;

  virtual std::vector<operation> const& operations() const = 0;
  /// Returns the codes of x-common-errors, which any operation may answer.
  virtual std::vector<std::string> const& common_errors() const = 0;

  /// Finds the operation for decoded path `segments`. HEAD finds GET.
  virtual route find(std::string_view method, std::vector<std::string> const& segments) const = 0;

  /// Checks the query against the operation's parameters and adds defaults. `validation_failed` lists all faults.
  virtual result<parameter_list> check_query(operation const& op,
                                             std::vector<std::pair<std::string, std::string>> const& query) const = 0;
};

/// Checks bodies against the operation's schema. Worker-local by agreement, although it holds only the shared,
/// immutable schemas.
class body_validator {
 public:
  static std::unique_ptr<body_validator> make(std::shared_ptr<contract const> contract);
  virtual ~body_validator() = default;
  /// Returns `validation_failed` with a JSON pointer for each fault. Any body passes if the operation has no schema
  /// for it.
  virtual result<> check(operation const& op, boost::json::value const& body) = 0;
  /// Returns the schema that `check` applies, for the `json_reader` that reads the body; null: none. The contract
  /// owns the schema.
  virtual schema const* shape(operation const& op) const = 0;
  /// Checks a value that a handler has merged against `#/components/schemas/<name>`. `pointer` is put in front of
  /// each fault's pointer. Throws `std::logic_error` if the schema does not exist.
  virtual result<> check_schema(std::string_view name, boost::json::value const& value, std::string_view pointer) = 0;
};

}  // namespace svc::http
