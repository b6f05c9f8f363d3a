#pragma once

#include "svc/core/errc.hpp"

#include <string_view>

namespace svc::store {

/// SQLSTATE of `assert_writer` (schema V007); its message is the code.
inline constexpr std::string_view writer_refused = "SV401";

/// The errc of a code that `writer_refusal` gives; invalid_token for any other.
errc refusal_named(std::string_view code);

}  // namespace svc::store
