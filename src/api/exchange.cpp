#include "svc/api/exchange.hpp"

#include "api/conditional_request.hpp"
#include "svc/api/call.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/limit.hpp"
#include "svc/domain/token.hpp"
#include "svc/http/headers.hpp"
#include "svc/http/json.hpp"

#include <algorithm>
#include <utility>

namespace svc::api {
namespace {

void set_limit_fields(limit_decision const& d, http::response& out) {
  out.set("X-RateLimit-Limit", std::to_string(d.window.limit));
  out.set("X-RateLimit-Remaining", std::to_string(d.remaining));
  out.set("X-RateLimit-Reset", std::to_string(reset_seconds(d)));
  out.set("RateLimit-Policy", policy_value(d));
  out.set("RateLimit", state_value(d));
  if (out.status == 429) out.set("Retry-After", std::to_string(seconds_until(d.retry_micros, d.now_micros, 1)));
}

std::string* field_of(http::response& r, std::string_view name) {
  auto const found = std::find_if(r.fields.begin(), r.fields.end(), [&](auto const& f) { return f.first == name; });
  return found == r.fields.end() ? nullptr : &found->second;
}

/// True if the answer's form depends on Accept-Encoding. An answer with no-store may hold a secret next to text that
/// someone else chose, and the length of the two compressed together reveals the secret (BREACH). A shared document
/// without an encoded form is sent as it is.
bool encodable(exchange const& x, http::response& out) {
  if (out.shared_body && !out.shared_gzip) return false;
  if (out.status != 200 || !reads(x.head)) return false;
  if (!x.unchanged && !out.shared_gzip && out.content().size() < least_encoded) return false;
  auto const* const caching = field_of(out, "Cache-Control");
  if (caching == nullptr || caching->find("no-store") != caching->npos) return false;
  return out.content_type.starts_with("application/") || out.content_type.starts_with("text/");
}

/// RFC 9110 15.4.5: a 304 keeps the fields that a 200 would have had, without the content.
void drop_content(http::response& out) {
  out.status = 304;
  out.body.clear();
  out.shared_body.reset();
  out.shared_gzip.reset();
  out.content_type = {};
}

/// True when `body` must be encoded before it is sent.
bool choose_form(exchange const& x, http::response& out) {
  bool const depends = encodable(x, out);
  bool const encoded = depends && http::prefers_gzip(x.head);
  bool const unchanged = not_modified(x.head, out);
  if (depends) out.set("Vary", "Accept-Encoding");
  if (encoded) {
    if (auto* const etag = field_of(out, "ETag")) *etag = encoded_tag(*etag);
    if (!unchanged) out.set("Content-Encoding", "gzip");
  }
  if (unchanged) drop_content(out);
  if (!encoded || unchanged) return false;
  if (out.shared_gzip) out.shared_body = std::exchange(out.shared_gzip, {});
  return !out.shared_body;
}

}  // namespace

bool is_known_method(std::string_view method) {
  return std::find(known_methods.begin(), known_methods.end(), method) != known_methods.end();
}

std::string request_id_of(http::request const& head) {
  auto const given = head.find("X-Request-Id");
  // If there are two, the log of a proxy in between may name the request by the other one.
  if (given && head.count("X-Request-Id") == 1 && http::valid_request_id(*given) && without_tokens(*given) == *given)
    return std::string(*given);
  return uuid::generate_v7().to_string();
}

bool finish_response(exchange const& x, http::response& out) {
  out.fields.reserve(out.fields.size() + 14);  // room for all that follows, in one allocation
  out.set("X-Request-Id", x.request_id);
  if (x.passed.limit) set_limit_fields(*x.passed.limit, out);
  http::set_security_fields(out);
  if (field_of(out, "Cache-Control") == nullptr) out.set("Cache-Control", "no-store");
  if (auto const* const op = x.route.found; op != nullptr && !op->deprecation.empty()) {
    out.set("Deprecation", op->deprecation);
    if (!op->sunset.empty()) out.set("Sunset", op->sunset);
  }
  out.head_only = x.head.method == "HEAD";
  bool const encode = choose_form(x, out);
  // No answer stays in the browser for the next user of the machine. This step is last, because text with `no-store`
  // is not encoded; the origin rule keeps other sites from causing answers whose lengths they could compare (BREACH).
  if (x.passed.record && x.passed.record->caller.session) *field_of(out, "Cache-Control") = "no-store";
  return encode;
}

http::response response_of(exchange& x, reply made) {
  http::response out;
  out.status = made.status;
  out.fields = std::move(made.fields);
  if (made.stream) {
    out.stream = std::move(made.stream);
    out.content_type = made.content_type;
  } else if (made.document || made.document_gzip) {
    out.shared_body = std::move(made.document);
    out.shared_gzip = std::move(made.document_gzip);
    out.content_type = made.content_type;
  } else if (made.unchanged || !made.text.empty() || !made.body.is_null()) {
    out.body = made.body.is_null() ? std::move(made.text) : http::to_json(made.body);
    out.content_type = made.content_type;
  }
  x.unchanged = made.unchanged;
  out.held = std::move(made.held);
  bool const conditional = x.route.found != nullptr && x.route.found->conditional && !out.body.empty();
  if (made.etag.empty() && conditional) made.etag = entity_tag_of(0, out.body);
  if (!made.etag.empty()) {
    out.set("ETag", std::move(made.etag));
    if (!made.secret) out.set("Cache-Control", "private, no-cache");
  }
  return out;
}

}  // namespace svc::api
