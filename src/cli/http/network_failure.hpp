#pragma once

#include "cli/console/failure.hpp"
#include "cli/http/transport.hpp"

namespace svc::cli {

/// Whether another try can end otherwise. A proxy that refused for a trouble of its own may change its
/// mind (5xx), one that may not connect will not.
bool is_transient(attempt const& a);

/// The failure that a try without a whole answer is: what happened and what to do about it, without any part of a
/// credential. `tries`: how often it was tried; `uncertain`: whether the request may have taken effect and cannot be
/// repeated safely.
failure failure_of(attempt const& last, settings const& settings, int tries, bool uncertain);

/// A 3xx answer: never followed, because the credential would go to another host.
failure redirected(answer const& a, base_url const& url);

}  // namespace svc::cli
