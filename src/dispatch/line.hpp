#pragma once

#include "svc/dispatch/hub.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace svc::dispatch {

/// Where instances tell each other what runners wait for.
inline constexpr std::string_view dispatch_channel = "svc:dispatch";

/// What one instance publishes at a time: its name, then `q <organization> <project> <type> <count>` or `c <run>`, a
/// line each.
std::string write_dispatch(std::string_view from, std::vector<dispatch_news> const& news);

struct dispatch_message {
  std::string from;
  std::vector<dispatch_news> news{};
};
/// Total: a line that cannot be read is passed over, because a newer version may have written it.
dispatch_message read_dispatch(std::string_view text);

}  // namespace svc::dispatch
