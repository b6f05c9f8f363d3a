#pragma once

#include "svc/http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace svc::http {

/// The peers that may name the address of a request's client. Each worker has its copy, which changes only
/// between two turns.
struct forwarding {
  std::string header{};                                    ///< the one field that is read; empty: none
  std::function<bool(std::string_view address)> trusts{};  ///< any thread; empty: no peer is trusted

  bool trusted(std::string_view address) const { return trusts && trusts(address); }
};

/// Returns the address that limits, `allowedCidrs`, logs and audit rows use: the peer, or if the peer is
/// trusted, the right-most untrusted hop of the header. Each hop was written by the hop to its right, so a
/// hop that is not an address ends the search at its writer. If all hops are trusted, the left-most one
/// counts. A hop may carry a port (`1.2.3.4:5`, `[::1]:5`).
std::string client_address(request const& head, std::string_view peer, forwarding const& rules);

/// The header at the front of a connection through a proxy (HAProxy's PROXY protocol, versions 1 and 2).
struct proxy_header {
  /// `need_more`: all bytes so far belong to the header and its end is not among them.
  enum class verdict : std::uint8_t { need_more, complete, refused };

  /// A longer header is refused. Version 1 has 107 bytes at most; version 2 may carry TLVs, which are not
  /// needed here.
  static constexpr std::size_t largest = 2048;

  verdict content = verdict::refused;
  std::size_t size = 0;  ///< complete: bytes of the header; later bytes belong to the connection
  /// complete: the client's address. Empty: the proxy speaks for itself (LOCAL) or does not know (UNKNOWN,
  /// UNSPEC, a Unix socket), and the connection's own peer counts.
  std::optional<std::string> source{};
};

/// Parses the start of a connection. Strict wherever the protocol leaves a sender no choice; skips TLVs unread.
/// Total.
proxy_header parse_proxy_header(std::string_view bytes);

}  // namespace svc::http
