#pragma once

#include "svc/http/message.hpp"

#include <memory>

namespace svc::app {

/// What listeners of kind `internal` serve. Their routes are another contract than the public one's; this version
/// has none, so every request is 404. Belongs to one worker.
std::unique_ptr<http::service> make_internal_service();

}  // namespace svc::app
