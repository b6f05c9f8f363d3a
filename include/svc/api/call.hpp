#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/principal.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/json_text.hpp"
#include "svc/http/message.hpp"
#include "svc/store/change.hpp"
#include "svc/store/heartbeats/heartbeat_store.hpp"

#include <boost/json.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::access {
class reauthorization;
}

namespace svc::api {

struct services;

/// One authenticated, admitted, validated request on its way to its handler. Lives in the pipeline's
/// coroutine until the response is made; handlers take it by reference.
struct call {
  http::request const& request;
  http::operation const& operation;
  services& use;
  http::body_validator& contract;        ///< checks the result of a merge patch
  access::reauthorization& reauthorize;  ///< whether the caller may still go on, for long-lived responses
  principal const& caller;               ///< of the exchange's record; a default one on public operations
  http::parameter_list path{};           ///< checked against the contract
  http::parameter_list query{};          ///< checked, with defaults
  boost::json::value body{};             ///< checked against the schema; null when there was none
  std::string const& request_id;
  deadline until;  ///< one of class `probe` waits outside until a deadline of its own (`outside_deadline`)
  std::optional<sha256_digest> secret{};  ///< of the credential that the request came with
  std::optional<store::beat_key> beat{};  ///< of an operation of class heartbeat: whose path it is

  uuid path_id(std::string_view name = "id") const;  ///< the contract has checked its form
  std::optional<std::string_view> query_value(std::string_view name) const;
  page_request page() const;
  result<> check_page() const;  ///< for the pipeline; fails for an invalid cursor, or one of another sort order
  /// A member of the body; `nullptr` when it is absent.
  boost::json::value const* member(std::string_view name) const;
  audit_actor actor() const;
  /// What `If-Match` and `If-None-Match` demand of the resource to change; the pipeline has checked their form.
  version_condition expected_versions() const;
};

/// Who does it, from where, and by which right: `needed` is the operation's permission, if it has one.
audit_actor actor_of(principal const& caller, std::optional<sha256_digest> secret, http::request const& request,
                     std::string const& request_id, std::optional<permission> needed);

/// What a handler answers. The pipeline adds ETag, limit headers, request id and the rest.
struct reply {
  unsigned status = 200;
  boost::json::value body{};  ///< null: no body
  std::string text{};         ///< JSON that the handler wrote itself, instead of `body`
  std::string etag{};         ///< with its quotes; empty: made of the body where the contract has one
  bool unchanged = false;     ///< the client has what `etag` names, so the body was not made
  bool secret = false;        ///< Cache-Control: no-store
  std::vector<std::pair<std::string_view, std::string>> fields{};  ///< names are static text
  std::shared_ptr<std::string const> document{};                   ///< a body that others use too, instead of `body`
  std::shared_ptr<std::string const> document_gzip{};  ///< the same, encoded; alone if the client prefers gzip
  std::shared_ptr<void const> held{};                  ///< its share of the account of responses, until it was sent
  std::shared_ptr<http::body_stream> stream{};         ///< or a body that is produced over time
  std::string_view content_type = "application/json";
};

/// A handler is a free function, named like its operationId, in the file of its resource.
using handler = task<result<reply>> (*)(call&);

/// The object whose members `write` adds: its ETag, and its text unless it is large and the request's If-None-Match
/// names that ETag. `write` runs once for each of the two.
reply shown_reply(call const& c, std::int64_t version, std::function<void(http::json_text&)> const& write);

/// A resource as `json` writes it.
template <class T>
reply shown_reply(call const& c, T const& variable, void (*json)(http::json_text&, T const&)) {
  return shown_reply(c, variable.version, [&](http::json_text& out) { json(out, variable); });
}

/// The envelope of contract section 2.4 (`data`, `pagination`) around the rows that `write` adds; adds the `Link`
/// header from the call's query. validation_failed when the page lies beyond the numbered rows.
result<reply> page_reply(call const& c, page_facts const& facts, std::function<void(http::json_text&)> const& write);

/// The same with the rows found; `json` adds the members of one.
template <class T>
result<reply> page_reply(call const& c, page<T> const& found, void (*json)(http::json_text&, T const&)) {
  return page_reply(c, found, [&](http::json_text& out) {
    for (T const& variable : found.rows) {
      out.open_element();
      json(out, variable);
      out.close();
    }
  });
}

}  // namespace svc::api
