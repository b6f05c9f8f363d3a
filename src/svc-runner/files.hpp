#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace svc::runner {

/// The whole of a small file, also of /proc; nothing when it cannot be read.
std::optional<std::string> read_text(std::string const& path);
/// One `write`, as control files want it; false when it fails.
bool write_text(std::string const& path, std::string_view text);

}  // namespace svc::runner
