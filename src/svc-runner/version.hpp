#pragma once

#include <string>
#include <string_view>

namespace svc::runner {

std::string_view version();
/// For `--version`, with commit and build type.
std::string version_text();

}  // namespace svc::runner
