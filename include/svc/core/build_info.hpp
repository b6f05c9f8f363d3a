#pragma once

#include <string>
#include <string_view>

namespace svc {

/// The build of all programs of the service. Immutable; the views refer to static text.
struct build_info {
  std::string_view version;
  std::string_view commit;  ///< `unknown` outside a clone
  std::string_view compiler;
  std::string_view build_type;
};

build_info const& this_build();

/// Returns the text of `--version`: the program's name, its version, and in brackets commit, compiler, build type
/// and, if there are any, further facts of the program.
std::string version_text(std::string_view program, std::string_view facts = {});

}  // namespace svc
