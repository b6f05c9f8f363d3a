#include "net/listen_socket.hpp"

#include "svc/core/fault_words.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/core/numbers.hpp"
#include "svc/net/listener.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace svc::net {
namespace {

constexpr int backlog = 4096;
constexpr std::string_view unix_prefix = "unix:";

struct endpoint {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

template <class T>
T& as(sockaddr_storage& storage) {
  return reinterpret_cast<T&>(storage);
}

[[noreturn]] void fail(std::string const& address, std::string const& reason) {
  throw std::runtime_error("cannot listen on " + address + ": " + reason);
}

constexpr fault_advice known_faults[] = {
    {"Address already in use",
     "another process listens there (`ss -ltnp` shows it): stop it, or change the address in [[listeners]], "
     "admin.address, --listen or --admin"},
    {"Cannot assign requested address",
     "this machine has no such address: correct it in [[listeners]], admin.address, --listen or --admin"},
    {"Permission denied",
     "ports below 1024 need the capability CAP_NET_BIND_SERVICE, and a socket's directory must be writable"},
    {"No such file or directory", "make the directory of the socket"},
};

[[noreturn]] void fail_errno(std::string const& address) {
  fail(address, with_advice(std::generic_category().message(errno), known_faults));
}

std::optional<endpoint> parse_tcp(std::string_view text) {
  auto const colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  auto const port_text = text.substr(colon + 1);
  auto const port = parse_number<std::uint16_t>(port_text);
  if (!port) return std::nullopt;

  auto host = text.substr(0, colon);
  auto const bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  std::string const literal(host);
  endpoint result;
  if (bracketed) {
    auto& in6 = as<sockaddr_in6>(result.storage);
    in6.sin6_family = AF_INET6;
    in6.sin6_port = htons(*port);
    result.size = sizeof in6;
    if (inet_pton(AF_INET6, literal.c_str(), &in6.sin6_addr) != 1) return std::nullopt;
  } else {
    auto& address = as<sockaddr_in>(result.storage);
    address.sin_family = AF_INET;
    address.sin_port = htons(*port);
    result.size = sizeof address;
    if (inet_pton(AF_INET, literal.c_str(), &address.sin_addr) != 1) return std::nullopt;
  }
  return result;
}

std::optional<endpoint> parse_unix(std::string_view path) {
  endpoint result;
  auto& un = as<sockaddr_un>(result.storage);
  if (path.empty() || path.size() >= sizeof un.sun_path) return std::nullopt;
  un.sun_family = AF_UNIX;
  std::memcpy(un.sun_path, path.data(), path.size());
  result.size = sizeof un;
  return result;
}

/// Removes only a socket on which nobody listens: no other file, and not a running instance's socket.
void remove_stale_socket(std::string const& path, endpoint const& endpoint) {
  struct stat found{};
  if (::lstat(path.c_str(), &found) != 0 || !S_ISSOCK(found.st_mode)) return;
  unique_fd const probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  auto const* address = reinterpret_cast<sockaddr const*>(&endpoint.storage);
  if (::connect(probe.get(), address, endpoint.size) != 0 && errno == ECONNREFUSED) ::unlink(path.c_str());
}

unique_fd bound_socket(std::string const& address, endpoint const& endpoint) {
  unique_fd fd(::socket(endpoint.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) fail_errno(address);
  int const flag = 1;
  if (endpoint.storage.ss_family != AF_UNIX) ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &flag, sizeof flag);
  if (::bind(fd.get(), reinterpret_cast<sockaddr const*>(&endpoint.storage), endpoint.size) != 0) fail_errno(address);
  return fd;
}

void start_listening(std::string const& address, int fd) {
  if (::listen(fd, backlog) != 0) fail_errno(address);
}

std::string with_real_port(std::string const& address, int fd) {
  endpoint bound;
  bound.size = sizeof bound.storage;
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&bound.storage), &bound.size) != 0) fail_errno(address);
  auto const port = bound.storage.ss_family == AF_INET6 ? as<sockaddr_in6>(bound.storage).sin6_port
                                                        : as<sockaddr_in>(bound.storage).sin_port;
  return address.substr(0, address.rfind(':') + 1) + std::to_string(ntohs(port));
}

/// A flag of the socket; 0 also for what is no socket.
int socket_option(int fd, int option) {
  int value = 0;
  socklen_t size = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : 0;
}

/// Where a socket is bound, in the syntax of `listener`.
std::string bound_address(endpoint const& endpoint) {
  if (endpoint.storage.ss_family == AF_UNIX) {
    auto const& un = reinterpret_cast<sockaddr_un const&>(endpoint.storage);
    return std::string(unix_prefix) + un.sun_path;
  }
  auto const text = peer_address(endpoint.storage);
  if (endpoint.storage.ss_family == AF_INET)
    return text + ":" + std::to_string(ntohs(reinterpret_cast<sockaddr_in const&>(endpoint.storage).sin_port));
  return "[" + text + "]:" + std::to_string(ntohs(reinterpret_cast<sockaddr_in6 const&>(endpoint.storage).sin6_port));
}

}  // namespace

listen_socket adopt_listen_socket(unique_fd inherited, std::string const& address) {
  int const fd = inherited.get();
  endpoint endpoint;
  endpoint.size = sizeof endpoint.storage;
  if (socket_option(fd, SO_TYPE) != SOCK_STREAM || socket_option(fd, SO_ACCEPTCONN) == 0)
    fail(address, "the inherited descriptor is no stream socket that listens");
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&endpoint.storage), &endpoint.size) != 0) fail_errno(address);
  int const family = endpoint.storage.ss_family;
  if ((family == AF_UNIX) != address.starts_with(unix_prefix) ||
      (family != AF_UNIX && family != AF_INET && family != AF_INET6))
    fail(address, "the inherited socket is of another family");
  // The first may be shared with other processes; each has its own of the second.
  if (::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK) != 0 || ::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0)
    fail_errno(address);
  return {std::move(inherited), family, bound_address(endpoint), {}};
}

listen_socket open_listen_socket(std::string const& address, unsigned unix_mode) {
  if (address.starts_with(unix_prefix)) {
    auto const path = address.substr(unix_prefix.size());
    auto const endpoint = parse_unix(path);
    if (!endpoint) fail(address, "the path is missing or too long");
    remove_stale_socket(path, *endpoint);
    auto fd = bound_socket(address, *endpoint);
    // Nobody can connect before listen(2), so the mode that bind(2) gave the path never counts.
    if (::chmod(path.c_str(), unix_mode) != 0) fail_errno(address);
    start_listening(address, fd.get());
    return {std::move(fd), AF_UNIX, address, path};
  }
  auto const endpoint = parse_tcp(address);
  if (!endpoint) fail(address, "not IPv4:port, [IPv6]:port or unix:/path");
  auto fd = bound_socket(address, *endpoint);
  start_listening(address, fd.get());
  auto real = with_real_port(address, fd.get());
  return {std::move(fd), endpoint->storage.ss_family, std::move(real), {}};
}

std::string peer_address(sockaddr_storage const& peer) {
  if (peer.ss_family == AF_INET) {
    auto const& address = reinterpret_cast<sockaddr_in const&>(peer).sin_addr;
    return ip_text({reinterpret_cast<std::uint8_t const*>(&address), sizeof address});
  }
  if (peer.ss_family == AF_INET6) return ip_text(reinterpret_cast<sockaddr_in6 const&>(peer).sin6_addr.s6_addr);
  return unix_peer;
}

}  // namespace svc::net
