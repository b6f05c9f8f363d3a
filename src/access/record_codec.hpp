#pragma once

#include "svc/domain/principal.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace svc::access {

/// A record as Redis keeps it: `r:<epoch>:<readAt>:` (the scripts compare these) and a JSON array that begins
/// with the format's version.
std::string encode_record(token_record const& record);

/// Total: nothing for any other text (markers, negative entries, another version's format).
std::optional<token_record> decode_record(std::string_view text);

}  // namespace svc::access
