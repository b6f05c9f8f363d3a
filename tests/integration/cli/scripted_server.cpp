#include "integration/cli/scripted_server.hpp"

#include "svc/core/time.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace svc::test {
namespace {

void require_done(bool good, char const* subject) {
  if (!good) throw std::runtime_error(std::string("the scripted server: ") + subject);
}

template <class Object, class Read, class Free, class Use>
void with_pem(std::string const& text, Read read, Free release, Use use) {
  BIO* const bio = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
  Object* const object = read(bio, nullptr, nullptr, nullptr);
  require_done(object != nullptr && use(object) == 1, "its certificate");
  release(object);
  BIO_free(bio);
}

SSL_CTX* tls_with(throwaway_ca const& identity) {
  auto* const out = SSL_CTX_new(TLS_server_method());
  with_pem<X509>(identity.certificate, PEM_read_bio_X509, X509_free,
                 [&](X509* c) { return SSL_CTX_use_certificate(out, c); });
  with_pem<EVP_PKEY>(identity.key, PEM_read_bio_PrivateKey, EVP_PKEY_free,
                     [&](EVP_PKEY* k) { return SSL_CTX_use_PrivateKey(out, k); });
  return out;
}

}  // namespace

/// One connection, plain or over TLS. Owns neither the socket's number nor its place among the open ones.
class scripted_server::connection {
 public:
  connection(int socket, SSL_CTX* context) : socket_(socket) {
    if (context == nullptr) return;
    tls_ = SSL_new(context);
    SSL_set_fd(tls_, socket);
    usable_ = SSL_accept(tls_) == 1;
  }
  ~connection() { SSL_free(tls_); }
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;

  bool usable() const { return usable_; }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      auto const n = tls_ != nullptr ? SSL_write(tls_, bytes.data(), static_cast<int>(bytes.size()))
                                     : static_cast<int>(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  /// Returns the next bytes; empty at the end.
  std::string receive() {
    char part[65536];
    auto const n =
        tls_ != nullptr ? SSL_read(tls_, part, sizeof part) : static_cast<int>(::recv(socket_, part, sizeof part, 0));
    return n <= 0 ? std::string() : std::string(part, static_cast<std::size_t>(n));
  }

  /// Returns the next request, or nothing at the end.
  std::optional<received> read_request() {
    received out;
    for (std::size_t end = 0; (end = pending_.find("\r\n\r\n")) == std::string::npos || !has_body(end);) {
      auto const more = receive();
      if (more.empty()) return std::nullopt;
      pending_ += more;
    }
    auto const end = pending_.find("\r\n\r\n") + 4;
    out.head = pending_.substr(0, end);
    out.body = pending_.substr(end, body_size(out));
    pending_.erase(0, end + out.body.size());
    out.time = std::chrono::steady_clock::now();
    return out;
  }

  /// Sends the answer. False: the connection is over.
  bool answer(scripted_answer const& scripted_answer) {
    std::this_thread::sleep_for(scripted_answer.before);
    if (scripted_answer.between.count() == 0) {
      if (!send(scripted_answer.bytes)) return false;
    } else {
      for (char const c : scripted_answer.bytes) {
        if (!send({&c, 1})) return false;
        std::this_thread::sleep_for(scripted_answer.between);
      }
    }
    while (!scripted_answer.forever.empty())
      if (!send(scripted_answer.forever)) return false;
    while (scripted_answer.hold)
      if (receive().empty()) return false;
    return !scripted_answer.close;
  }

 private:
  static std::size_t body_size(received const& r) {
    auto const text = r.field("Content-Length");
    return text.empty() ? 0 : std::stoul(text);
  }
  bool has_body(std::size_t end) const {
    received r;
    r.head = pending_.substr(0, end + 4);
    return pending_.size() >= end + 4 + body_size(r);
  }

  int socket_;
  SSL* tls_ = nullptr;
  bool usable_ = true;
  std::string pending_;
};

std::string received::field(std::string const& name) const {
  auto const position = head.find("\r\n" + name + ": ");
  if (position == std::string::npos) return {};
  auto const begin = position + name.size() + 4;
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

scripted_answer whole_answer(int status, std::string const& body, std::string const& fields) {
  return {.bytes = "HTTP/1.1 " + std::to_string(status) + " Words\r\nDate: " + http_date() +
                   "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
                   fields + "\r\n" + body};
}

std::string error_body(std::string const& code, std::string const& sentence) {
  return R"({"error":")" + sentence + R"(","code":")" + code + R"(","requestId":"r-1"})";
}

std::string http_date(std::chrono::seconds from_now) {
  return to_http_date(system_now() + from_now);
}

scripted_server::scripted_server(script script, std::optional<throwaway_ca> const& identity)
    : script_(std::move(script)) {
  if (identity) tls_ = tls_with(*identity);
  listen();
}

scripted_server::scripted_server(std::string greeting) : greeting_(std::move(greeting)) {
  listen();
}

void scripted_server::listen() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  auto* const address = reinterpret_cast<sockaddr*>(&where);
  require_done(::bind(listener_, address, size) == 0 && ::listen(listener_, 256) == 0 &&
                   ::getsockname(listener_, address, &size) == 0,
               "it cannot listen");
  port_ = ntohs(where.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

scripted_server::~scripted_server() {
  {
    std::lock_guard const lock(mutex_);
    ending_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    for (int const each : open_) ::shutdown(each, SHUT_RDWR);
  }
  acceptor_.join();
  for (auto& each : threads_) each.join();
  ::close(listener_);
  SSL_CTX_free(tls_);
}

std::string scripted_server::url(std::string const& host) const {
  return (tls_ != nullptr ? "https://" : "http://") + host + ":" + std::to_string(port_);
}

std::vector<received> scripted_server::requests() const {
  std::lock_guard const lock(mutex_);
  return requests_;
}

void scripted_server::accept_all() {
  for (;;) {
    int const socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    std::lock_guard const lock(mutex_);
    if (ending_) {
      ::close(socket);
      return;
    }
    open_.insert(socket);
    threads_.emplace_back([this, socket, number = accepted_++] { serve(socket, number); });
  }
}

scripted_answer scripted_server::remember(received&& r) {
  {
    std::lock_guard const lock(mutex_);
    r.nth = static_cast<int>(requests_.size());
    requests_.push_back(r);
  }
  return script_(r);
}

void scripted_server::serve(int socket, int number) {
  {
    connection over(socket, tls_);
    if (!greeting_.empty()) over.send(greeting_);
    while (over.usable() && script_) {
      auto r = over.read_request();
      if (!r) break;
      r->connection = number;
      if (!over.answer(remember(*std::move(r)))) break;
    }
  }
  std::lock_guard const lock(mutex_);
  open_.erase(socket);
  ::close(socket);
}

}  // namespace svc::test
