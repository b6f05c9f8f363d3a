#pragma once

#include "cli/http/message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// The arguments of the command line of `svc api`.
struct api_arguments {
  std::string method{}, target{};
  std::vector<std::string> fields{};             ///< `Name: value`
  std::vector<std::string> members{};            ///< `name=value`: strings of a JSON object
  std::optional<std::string> body{};             ///< the text itself
  std::optional<std::string> idempotency_key{};  ///< `auto`: the client generates one
};

/// Returns the request. Throws `bad_usage` in these cases:
/// - the target is no path below the address, or could be read as another one;
/// - a field is one that the client itself decides (the credential, framing), or contains a line end;
/// - the Idempotency-Key is empty;
/// - the body is given twice, or the method allows none.
request api_request(api_arguments const& given);

}  // namespace svc::cli
