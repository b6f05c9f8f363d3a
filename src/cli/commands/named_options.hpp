#pragma once

#include "cli/console/failure.hpp"
#include "cli/http/message.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

class context;
struct body_field;

/// A member of a body and the option that gave it. A value whose views must outlive it.
struct named_option {
  std::string_view member;  ///< with dots for nested members: `config.port`; empty: the whole body
  std::string_view flag;
  bool is_duration = false;               ///< The member counts seconds or minutes, and the option takes `30s`, `1d`.
  bool is_json = false;                   ///< The option gives JSON, so members inside of it keep their names.
  bool is_map = false;                    ///< The option gives one `NAME=VALUE` of the member.
  std::span<std::string const> values{};  ///< the user's texts: one, or one for each element of the member
  std::string_view source{}, json_text{};  ///< the file that gave the JSON, and its text
  std::int64_t unit_seconds = 1;           ///< seconds in one unit of a duration's member: 60 for minutes
};

/// The options of credentials, which have no table of fields.
std::span<named_option const> credential_options();
named_option option_of(body_field const& field);
std::vector<named_option> options_of(std::span<body_field const> fields);

/// Seconds in their largest whole unit, as options take them: `10s`, `1m`, `1d`.
std::string spelled_seconds(std::int64_t seconds);

/// `/to/0/name` as `to[0].name`.
std::string dotted_pointer(std::string_view pointer);

/// Returns the position of the value at a JSON pointer in a valid JSON text, or of its nearest parent that exists;
/// for members of objects the position of their name.
std::size_t position_in_json(std::string_view json_text, std::string_view pointer);

/// Retells a refusal whose details name members of `body`. The new text names the options, or the files and lines,
/// that gave these members. For a request without a body, `body` has the parameters of the query as members. Details
/// about other members stay in the hint. Any other failure is returned as it is.
failure with_option_names(failure const& refusal, std::string_view body, std::span<named_option const> options);

/// Sends a request and returns the body of its answer. Throws refusals `with_option_names`.
std::string answer_to(context& cx, request const& r, std::span<named_option const> options = credential_options());

}  // namespace svc::cli
