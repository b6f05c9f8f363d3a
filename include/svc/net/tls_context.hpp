#pragma once

#include "svc/core/time.hpp"
#include "svc/net/ticket_keys.hpp"

#include <memory>
#include <string>

using SSL_CTX = struct ssl_ctx_st;

namespace svc::net {

/// Immutable after loading, shared by all workers. A reload makes a new one; running sessions keep theirs.
using tls_context = std::shared_ptr<SSL_CTX>;

/// PEM files: the certificate first, then its chain; the key unencrypted. Throws `std::runtime_error`
/// with the file's name and OpenSSL's reason when one cannot be used.
tls_context load_tls_context(std::string const& certificate_file, std::string const& key_file,
                             shared_ticket_keys tickets = random_ticket_keys());

/// Another context with the same certificate.
tls_context with_ticket_keys(tls_context const& of, shared_ticket_keys tickets);

/// `notAfter` of the certificate that a loaded context shows.
timestamp certificate_expiry(tls_context const& of);

}  // namespace svc::net
