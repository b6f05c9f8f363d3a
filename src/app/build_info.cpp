#include "app/build_info.hpp"

#include "build_commit.hpp"

namespace svc::app {

build_info const& this_build() {
  static constexpr build_info info{SVC_VERSION, SVC_COMMIT, "clang " __clang_version__, SVC_BUILD_TYPE};
  return info;
}

}  // namespace svc::app
