#pragma once

#include "cli/commands/body_flags.hpp"
#include "cli/console/failure.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// A member of a body and the option that gave it.
struct named_option {
  std::string_view member;
  std::string_view flag;
  bool is_duration = false;  ///< The member counts seconds, and the option takes `30s`, `1d`.
  bool is_json = false;      ///< The option gives JSON, so members inside of it keep their names.
  bool is_map = false;       ///< The option gives one `NAME=VALUE` of the member.
};

/// The options of credentials, which have no table of fields.
std::span<named_option const> credential_options();
std::vector<named_option> options_of(std::span<body_field const> fields);

/// Seconds in their largest whole unit, as options take them: `10s`, `1m`, `1d`.
std::string spelled_seconds(std::int64_t seconds);

/// Retells a refusal whose details name members of `body`, or parameters of a query that `body` has as its members,
/// in terms of the options that gave them. Details about other members stay in the hint. Any other failure is
/// returned as it is.
failure with_option_names(failure const& refusal, std::string_view body, std::span<named_option const> options);

/// Sends a request and returns the body of its answer. Throws refusals `with_option_names`.
std::string answer_to(context& cx, request const& r, std::span<named_option const> options = credential_options());

}  // namespace svc::cli
