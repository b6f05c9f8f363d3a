#pragma once

#include "net/transport.hpp"
#include "svc/http/proxy_header.hpp"

namespace svc::net {

/// Takes a PROXY header off the front of a connection, and no byte behind it: that is TLS's or the first request's.
/// `refused` also when the client goes away or the deadline that the caller has set expires.
task<http::proxy_header> read_proxy_header(transport& from);

}  // namespace svc::net
