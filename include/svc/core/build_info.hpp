#pragma once

#include <string>
#include <string_view>

namespace svc {

/// Which build this is, of all its programs. Immutable; the views are of static text.
struct build_info {
  std::string_view version;
  std::string_view commit;  ///< `unknown` outside a clone
  std::string_view compiler;
  std::string_view build_type;
};

build_info const& this_build();

/// What `--version` prints: the program's name, its version, and in brackets commit, compiler and build type.
std::string version_text(std::string_view program);

}  // namespace svc
