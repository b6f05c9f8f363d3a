#include "viewers.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace svc::test {
namespace {

sockaddr_in address_of(std::string const& url) {
  auto const begin = url.find("//") + 2;
  auto const colon = url.find(':', begin);
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1))));
  ::inet_pton(AF_INET, url.substr(begin, colon - begin).c_str(), &out.sin_addr);
  return out;
}

std::string_view field(std::string_view event, std::string_view name) {
  auto position = event.find(name);
  if (position == event.npos) return {};
  position += name.size();
  return event.substr(position, event.find('\n', position) - position);
}

}  // namespace

viewer::viewer(SSL_CTX* context, std::string const& url, std::string const& request) {
  auto const address = address_of(url);
  descriptor_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(descriptor_, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
    throw std::runtime_error("a viewer cannot connect");
  tls_ = SSL_new(context);
  SSL_set_fd(tls_, descriptor_);
  if (SSL_connect(tls_) != 1) throw std::runtime_error("a viewer's handshake failed");
  SSL_write(tls_, request.data(), static_cast<int>(request.size()));
  ::fcntl(descriptor_, F_SETFL, O_NONBLOCK);
}

viewer::~viewer() {
  SSL_free(tls_);
  ::close(descriptor_);
}

void viewer::read() {
  char block[16384];
  for (;;) {
    auto const n = SSL_read(tls_, block, sizeof block);
    if (n <= 0) {
      auto const reason = SSL_get_error(tls_, n);
      closed_ = reason != SSL_ERROR_WANT_READ && reason != SSL_ERROR_WANT_WRITE;
      return;
    }
    input_.append(block, static_cast<std::size_t>(n));
    understand();
  }
}

/// Head, chunks (RFC 9112 7.1), events.
void viewer::understand() {
  if (!in_body_) {
    auto const end = input_.find("\r\n\r\n");
    if (end == input_.npos) return;
    status = std::stoi(input_.substr(9, 3));
    input_.erase(0, end + 4);
    in_body_ = true;
  }
  for (;;) {
    if (chunk_ == 0) {
      auto const line = input_.find("\r\n");
      if (line == input_.npos) break;
      chunk_ = std::stoul(input_, nullptr, 16) + 2;
      input_.erase(0, line + 2);
    }
    if (input_.size() < chunk_) break;
    body_.append(input_, 0, chunk_ - 2);
    input_.erase(0, chunk_);
    chunk_ = 0;
  }
  for (auto end = body_.find("\n\n"); end != body_.npos; end = body_.find("\n\n")) {
    event(std::string_view(body_).substr(0, end));
    body_.erase(0, end + 2);
  }
}

/// Each line contains its own number: `line N`.
void viewer::event(std::string_view text) {
  if (text.starts_with(": heartbeat")) ++pings;
  auto const name = field(text, "event: ");
  if (name.empty()) return;
  last_id = field(text, "id: ");
  if (name != "console") {
    others.emplace_back(name);
    data.emplace_back(field(text, "data: "));
    if (name == "complete") final_status = field(text, "data: ");
    return;
  }
  auto const expected = "{\"line\":\"line " + std::to_string(lines + 1);
  auto const data = field(text, "data: ");
  auto const right = data.starts_with(expected) && std::string_view("\" ").find(data[expected.size()]) != text.npos;
  if (!right && complaint.empty())
    complaint = "instead of line " + std::to_string(lines + 1) + ": " + std::string(text.substr(0, 100));
  ++lines;
}

audience::audience(std::string const& ca_file) : context_(SSL_CTX_new(TLS_client_method())) {
  if (SSL_CTX_load_verify_locations(context_, ca_file.c_str(), nullptr) != 1)
    throw std::runtime_error("no CA in " + ca_file);
  SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_mode(context_, SSL_MODE_RELEASE_BUFFERS);
}

audience::~audience() {
  viewers_.clear();
  SSL_CTX_free(context_);
}

viewer& audience::add(std::string const& url, std::string const& run, std::string const& token,
                      std::string const& last_id) {
  std::string request = "GET /api/runs/" + run + "/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token;
  if (!last_id.empty()) request += "\r\nLast-Event-ID: " + last_id;
  return ask(url, request + "\r\n\r\n");
}

bool audience::read_until(std::function<bool(viewer const&)> const& enough, std::chrono::seconds patience) {
  auto const give_up = deadline::after(patience);
  for (;;) {
    std::vector<pollfd> waiting;
    std::vector<viewer*> viewers;
    for (auto& viewer : viewers_) {
      if (enough(*viewer)) continue;
      if (viewer->closed()) return false;
      waiting.push_back({viewer->descriptor(), POLLIN, 0});
      viewers.push_back(viewer.get());
    }
    if (waiting.empty()) return true;
    if (give_up.passed()) return false;
    ::poll(waiting.data(), waiting.size(), 100);
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].revents != 0) viewers[i]->read();
    }
  }
}

}  // namespace svc::test
