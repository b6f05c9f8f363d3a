#pragma once

#include "svc/core/deadline.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace svc::egress {

/// Whether the servers are well, as the answers to other names show. Pure; worker-local.
class server_health {
 public:
  /// An answer about that name came `at` then, be it that there is no such name.
  void answered(std::string_view name, steady::time_point at);
  /// They answered about another name since then.
  bool answered_others(std::string_view name, steady::time_point since) const;

 private:
  struct noted {
    std::string name{};
    steady::time_point at{};
  };
  /// The latest two names: one of them is another than any name.
  std::array<std::optional<noted>, 2> latest_;
};

}  // namespace svc::egress
