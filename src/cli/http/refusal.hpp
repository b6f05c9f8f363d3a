#pragma once

#include "cli/console/failure.hpp"
#include "cli/http/message.hpp"

#include <boost/json/array.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// The contract's only form of an error (`Error`).
struct service_error {
  std::string sentence, code, request_id;
  boost::json::array details{};
};

/// Returns `std::nullopt` if the body has another form, because another program answered. Total.
std::optional<service_error> service_error_of(answer const& a);

/// Returns the failure for an answer of 300 and up: exit code by status; sentence, code, request id and details of
/// the service's error; and a hint. For an answer that is not the service's, the failure says so (unreachable).
/// `credential_source` names the source of the request's credential, such as SERVICE_TOKEN. `target` is the request's
/// path and query; with it, the sentence names the object or path that does not exist.
failure refusal_of(answer const& a, std::string const& credential_source = "SERVICE_TOKEN",
                   std::string_view target = {});
/// Returns the failure for an answer of any status that cannot be the service's.
failure not_the_service(answer const& a);
/// Returns true if the answer is a page for a browser, as a captive portal or a proxy sends it.
bool is_html(answer const& a);

/// Parses a body of the service; an empty body is null. Throws `not_the_service` for a body that is not JSON.
boost::json::value parsed_body(answer const& a);

}  // namespace svc::cli
