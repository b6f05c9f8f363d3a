#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::runner {

/// Returns the whole content of a small file, also one in /proc; nothing when it cannot be read.
std::optional<std::string> read_text(std::string const& path);
/// Writes the text by one `write`, as control files require; false when that fails.
bool write_text(std::string const& path, std::string_view text);

}  // namespace svc::runner
