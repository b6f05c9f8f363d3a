#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/audit.hpp"
#include "svc/domain/limit.hpp"
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

/// One authenticated, admitted, validated request on its way to its handler. The object lives in the pipeline's
/// coroutine until the response is made; handlers take it by reference.
struct call {
  http::request const& request;
  http::operation const& operation;
  services& use;
  http::body_validator& contract;        ///< checks the result of a merge patch
  access::reauthorization& reauthorize;  ///< checks for long-lived responses that the caller is still permitted
  principal const& caller;               ///< from the exchange's record; a default one on public operations
  http::parameter_list path{};           ///< checked against the contract
  http::parameter_list query{};          ///< checked, with defaults
  boost::json::value body{};             ///< checked against the schema; null when there was none
  std::string const& request_id;
  deadline until;  ///< a call of class `probe` waits for external systems until a deadline of its own
                   ///< (`outside_deadline`)
  std::optional<sha256_digest> secret{};       ///< the digest of the credential that the request came with
  std::optional<sha256_digest> session_key{};  ///< the key of the caller's record, if the caller is a session
  std::optional<store::ping_key> ping{};       ///< only for operations of class heartbeat: the monitor of the path
  /// The rate limit window that the headers show. If another window refuses the request, its handler stores that
  /// window here.
  std::optional<limit_decision>* limit = nullptr;
  /// Receives the things that the audit rows of the request name; null for a request that only reads.
  std::shared_ptr<std::vector<changed_thing>> audited{};

  uuid path_id(std::string_view name = "id") const;  ///< the contract has checked its form
  std::optional<std::string_view> query_value(std::string_view name) const;
  page_request page() const;
  result<> check_page() const;  ///< for the pipeline; fails for an invalid cursor, or one of another sort order
  /// Returns a member of the body, or `nullptr` if it is absent.
  boost::json::value const* member(std::string_view name) const;
  audit_actor actor() const;
  /// Returns the conditions of `If-Match` and `If-None-Match` on the resource to change; the pipeline has checked
  /// their form.
  version_condition expected_versions() const;
};

/// Describes the actor for the audit log: the caller, the address and the right. `roles` are those that have the
/// operation's permission.
audit_actor actor_of(principal const& caller, std::optional<sha256_digest> secret, http::request const& request,
                     std::string const& request_id, std::vector<std::string> roles);

/// A handler's answer. The pipeline adds ETag, limit headers, request id and the rest.
struct reply {
  unsigned status = 200;
  boost::json::value body{};  ///< null: no body
  std::string text{};         ///< JSON that the handler wrote itself, instead of `body`
  std::string etag{};         ///< with its quotes; if empty, the pipeline computes it from the body where the
                              ///< contract has one
  bool unchanged = false;     ///< the client has the version that `etag` names, so the body was not made
  bool secret = false;        ///< Cache-Control: no-store
  std::vector<std::pair<std::string_view, std::string>> fields{};  ///< names are static text
  std::shared_ptr<std::string const> document{};                   ///< a body shared with other responses, instead of
                                                                   ///< `body`
  std::shared_ptr<std::string const> document_gzip{};  ///< the gzip encoding of `document`; set without `document` if
                                                       ///< the client prefers gzip
  std::shared_ptr<void const> held{};                  ///< a share of the account of responses, held until the
                                                       ///< response was sent
  std::shared_ptr<http::body_stream> stream{};         ///< or a body that is produced over time
  std::string_view content_type = "application/json";
};

/// The type of a handler: a free function, named like its operationId, in the file of its resource.
using handler = task<result<reply>> (*)(call&);

/// Returns a reply with the object whose members `write` adds. The reply has the object's ETag. It also has the
/// object's text, unless the object is large and the request's If-None-Match names that ETag. `write` runs once for
/// the ETag and once for the text.
reply shown_reply(call const& c, std::int64_t version, std::function<void(http::json_text&)> const& write);

/// Returns a reply with the resource that `json` writes.
template <class T>
reply shown_reply(call const& c, T const& resource, void (*json)(http::json_text&, T const&)) {
  return shown_reply(c, resource.version, [&](http::json_text& out) { json(out, resource); });
}

/// Returns the envelope of contract section 2.4 (`data`, `pagination`) around the rows that `write` adds, and adds
/// the `Link` header from the call's query. Returns validation_failed when the page lies beyond the numbered rows.
result<reply> page_reply(call const& c, page_facts const& facts, std::function<void(http::json_text&)> const& write);

/// Returns the same envelope with the found rows; `json` adds the members of one row.
template <class T>
result<reply> page_reply(call const& c, page<T> const& found, void (*json)(http::json_text&, T const&)) {
  return page_reply(c, found, [&](http::json_text& out) {
    for (T const& row : found.rows) {
      out.open_element();
      json(out, row);
      out.close();
    }
  });
}

}  // namespace svc::api
