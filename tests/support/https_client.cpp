#include "support/https_client.hpp"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <algorithm>
#include <stdexcept>

namespace svc::support {
namespace {

struct address {
  bool tls;
  std::string host;  ///< or the path of a Unix socket
  int port;
};

address parse(std::string const& url) {
  bool const tls = url.starts_with("https://");
  auto const rest = url.substr(tls ? 8 : 7);
  auto const colon = rest.rfind(':');
  if (rest.starts_with("unix:")) return {tls, rest.substr(colon + 1), 0};
  return {tls, rest.substr(0, colon), std::stoi(rest.substr(colon + 1))};
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

int connect_socket(address const& address, std::chrono::seconds patience) {
  bool const local = address.host.starts_with('/');
  int const fd = ::socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un path{};
  path.sun_family = AF_UNIX;
  address.host.copy(path.sun_path, sizeof path.sun_path - 1);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(address.port));
  ::inet_pton(AF_INET, address.host.c_str(), &where.sin_addr);
  timeval const silence{patience.count(), 0};
  int const context = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &context, sizeof context);
  auto const* const target =
      local ? reinterpret_cast<sockaddr const*>(&path) : reinterpret_cast<sockaddr const*>(&where);
  if (::connect(fd, target, local ? sizeof path : sizeof where) != 0) {
    ::close(fd);
    throw std::runtime_error("cannot connect to " + address.host + ":" + std::to_string(address.port));
  }
  return fd;
}

}  // namespace

struct https_client::connection {
  int fd = -1;
  SSL_CTX* context = nullptr;
  SSL* tls = nullptr;
  std::string input;

  connection(address const& address, std::string const& ca_file, std::chrono::seconds patience)
      : fd(connect_socket(address, patience)) {
    if (!address.tls) return;
    context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_load_verify_locations(context, ca_file.c_str(), nullptr);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    tls = SSL_new(context);
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), address.host.c_str());
    SSL_set_fd(tls, fd);
    if (SSL_connect(tls) != 1) {
      release();
      throw std::runtime_error("the TLS handshake failed");
    }
  }
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;
  ~connection() { release(); }

  void release() {
    SSL_free(tls);
    SSL_CTX_free(context);
    if (fd >= 0) ::close(fd);
    fd = -1;
    tls = nullptr;
    context = nullptr;
  }

  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      auto const n = tls != nullptr ? SSL_write(tls, bytes.data(), static_cast<int>(bytes.size()))
                                    : static_cast<int>(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  /// False at the end of the stream, or when the timeout is over.
  bool fill() {
    char block[16384];
    auto const n =
        tls != nullptr ? SSL_read(tls, block, sizeof block) : static_cast<int>(::recv(fd, block, sizeof block, 0));
    if (n <= 0) return false;
    input.append(block, static_cast<std::size_t>(n));
    return true;
  }
};

std::optional<std::string> answer::header(std::string_view name) const {
  auto const wanted = lower(name);
  for (auto const& [key, value] : headers) {
    if (key == wanted) return value;
  }
  return std::nullopt;
}

long long answer::number(std::string_view name) const {
  auto const value = header(name);
  if (!value) throw std::runtime_error("no header " + std::string(name));
  return std::stoll(*value);
}

https_client::https_client(std::string url, std::string ca_file, std::chrono::seconds patience)
    : url_(std::move(url)), ca_file_(std::move(ca_file)), patience_(patience) {}
https_client::~https_client() = default;
https_client::https_client(https_client&&) noexcept = default;
https_client& https_client::operator=(https_client&&) noexcept = default;

void https_client::connect() {
  connection_ = std::make_unique<connection>(parse(url_), ca_file_, patience_);
}

void https_client::close() {
  connection_.reset();
}

answer https_client::request(std::string_view method, std::string_view target, header_list const& headers,
                             std::string_view body) {
  std::string text;
  text.append(method)
      .append(" ")
      .append(target)
      .append(" HTTP/1.1\r\nHost: ")
      .append(url_.find("unix:") != std::string::npos ? "localhost" : url_.substr(url_.find("//") + 2));
  for (auto const& [name, value] : headers) text.append("\r\n").append(name).append(": ").append(value);
  bool const framed = !body.empty() || method == "POST" || method == "PUT" || method == "PATCH";
  if (framed) text.append("\r\nContent-Length: ").append(std::to_string(body.size()));
  text.append("\r\n\r\n").append(body);
  return raw(text, method == "HEAD");
}

answer https_client::raw(std::string_view bytes, bool head) {
  bool const reused = connection_ != nullptr;
  if (!reused) connect();
  if (connection_->write(bytes) && (!connection_->input.empty() || connection_->fill())) return read_answer(head);
  if (!reused) throw std::runtime_error("the server closed before it answered");
  connect();
  if (!connection_->write(bytes)) throw std::runtime_error("the server closed while it was written to");
  return read_answer(head);
}

std::vector<answer> https_client::pipelined(std::string_view bytes, std::size_t wanted) {
  if (connection_ == nullptr) connect();
  if (!connection_->write(bytes)) throw std::runtime_error("the server closed while it was written to");
  std::vector<answer> out;
  while (out.size() < wanted && connection_ != nullptr) out.push_back(read_answer(false));
  return out;
}

answer https_client::open_stream(std::string_view bytes) {
  close();
  connect();
  if (!connection_->write(bytes)) throw std::runtime_error("the server closed while it was written to");
  return read_head();
}

void https_client::need(std::function<bool()> const& enough) {
  while (!enough()) {
    if (!connection_->fill())
      throw std::runtime_error("the response broke off: " + connection_->input.substr(0, 200));
  }
}

answer https_client::read_head() {
  auto& input = connection_->input;
  need([&] { return input.find("\r\n\r\n") != input.npos; });
  auto const end = input.find("\r\n\r\n");
  answer out;
  out.status = std::stoi(input.substr(9, 3));
  for (auto position = input.find("\r\n") + 2; position < end + 2;) {
    auto const stop = input.find("\r\n", position);
    auto const line = std::string_view(input).substr(position, stop - position);
    auto const colon = line.find(':');
    out.headers.emplace_back(lower(line.substr(0, colon)), std::string(line.substr(colon + 2)));
    position = stop + 2;
  }
  input.erase(0, end + 4);
  return out.status == 100 ? read_head() : out;
}

answer https_client::read_answer(bool head) {
  auto out = read_head();
  auto& input = connection_->input;
  if (auto const length = out.header("content-length"); length && !head && out.status != 304) {
    auto const size = static_cast<std::size_t>(std::stoll(*length));
    need([&] { return input.size() >= size; });
    out.body = input.substr(0, size);
    input.erase(0, size);
  }
  // RFC 9112 7.1, as this service sends it: no extensions, no trailers.
  for (bool more = !head && out.header("transfer-encoding") == "chunked"; more;) {
    need([&] { return input.find("\r\n") != input.npos; });
    auto const size = std::stoul(input, nullptr, 16);
    auto const begin = input.find("\r\n") + 2;
    need([&] { return input.size() >= begin + size + 2; });
    out.body.append(input, begin, size);
    input.erase(0, begin + size + 2);
    more = size > 0;
  }
  if (out.header("connection") == "close") close();
  return out;
}

answer api_client::call(std::string_view method, std::string_view target, std::string_view body, header_list more) {
  if (!token_.empty()) more.emplace_back("Authorization", "Bearer " + token_);
  if (!body.empty()) more.emplace_back("Content-Type", "application/json");
  return http_.request(method, target, more, body);
}

}  // namespace svc::support
