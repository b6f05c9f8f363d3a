#pragma once

#include <string>
#include <string_view>

namespace svc::cli {

/// Text from elsewhere for a terminal: control characters (C0, DEL, C1) and what is not UTF-8 become visible
/// (`\x1b`), so that nothing moves the cursor, renames the window or answers for the user. `keep_colours`: SGR
/// sequences (ECMA-48, 8.3.117: `ESC [ digits ; ... m`) pass. Tab passes; a line end does if `keep_lines`.
std::string harmless(std::string_view text, bool keep_colours = false, bool keep_lines = false);

/// Columns that harmless text takes on a terminal: East Asian wide characters two, combining ones none, SGR none.
std::size_t columns_of(std::string_view text);
/// The longest beginning that fits, with an ellipsis if something is left out.
std::string shortened(std::string_view text, std::size_t columns);

}  // namespace svc::cli
