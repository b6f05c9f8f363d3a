#pragma once

#include <string_view>

namespace svc::app {

/// Which program this is. Immutable; the views are of static text.
struct build_info {
  std::string_view version;
  std::string_view commit;  ///< `unknown` outside a clone
  std::string_view compiler;
  std::string_view build_type;
};

build_info const& this_build();

}  // namespace svc::app
