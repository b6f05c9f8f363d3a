#pragma once

#include "svc/http/message.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace svc::http {

/// Whom to believe about where a request comes from. Constant while the service runs; each worker has its copy.
struct forwarding {
  std::string header{};                                    ///< the one field that is read; empty: none
  std::function<bool(std::string_view address)> trusts{};  ///< any thread; empty: nobody is trusted

  bool trusted(std::string_view address) const { return trusts && trusts(address); }
};

/// The address that limits, `allowedCidrs`, logs and audit see: the peer, unless it is trusted; then the right-most
/// hop of the header that is not. Each hop was written by the one to its right, so a hop that is no address ends the
/// way at its writer; when all are trusted it is the left-most. A hop may carry a port (`1.2.3.4:5`, `[::1]:5`).
std::string client_address(request const& head, std::string_view peer, forwarding const& rules);

}  // namespace svc::http
