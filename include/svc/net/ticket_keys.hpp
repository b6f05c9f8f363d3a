#pragma once

#include "svc/net/tls_context.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using SSL_CTX = struct ssl_ctx_st;  // of OpenSSL, whose headers its users need not read

namespace svc::net {

/// What seals a session ticket: by its name an instance knows its own. Wiped when it dies.
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

/// The first seals new tickets, all open. Never empty; immutable once shared.
using ticket_keys = std::vector<ticket_key>;
using shared_ticket_keys = std::shared_ptr<ticket_keys const>;

/// Lines of 160 hexadecimal characters (`openssl rand -hex 80`), at most 16, each name once; nothing otherwise.
std::optional<ticket_keys> parse_ticket_keys(std::string_view text);

/// Reads such a file. Throws `std::runtime_error` with its name when it cannot be used, also when others than its
/// owner (this user or root) may read it; the group may, if root owns it.
shared_ticket_keys load_ticket_keys(std::string const& path);

/// One key that nobody else has: tickets are good for as long as this process shares it.
shared_ticket_keys random_ticket_keys();

/// Makes a context seal and open its session tickets with these keys (RFC 5077 section 4: AES-256-CBC, then
/// HMAC-SHA256). The context keeps them for as long as a connection uses it.
void use_ticket_keys(SSL_CTX* context, shared_ticket_keys keys);

}  // namespace svc::net
