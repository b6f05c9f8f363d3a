#include "svc/api/request_steps.hpp"

#include "svc/core/log.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/token.hpp"
#include "svc/http/error_table.hpp"
#include "svc/http/headers.hpp"

namespace svc::api {

error hide_tokens(error failure) {
  failure.message = without_tokens(failure.message);
  for (auto& [field, message] : failure.details) {
    field = without_tokens(field);
    message = without_tokens(message);
  }
  return failure;
}

result<http::target> find_route(http::contract const& contract, exchange& x) {
  auto const host = x.head.find("Host").value_or("");
  auto target = http::parse_target(x.head.target, host, x.head.method);
  if (!target) {
    // Only the path decides which credentials are accepted; a query that cannot be read does not matter for that.
    auto const bare = http::parse_target(x.head.target.substr(0, x.head.target.find('?')), host, x.head.method);
    if (bare) {
      x.route = contract.find(x.head.method, bare->segments);
    } else {
      x.route.unreadable = true;
    }
    return target;
  }
  x.route = contract.find(x.head.method, target->segments);
  if (!is_known_method(x.head.method)) {
    x.unroutable = errc::not_implemented;
  } else if (x.route.found == nullptr) {
    x.unroutable = x.route.allowed.empty() ? errc::route_not_found : errc::method_not_allowed;
  }
  return target;
}

http::response failure_response(exchange const& x, error const& failure) {
  auto out = http::error_response(hide_tokens(failure), x.request_id, http::prefers_problem_json(x.head));
  if (failure.code == errc::method_not_allowed) {
    std::string allowed;
    for (auto const& method : x.route.allowed) allowed.append(allowed.empty() ? "" : ", ").append(method);
    out.set("Allow", allowed);
  }
  // This field tells the client that the 415 is not about the media type (RFC 9110 15.5.16).
  if (failure.code == errc::unsupported_content_coding) out.set("Accept-Encoding", "identity");
  return out;
}

http::response thrown_response(exchange const& x) {
  try {
    throw;
  } catch (unavailable const& gone) {
    log::warn("a store is unreachable", {{"requestId", x.request_id}, {"reason", gone.what()}});
    return failure_response(x, errc::unavailable);
  } catch (write_refused const& late) {
    return failure_response(x, late.code());
  } catch (std::exception const& bug) {
    log::error("a request failed unexpectedly", {{"requestId", x.request_id}, {"reason", bug.what()}});
    return failure_response(x, errc::internal_error);
  }
}

http::response refused_head(error const& failure, std::string_view client_address, request_log& log) {
  auto const request_id = uuid::generate_v7().to_string();
  auto out = http::error_response(hide_tokens(failure), request_id, false);
  out.set("X-Request-Id", request_id);
  out.set("Cache-Control", "no-store");
  http::set_security_fields(out);
  out.close = true;
  log.record_refused(request_id, out.status, client_address);
  return out;
}

}  // namespace svc::api
