#include "svc/domain/variable.hpp"

#include <algorithm>
#include <array>

namespace svc {
namespace {

constexpr std::array<std::string_view, 3> reserved_beginnings{"SERVICE_", "SVC_", "LD_"};
constexpr std::array<std::string_view, 5> reserved_names{"PATH", "HOME", "BASH_ENV", "ENV", "NODE_OPTIONS"};

}  // namespace

bool is_reserved_variable(std::string_view key) {
  return std::ranges::any_of(reserved_beginnings, [&](auto beginning) { return key.starts_with(beginning); }) ||
         std::ranges::find(reserved_names, key) != reserved_names.end();
}

}  // namespace svc
