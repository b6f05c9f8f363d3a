#pragma once

#include "svc/net/ticket_keys.hpp"
#include "svc/net/tls_context.hpp"

namespace svc::net {

/// Makes a context seal and open its session tickets with these keys (RFC 5077 section 4: AES-256-CBC, then
/// HMAC-SHA256). The context keeps them for as long as a connection uses it.
void use_ticket_keys(SSL_CTX* context, shared_ticket_keys keys);

}  // namespace svc::net
