#pragma once

#include "svc/core/bytes.hpp"

namespace svc {

/// RFC 4648 section 4, with padding.
std::string to_base64(byte_view bytes);
/// Refuses wrong padding, foreign characters and set bits after the last whole byte.
std::optional<byte_vector> from_base64(std::string_view text);

}  // namespace svc
