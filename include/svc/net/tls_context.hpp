#pragma once

#include "svc/core/time.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using SSL_CTX = struct ssl_ctx_st;  // declared here so that users need no OpenSSL header

namespace svc::net {

/// Seals session tickets; by the name in a ticket an instance finds the key. Wiped by the destructor.
struct ticket_key {
  std::array<unsigned char, 16> name{};
  std::array<unsigned char, 32> aes{};
  std::array<unsigned char, 32> hmac{};

  ticket_key() = default;
  ticket_key(ticket_key const&) = default;
  ticket_key& operator=(ticket_key const&) = default;
  ~ticket_key();
  friend bool operator==(ticket_key const&, ticket_key const&) = default;
};

/// The first key seals new tickets, all keys open tickets. Never empty; immutable once shared.
using ticket_keys = std::vector<ticket_key>;
using shared_ticket_keys = std::shared_ptr<ticket_keys const>;

/// Lines of 160 hexadecimal characters (`openssl rand -hex 80`), at most 16, each name once; nothing otherwise.
std::optional<ticket_keys> parse_ticket_keys(std::string_view text);

/// Reads such a file. Throws `std::runtime_error` with its name when it cannot be used, also when anyone but its
/// owner (this user or root) may read it; if root owns it, the group may read it too.
shared_ticket_keys load_ticket_keys(std::string const& path);

/// One new key that no other process has: its tickets are valid only for as long as this process uses it.
shared_ticket_keys random_ticket_keys();

/// Makes a context seal and open its session tickets with these keys (RFC 5077 section 4: AES-256-CBC, then
/// HMAC-SHA256). The context keeps them for as long as a connection uses it.
void use_ticket_keys(SSL_CTX* context, shared_ticket_keys keys);

/// Immutable after loading, shared by all workers. A reload makes a new one; running sessions keep theirs.
using tls_context = std::shared_ptr<SSL_CTX>;

/// A certificate's file, or a key's, cannot be used. `what()` begins with the file's path and says what to change.
class tls_file_error : public std::runtime_error {
 public:
  tls_file_error(std::string const& message, bool key) : std::runtime_error(message), key_(key) {}
  /// True if the file of the private key is the wrong one, false if that of the certificate is.
  bool is_key() const { return key_; }

 private:
  bool key_;
};

/// PEM files: the certificate first, then its chain; the key unencrypted. Throws `tls_file_error` when one cannot be
/// used.
tls_context load_tls_context(std::string const& certificate_file, std::string const& key_file,
                             shared_ticket_keys tickets = random_ticket_keys());

/// Another context with the same certificate.
tls_context with_ticket_keys(tls_context const& tls_context, shared_ticket_keys tickets);

/// `notAfter` of the certificate that a loaded context presents.
timestamp certificate_expiry(tls_context const& context);

}  // namespace svc::net
