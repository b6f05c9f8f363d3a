#pragma once

#include <cstddef>
#include <string_view>

namespace svc {

/// The line (from 1) of the first character that TOML 1.0 allows nowhere, or not outside of strings and comments: a
/// control character, or one beyond ASCII. 0 if there is none. toml++ 3.3 must not see them: it asserts on some
/// control characters in keys, and for some letters beyond ASCII its behaviour is undefined.
std::size_t line_of_foreign_character(std::string_view text);

}  // namespace svc
