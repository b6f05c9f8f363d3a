#pragma once

#include "net/unique_fd.hpp"

#include <string>

struct sockaddr_storage;

namespace svc::net {

/// A bound, listening, non-blocking socket.
struct listen_socket {
  unique_fd descriptor;
  int family;
  std::string address;    ///< with the real port
  std::string unix_path;  ///< path to remove at the end; empty for TCP and inherited sockets
};

/// Opens a socket at an address in the syntax of `listener`. `unix_mode` is the path's mode, regardless of
/// the umask. Throws `std::runtime_error`.
listen_socket open_listen_socket(std::string const& address, unsigned unix_mode = 0660);

/// Takes over a socket that listens already. `address` is the configured one. Both must be Unix sockets, or
/// neither, because the kind decides which peers are trusted. Throws `std::runtime_error`.
listen_socket adopt_listen_socket(unique_fd inherited, std::string const& address);

/// Returns the textual address of a peer without its port; an IPv4 client of a dual-stack socket is shown as
/// IPv4, a client of a Unix socket as "unix".
std::string peer_address(sockaddr_storage const& peer);

}  // namespace svc::net
