#pragma once

#include "svc/http/message.hpp"

#include <string>
#include <vector>

namespace svc::app {

/// Whether the admin pages may be asked for by the request's `Host`: an IP address, `localhost` or one of `names`,
/// each with any port. A page in an operator's browser can have its own name lead to this listener (DNS rebinding),
/// but the browser then sends that name. Requests without the field come from no browser.
bool admin_host_allowed(http::request const& head, std::vector<std::string> const& names);

}  // namespace svc::app
