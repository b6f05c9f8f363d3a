#include "integration/egress/dns_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace svc::test {
namespace {

void require_dns(bool good, char const* subject) {
  if (!good) throw std::runtime_error(std::string("dns_server: ") + subject);
}

sockaddr_in on_loopback(int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  return out;
}

void put16(std::string& out, int value) {
  out += static_cast<char>(value >> 8);
  out += static_cast<char>(value);
}

int get16(std::string const& source, std::size_t position) {
  return static_cast<unsigned char>(source.at(position)) << 8 | static_cast<unsigned char>(source.at(position + 1));
}

}  // namespace

std::string dns_address(std::string const& text) {
  std::array<char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return {bytes.data(), 4};
  require_dns(inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1, "no address");
  return {bytes.data(), 16};
}

std::string dns_name(std::string const& text) {
  std::string out;
  std::size_t position = 0;
  while (position < text.size()) {
    auto const dot = std::min(text.find('.', position), text.size());
    out += static_cast<char>(dot - position);
    out += text.substr(position, dot - position);
    position = dot + 1;
  }
  return out + '\0';
}

dns_script dns_addresses(dns_question const& question, std::vector<std::string> const& addresses, std::uint32_t ttl) {
  dns_script out;
  for (auto const& text : addresses) {
    auto const data = dns_address(text);
    int const type = data.size() == 4 ? 1 : 28;
    if (type == question.type) out.records.push_back({"", type, ttl, data});
  }
  return out;
}

dns_server::dns_server(script script) : script_(std::move(script)) {
  // The port of one of the two must be free for the other as well.
  for (int i = 0; i < 50 && tcp_ < 0; ++i) {
    udp_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    auto address = on_loopback(0);
    require_dns(bind(udp_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "bind");
    socklen_t size = sizeof address;
    getsockname(udp_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    tcp_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(tcp_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 && listen(tcp_, 8) == 0) break;
    close(udp_), close(tcp_);
    tcp_ = -1;
  }
  require_dns(tcp_ >= 0, "no port");
  thread_ = std::thread([this] { run(); });
}

dns_server::~dns_server() {
  over_ = true;
  thread_.join();
  close(udp_), close(tcp_);
}

std::string dns_server::answer(std::string const& query, bool tcp) {
  dns_question question;
  std::size_t position = 12;
  while (query.at(position) != 0) {
    auto const size = static_cast<unsigned char>(query.at(position));
    question.name += (question.name.empty() ? "" : ".") + query.substr(position + 1, size);
    position += size + 1U;
  }
  for (char& c : question.name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  question.type = get16(query, position + 1);
  auto const end = position + 5;
  auto const key = std::pair(question.name, question.type);
  question.count = static_cast<int>(std::ranges::count(counts_, key));
  counts_.push_back(key);
  ++questions_;
  if (tcp) ++over_tcp_;

  auto const script = script_(question);
  if (script.behaviour == dns_script::kind::silence) return {};
  bool const cut = script.behaviour == dns_script::kind::cut && !tcp;
  std::string out = query.substr(0, 2);
  put16(out, 0x8180 | (cut ? 0x0200 : 0) | script.rcode);
  put16(out, 1);
  put16(out, cut ? 0 : static_cast<int>(script.records.size()));
  put16(out, 0), put16(out, 0);
  out += query.substr(12, end - 12);
  if (cut) return out;
  for (auto const& record : script.records) {
    out += record.owner.empty() ? std::string("\xC0\x0C") : dns_name(record.owner);
    put16(out, record.type), put16(out, 1);
    put16(out, static_cast<int>(record.ttl >> 16)), put16(out, static_cast<int>(record.ttl & 0xFFFF));
    put16(out, static_cast<int>(record.data.size()));
    out += record.data;
  }
  return out;
}

void dns_server::run() {
  std::array<char, 65536> buffer{};
  while (!over_) {
    std::array<pollfd, 2> polls{pollfd{udp_, POLLIN, 0}, pollfd{tcp_, POLLIN, 0}};
    if (poll(polls.data(), polls.size(), 20) <= 0) continue;
    if ((polls[0].revents & POLLIN) != 0) {
      sockaddr_in address{};
      socklen_t size = sizeof address;
      auto const got = recvfrom(udp_, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&address), &size);
      if (got <= 0) continue;
      auto const out = answer({buffer.data(), static_cast<std::size_t>(got)}, false);
      if (!out.empty()) sendto(udp_, out.data(), out.size(), 0, reinterpret_cast<sockaddr*>(&address), size);
    }
    if ((polls[1].revents & POLLIN) != 0) {
      int const count = accept(tcp_, nullptr, nullptr);
      auto got = recv(count, buffer.data(), 2, MSG_WAITALL);
      auto const size = static_cast<std::size_t>(get16({buffer.data(), 2}, 0));
      if (got == 2) got += recv(count, buffer.data() + 2, size, MSG_WAITALL);
      if (got > 2) {
        auto const out = answer({buffer.data() + 2, static_cast<std::size_t>(got) - 2}, true);
        std::string framed;
        put16(framed, static_cast<int>(out.size()));
        framed += out;
        send(count, framed.data(), framed.size(), MSG_NOSIGNAL);
      }
      close(count);
    }
  }
}

}  // namespace svc::test
