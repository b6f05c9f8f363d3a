#include "tls_client.hpp"

#include <openssl/x509v3.h>

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace svc::bench {
namespace {

int connect_to(address const& where) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(where.host.c_str(), where.port.c_str(), &hints, &found) != 0) {
    throw std::runtime_error("not a numeric address: " + where.host);
  }
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> const holder(found, &::freeaddrinfo);
  int const fd = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) throw std::runtime_error("no socket (ulimit -n?)");
  int const context = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &context, sizeof context);
  if (::connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
    ::close(fd);
    throw std::runtime_error("cannot connect to " + where.host + ":" + where.port);
  }
  return fd;
}

}  // namespace

client_context make_client_context(std::string const& ca_file) {
  client_context context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_3_VERSION);
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS);
  if (SSL_CTX_load_verify_locations(context.get(), ca_file.c_str(), nullptr) != 1) {
    throw std::runtime_error("cannot read certificates from " + ca_file);
  }
  return context;
}

connection::connection(SSL_CTX* context, address const& where) : fd_(connect_to(where)), ssl_(SSL_new(context)) {
  X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), where.host.c_str());
  SSL_set_fd(ssl_.get(), fd_);
  if (SSL_connect(ssl_.get()) != 1) throw std::runtime_error("TLS handshake failed (certificate?)");
  ::fcntl(fd_, F_SETFL, O_NONBLOCK);
}

connection::~connection() {
  ssl_.reset();
  ::close(fd_);
}

void connection::send(std::string_view request) {
  if (SSL_write(ssl_.get(), request.data(), static_cast<int>(request.size())) <= 0) {
    throw std::runtime_error("the server closed a connection");
  }
}

std::optional<int> connection::receive() {
  auto const piece = receive_piece();
  if (piece.empty()) return std::nullopt;
  answer_ += piece;
  return complete();
}

std::string connection::receive_piece() {
  std::array<char, 16384> buffer;
  int const n = SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()));
  if (n > 0) return {buffer.data(), static_cast<std::size_t>(n)};
  if (SSL_get_error(ssl_.get(), n) == SSL_ERROR_WANT_READ) return {};
  throw std::runtime_error("the server closed a connection");
}

std::optional<int> connection::complete() {
  if (answer_size_ == 0) {
    auto const head_end = answer_.find("\r\n\r\n");
    if (head_end == std::string::npos) return std::nullopt;
    // nginx and the service spell it one way, Node the other; without the field there is no body (204).
    constexpr std::string_view name = "\r\nContent-Length: ", lower_case = "\r\ncontent-length: ";
    auto const length = std::min(answer_.find(name), answer_.find(lower_case));
    auto const body = length < head_end ? std::stoul(answer_.substr(length + name.size(), 20)) : 0;
    answer_size_ = head_end + 4 + body;
  }
  if (answer_.size() < answer_size_) return std::nullopt;
  if (answer_.size() > answer_size_ || !answer_.starts_with("HTTP/1.1 ")) {
    throw std::runtime_error("unexpected bytes from the server");
  }
  int const status = std::stoi(answer_.substr(9, 3));
  answer_.clear();
  answer_size_ = 0;
  return status;
}

workload::workload(arguments const& arguments, std::string const& method)
    : where(parse_url(arguments.needed("url"))),
      context(make_client_context(arguments.needed("ca"))),
      requests(arguments, where, method) {}

}  // namespace svc::bench
