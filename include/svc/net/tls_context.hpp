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

/// A key that seals session tickets, which carry its name. The destructor wipes the key.
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

/// Parses at most 16 lines of 160 hexadecimal characters (`openssl rand -hex 80`) with different names.
/// Returns `std::nullopt` for other text.
std::optional<ticket_keys> parse_ticket_keys(std::string_view text);

/// Reads such a file. Throws `std::runtime_error` with its name if it is unusable, or if anyone but its owner
/// (this user or root) may read it. If root owns the file, its group may read it too.
shared_ticket_keys load_ticket_keys(std::string const& path);

/// Returns one new key. No other process has it, so its tickets are valid only while this process uses it.
shared_ticket_keys random_ticket_keys();

/// Makes a context seal and open its session tickets with these keys (RFC 5077 section 4: AES-256-CBC, then
/// HMAC-SHA256). The context keeps the keys while a connection uses the context.
void use_ticket_keys(SSL_CTX* context, shared_ticket_keys keys);

/// Immutable after loading, shared by all workers. A reload makes a new one; running sessions keep theirs.
using tls_context = std::shared_ptr<SSL_CTX>;

/// The file of a certificate or a key is unusable. `what()` begins with the file's path and says what to
/// change.
class tls_file_error : public std::runtime_error {
 public:
  tls_file_error(std::string const& message, bool key) : std::runtime_error(message), key_(key) {}
  /// True if the private key's file is at fault, false if the certificate's file is.
  bool is_key() const { return key_; }

 private:
  bool key_;
};

/// Loads PEM files: the certificate before its chain, and the unencrypted key. Throws `tls_file_error` if one
/// is unusable.
tls_context load_tls_context(std::string const& certificate_file, std::string const& key_file,
                             shared_ticket_keys tickets = random_ticket_keys());

/// Returns another context with the same certificate.
tls_context with_ticket_keys(tls_context const& tls_context, shared_ticket_keys tickets);

/// Returns `notAfter` of the certificate that a loaded context presents.
timestamp certificate_expiry(tls_context const& context);

}  // namespace svc::net
