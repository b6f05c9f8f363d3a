#pragma once

#include "cli/http/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// What the command line of `svc api` gives.
struct api_arguments {
  std::string method{}, target{};
  std::vector<std::string> fields{};   ///< `Name: value`
  std::vector<std::string> members{};  ///< `name=value`: strings of a JSON object
  std::optional<std::string> body{};   ///< the text itself
  std::string idempotency_key{};       ///< `auto`: one of our own
};

/// The request. Throws `bad_usage` for a target that is no path below the address or could be read as another one,
/// for fields that the client itself decides (the credential, framing), for line ends in a field, and for a body
/// given twice or where none can be.
request api_request(api_arguments const& given);

}  // namespace svc::cli
