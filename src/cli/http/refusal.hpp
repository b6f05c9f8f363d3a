#pragma once

#include "cli/console/failure.hpp"
#include "cli/http/message.hpp"

#include <boost/json/array.hpp>

#include <optional>
#include <string>

namespace svc::cli {

/// The contract's one shape of an error (`Error`).
struct service_error {
  std::string sentence, code, request_id;
  boost::json::array details{};
};

/// Nothing if the body is something else: another program answered. Total.
std::optional<service_error> service_error_of(answer const& a);

/// The failure that an answer of 300 and up is: exit code by status, sentence, code, request id and details of the
/// service's error, and what to do about it. An answer that is not the service's says so (unreachable).
/// `credential_source`: where the request's credential came from, such as SERVICE_TOKEN.
failure refusal_of(answer const& a, std::string const& credential_source = "SERVICE_TOKEN");
/// Of an answer of any status that cannot be the service's.
failure not_the_service(answer const& a);
/// Whether a person's browser was meant: what a captive portal or a proxy answers.
bool is_html(answer const& a);

/// A body of the service. Throws `not_the_service` for anything but JSON; an empty body is null.
boost::json::value parsed_body(answer const& a);

}  // namespace svc::cli
