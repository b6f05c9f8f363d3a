#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::http {

/// What stands at the front of a connection through a proxy (HAProxy's PROXY protocol, versions 1 and 2).
struct proxy_header {
  /// `need_more`: all bytes so far belong to the header and its end is not among them.
  enum class verdict : std::uint8_t { need_more, complete, refused };

  /// A longer one is refused. Version 1 has 107 bytes at most; version 2 may carry TLVs, which nobody needs here.
  static constexpr std::size_t largest = 2048;

  verdict what = verdict::refused;
  std::size_t size = 0;  ///< complete: bytes of the header; what follows belongs to the connection
  /// complete: the client's address. Nothing: the proxy speaks for itself (LOCAL) or cannot tell (UNKNOWN, UNSPEC, a
  /// Unix socket), and the connection's own peer counts.
  std::optional<std::string> source{};
};

/// Total: any bytes give a verdict. Strict where a sender has no choice; TLVs are skipped unread.
proxy_header parse_proxy_header(std::string_view bytes);

}  // namespace svc::http
