#pragma once

#include "svc/core/deadline.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace svc::outgoing {

/// What is known of the servers when a name gets no answer. Pure; worker-local.
class server_health {
 public:
  /// A lookup of that name has ended, with an answer of a server (also that there is no such name) or without.
  void note(std::string_view name, bool answered, steady::time_point now);

  enum class opinion : std::uint8_t {
    good,     ///< they answered another name in the last 30 s
    ill,      ///< others were asked for, in vain
    unknown,  ///< nobody else asked
  };
  opinion of_others(std::string_view name, steady::time_point now) const;

 private:
  struct noted {
    std::string name{};
    steady::time_point at{};
  };
  /// The latest two names: one of them is another than any name.
  using latest = std::array<std::optional<noted>, 2>;
  static void put(latest& into, std::string_view name, steady::time_point now);
  static bool has_other(latest const& in, std::string_view name, steady::time_point now);

  latest answered_, failed_;
};

}  // namespace svc::outgoing
