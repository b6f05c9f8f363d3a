#include "svc/core/build_info.hpp"

#include "build_commit.hpp"

namespace svc {

build_info const& this_build() {
  static constexpr build_info info{SVC_VERSION, SVC_COMMIT, "clang " __clang_version__, SVC_BUILD_TYPE};
  return info;
}

std::string version_text(std::string_view program, std::string_view facts) {
  auto const& b = this_build();
  return std::string(program)
      .append(" ")
      .append(b.version)
      .append(" (commit ")
      .append(b.commit)
      .append(", ")
      .append(b.compiler)
      .append(", ")
      .append(b.build_type)
      .append(facts.empty() ? "" : ", ")
      .append(facts)
      .append(")");
}

}  // namespace svc
