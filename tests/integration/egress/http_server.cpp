#include "integration/egress/http_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>

namespace svc::test {
namespace {

void require_http(bool good, char const* subject) {
  if (!good) throw std::runtime_error(std::string("http_server: ") + subject);
}

socklen_t place_of(std::string const& address, int port, sockaddr_storage& out) {
  auto& v4 = reinterpret_cast<sockaddr_in&>(out);
  auto& v6 = reinterpret_cast<sockaddr_in6&>(out);
  if (inet_pton(AF_INET, address.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<std::uint16_t>(port));
    return sizeof v4;
  }
  require_http(inet_pton(AF_INET6, address.c_str(), &v6.sin6_addr) == 1, "no address");
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(static_cast<std::uint16_t>(port));
  return sizeof v6;
}

int listen_at(std::string const& address, int port, int backlog) {
  sockaddr_storage position{};
  auto const size = place_of(address, port, position);
  int const fd = socket(position.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  int const context = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &context, sizeof context);
  require_http(bind(fd, reinterpret_cast<sockaddr*>(&position), size) == 0 && listen(fd, backlog) == 0, "bind");
  return fd;
}

int port_of(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

SSL_CTX* context_of(throwaway_ca const& authority) {
  auto* const out = SSL_CTX_new(TLS_server_method());
  BIO* const certificate =
      BIO_new_mem_buf(authority.certificate.data(), static_cast<int>(authority.certificate.size()));
  BIO* const key = BIO_new_mem_buf(authority.key.data(), static_cast<int>(authority.key.size()));
  X509* const x509 = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
  EVP_PKEY* const pkey = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
  require_http(SSL_CTX_use_certificate(out, x509) == 1 && SSL_CTX_use_PrivateKey(out, pkey) == 1, "certificate");
  // Asks for one, and takes what comes: the script sees whether there was any.
  SSL_CTX_set_verify(out, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
  X509_free(x509), EVP_PKEY_free(pkey), BIO_free(certificate), BIO_free(key);
  return out;
}

/// An OCSP answer for the certificate, signed by its own key.
std::string staple_for(SSL_CTX* context, bool revoked) {
  auto* const certificate = SSL_CTX_get0_certificate(context);
  auto* const basic = OCSP_BASICRESP_new();
  auto* const id = OCSP_cert_to_id(nullptr, certificate, certificate);
  auto* const now = X509_gmtime_adj(nullptr, 0);
  OCSP_basic_add1_status(basic, id, revoked ? V_OCSP_CERTSTATUS_REVOKED : V_OCSP_CERTSTATUS_GOOD, 0, now, now,
                         nullptr);
  OCSP_basic_sign(basic, certificate, SSL_CTX_get0_privatekey(context), EVP_sha256(), nullptr, 0);
  auto* const response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic);
  unsigned char* bytes = nullptr;
  int const size = i2d_OCSP_RESPONSE(response, &bytes);
  std::string out(reinterpret_cast<char*>(bytes), static_cast<std::size_t>(size));
  OPENSSL_free(bytes), OCSP_RESPONSE_free(response), ASN1_TIME_free(now), OCSP_CERTID_free(id);
  OCSP_BASICRESP_free(basic);
  return out;
}

/// OpenSSL frees what it is given.
int give_staple(SSL* ssl, void* staple) {
  auto const& bytes = *static_cast<std::string const*>(staple);
  auto* const copy = static_cast<unsigned char*>(OPENSSL_memdup(bytes.data(), bytes.size()));
  SSL_set_tlsext_status_ocsp_resp(ssl, copy, static_cast<long>(bytes.size()));
  return SSL_TLSEXT_ERR_OK;
}

std::size_t announced(std::string const& head) {
  auto const position = head.find("Content-Length: ");
  return position == std::string::npos ? 0 : std::stoul(head.substr(position + 16));
}

}  // namespace

std::string http_connection::some() {
  std::array<char, 16384> buffer{};
  while (!server_.over_) {
    pollfd owner{fd_, POLLIN, 0};
    if ((tls_ == nullptr || SSL_pending(tls_) == 0) && poll(&owner, 1, 20) <= 0) continue;
    auto const got = tls_ == nullptr ? recv(fd_, buffer.data(), buffer.size(), 0)
                                     : SSL_read(tls_, buffer.data(), static_cast<int>(buffer.size()));
    return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
  }
  return {};
}

std::string http_connection::request() {
  for (;;) {
    auto const end = received_.find("\r\n\r\n");
    if (end != std::string::npos && received_.size() >= end + 4 + announced(received_.substr(0, end))) break;
    auto const more = some();
    if (more.empty()) return {};
    received_ += more;
  }
  // A client certificate is reported as a field that no client can send.
  if (tls_ != nullptr && SSL_get0_peer_certificate(tls_) != nullptr) received_ += "\r\n(with certificate)";
  if (auto const* const name = tls_ == nullptr ? nullptr : SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name))
    received_ += std::string("\r\n(sni ") + name + ")";
  std::lock_guard const hold(server_.lock_);
  server_.requests_.push_back(received_);
  return std::exchange(received_, {});
}

bool http_connection::send(std::string_view bytes) {
  if (tls_ != nullptr) return SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size())) > 0;
  while (!bytes.empty()) {
    auto const sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void http_connection::hold() {
  while (!some().empty()) {
  }
}

void http_connection::reset() {
  struct linger const at_once{1, 0};
  setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

http_server::http_server(options where, script script) : script_(std::move(script)), where_(std::move(where)) {
  if (where_.tls != nullptr) tls_ = context_of(*where_.tls);
  if (tls_ != nullptr && where_.adjust) where_.adjust(tls_);
  if (where_.staple != options::stapled::nothing) {
    staple_ = where_.staple == options::stapled::garbage
                  ? "garbage"
                  : staple_for(tls_, where_.staple == options::stapled::revoked);
    SSL_CTX_set_tlsext_status_cb(tls_, &give_staple);
    SSL_CTX_set_tlsext_status_arg(tls_, &staple_);
  }
  listener_ = listen_at(where_.address, where_.port, 64);
  port_ = port_of(listener_);
  thread_ = std::thread([this] { run(); });
}

http_server::~http_server() {
  over_ = true;
  thread_.join();
  for (auto& thread : threads_) thread.join();
  close(listener_);
  SSL_CTX_free(tls_);
}

std::string http_server::url(std::string const& path, std::string const& host) const {
  return (where_.tls == nullptr ? "http://" : "https://") + host + ":" + std::to_string(port_) + path;
}

int http_server::connections() const {
  sockaddr_storage address{};
  auto const size = place_of(where_.address, port_, address);
  int const fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // Bound first, so that the port is known before it is accepted.
  sockaddr_storage source{};
  auto const from_size = place_of(where_.address, 0, source);
  bind(fd, reinterpret_cast<sockaddr*>(&source), from_size);
  last_port_ = port_of(fd);
  require_http(connect(fd, reinterpret_cast<sockaddr*>(&address), size) == 0, "connect");
  while (last_port_ != 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  close(fd);
  return connections_;
}

std::vector<std::string> http_server::requests() const {
  std::lock_guard const hold(lock_);
  return requests_;
}

void http_server::run() {
  while (!over_) {
    pollfd owner{listener_, POLLIN, 0};
    if (poll(&owner, 1, 20) <= 0) continue;
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    int const fd = accept4(listener_, reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC);
    if (fd < 0) continue;
    if (int const port = ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port); port == last_port_) {
      close(fd);
      last_port_ = 0;
      continue;
    }
    ++connections_;
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void http_server::serve(int fd) {
  SSL* tls = nullptr;
  bool good = true;
  if (tls_ != nullptr && !where_.mute) {
    // A client that stalls does not keep the test from ending.
    timeval const patience{5, 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    tls = SSL_new(tls_);
    SSL_set_fd(tls, fd);
    good = SSL_accept(tls) == 1;
  }
  http_connection connection(*this, fd, tls);
  if (where_.mute)
    connection.hold();
  else if (good)
    script_(connection);
  SSL_free(tls);
  close(fd);
}

http_server::script saying(std::string bytes) {
  return [bytes = std::move(bytes)](http_connection& connection) {
    if (!connection.request().empty()) connection.send(bytes);
  };
}

std::string answer_of(int status, std::string const& fields, std::string const& body) {
  return "HTTP/1.1 " + std::to_string(status) + " \r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

full_listener::full_listener() {
  all_.push_back(listen_at("127.0.0.1", 0, 0));
  port_ = port_of(all_.front());
  sockaddr_storage address{};
  auto const size = place_of("127.0.0.1", port_, address);
  for (int i = 0; i < 8; ++i) {
    all_.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    connect(all_.back(), reinterpret_cast<sockaddr*>(&address), size);
  }
}

full_listener::~full_listener() {
  for (int const fd : all_) close(fd);
}

}  // namespace svc::test
