#include "svc-runner/version.hpp"

#include "build_commit.hpp"

namespace svc::runner {

std::string_view version() {
  return SVC_VERSION;
}

std::string version_text() {
  return "svc-runner " SVC_VERSION " (commit " SVC_COMMIT ", clang " __clang_version__ ", " SVC_BUILD_TYPE ")";
}

}  // namespace svc::runner
