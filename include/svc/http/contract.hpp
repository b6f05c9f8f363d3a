#pragma once

#include "svc/core/result.hpp"
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

/// The shipped document; `https://public-url.invalid` in it stands for `public_url`.
namespace svc::embedded {
extern std::string_view const openapi_json;
extern std::string_view const openapi_yaml;
/// The contract of runners.
extern std::string_view const internal_json;
}  // namespace svc::embedded

namespace svc::http {

struct schema;

/// A validated query or path parameter of one operation, by name.
using parameter_list = std::vector<std::pair<std::string, std::string>>;

/// One operation of the OpenAPI document. Immutable after start, shared by all workers.
struct operation {
  std::string id;                        ///< operationId, which is the handler's name
  std::string method;                    ///< GET, POST, ...
  std::string path;                      ///< template, e.g. /api/jobs/{id}/trigger
  std::string permission;                ///< "job:view"; empty: any usable token
  std::vector<std::string> token_kinds;  ///< x-token-kinds: "cli", "test", "trigger", "runner"; empty: public
  std::string rate_class;                ///< cli, trigger, anonymous, feed, health, heartbeat, probe, none
  std::size_t body_limit = 0;            ///< bytes; 0: no body is read
  bool body_required = false;
  bool any_media = false;            ///< the body may be of any media type, and is taken as it is
  bool lenient_query = false;        ///< public operations ignore unknown query parameters
  bool accepts_idempotency = false;  ///< takes `Idempotency-Key`
  bool conditional = false;          ///< a GET with an ETag that `If-None-Match` is compared to
  std::string deprecation{};         ///< field value since when (RFC 9745); empty: not deprecated
  std::string sunset{};              ///< field value until when (RFC 8594); empty: no end is known
  std::vector<std::string> errors;   ///< codes of x-errors
  unsigned success = 200;
  std::size_t index = 0;  ///< position in contract::operations()
};

/// What the router found: an operation with its path parameters, or why there is none.
struct route {
  operation const* found = nullptr;
  std::vector<std::string> allowed{};  ///< methods of this path, when another method was asked for
  parameter_list path{};               ///< decoded; ids are already checked to be UUIDs, see `bad_parameter`
  std::optional<error> bad_parameter{};
  bool head = false;        ///< a HEAD request served by the GET operation
  bool unreadable = false;  ///< the path cannot be decoded, so whether an operation has it is unknown
};

/// The OpenAPI document as the program uses it: routes, parameters, bodies. Immutable, shared.
class contract {
 public:
  /// Throws `std::runtime_error` that names the place when the document uses a keyword that is not
  /// enforced, lacks one of our `x-` keys, or names an unknown error code, class, kind or permission.
  static std::shared_ptr<contract const> load(std::string_view json);
  virtual ~contract() = default;

  virtual std::vector<operation> const& operations() const = 0;
  /// Codes of x-common-errors: any operation may answer them.
  virtual std::vector<std::string> const& common_errors() const = 0;

  /// `segments` are the decoded path segments. HEAD finds GET.
  virtual route find(std::string_view method, std::vector<std::string> const& segments) const = 0;

  /// Checks the query against the operation's parameters; adds defaults. `validation_failed` lists all that
  /// is wrong.
  virtual result<parameter_list> check_query(operation const& op,
                                             std::vector<std::pair<std::string, std::string>> const& query) const = 0;
};

/// Checks bodies against the operation's schema. Worker-local by contract, although it holds nothing but
/// the shared, immutable schemas.
class body_validator {
 public:
  static std::unique_ptr<body_validator> make(std::shared_ptr<contract const> contract);
  virtual ~body_validator() = default;
  /// `validation_failed` with a JSON pointer for each fault. Without a schema for the operation's body, any passes.
  virtual result<> check(operation const& op, boost::json::value const& body) = 0;
  /// The schema that `check` applies, for the `json_reader` that reads the body; null: none. The contract owns it.
  virtual schema const* shape(operation const& op) const = 0;
  /// The same against `#/components/schemas/<name>`, for what a handler has merged; `pointer` stands before
  /// each fault's pointer. Throws `std::logic_error` when there is no such schema.
  virtual result<> check_schema(std::string_view name, boost::json::value const& value, std::string_view pointer) = 0;
};

}  // namespace svc::http
