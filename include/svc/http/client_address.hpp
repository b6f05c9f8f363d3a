#pragma once

#include "svc/http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace svc::http {

/// Which peers to believe about where a request comes from. Each worker has its copy, which changes only between two
/// turns.
struct forwarding {
  std::string header{};                                    ///< the one field that is read; empty: none
  std::function<bool(std::string_view address)> trusts{};  ///< any thread; empty: no peer is trusted

  bool trusted(std::string_view address) const { return trusts && trusts(address); }
};

/// The address that limits, `allowedCidrs`, logs and audit see: the peer, unless it is trusted; then the right-most
/// hop of the header that is not. Each hop was written by the one to its right, so a hop that is not an address ends
/// the search at its writer; when all are trusted it is the left-most. A hop may carry a port (`1.2.3.4:5`,
/// `[::1]:5`).
std::string client_address(request const& head, std::string_view peer, forwarding const& rules);

/// The header at the front of a connection through a proxy (HAProxy's PROXY protocol, versions 1 and 2).
struct proxy_header {
  /// `need_more`: all bytes so far belong to the header and its end is not among them.
  enum class verdict : std::uint8_t { need_more, complete, refused };

  /// A longer one is refused. Version 1 has 107 bytes at most; version 2 may carry TLVs, which are not needed here.
  static constexpr std::size_t largest = 2048;

  verdict content = verdict::refused;
  std::size_t size = 0;  ///< complete: bytes of the header; what follows belongs to the connection
  /// complete: the client's address. Nothing: the proxy speaks for itself (LOCAL) or cannot tell (UNKNOWN, UNSPEC, a
  /// Unix socket), and the connection's own peer counts.
  std::optional<std::string> source{};
};

/// Total: any bytes give a verdict. Strict where a sender has no choice; TLVs are skipped unread.
proxy_header parse_proxy_header(std::string_view bytes);

}  // namespace svc::http
