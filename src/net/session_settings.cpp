#include "svc/net/session_settings.hpp"

#include <algorithm>

namespace svc::net {

session_settings::duration session_settings::shortest() const {
  return std::min({head, idle, body_window, write});
}

}  // namespace svc::net
