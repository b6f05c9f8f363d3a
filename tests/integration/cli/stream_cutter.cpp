#include "integration/cli/stream_cutter.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace svc::test {
namespace {

sockaddr_in loopback(int port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  out.sin_port = htons(static_cast<std::uint16_t>(port));
  return out;
}

/// -1: nobody takes it.
int connected_to(std::string const& target) {
  auto const where = loopback(std::stoi(target.substr(target.rfind(':') + 1)));
  int const out = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(out, reinterpret_cast<sockaddr const*>(&where), sizeof(where)) == 0) return out;
  ::close(out);
  return -1;
}

bool send_whole(int last, std::string_view bytes) {
  while (!bytes.empty()) {
    auto const sent = ::send(last, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// As long as before, because the service counts the bytes of its chunks.
void shorten_pause(std::string& bytes) {
  constexpr std::string_view field = "retry: ";
  auto sv = bytes.find(field);
  if (sv == std::string::npos) return;
  sv += field.size();
  auto end = sv;
  while (end < bytes.size() && std::isdigit(static_cast<unsigned char>(bytes[end])) != 0) ++end;
  auto const digits = std::string(end - sv, '0') + "10";
  bytes.replace(sv, end - sv, digits, digits.size() - (end - sv), end - sv);
}

}  // namespace

struct stream_cutter::connection {
  int client = -1, service = -1;
  bool is_stream = false;
  std::size_t answered = 0;

  connection(int of_client, int of_service) : client(of_client), service(of_service) {}
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;
  ~connection() {
    ::close(client);
    ::close(service);
  }
};

stream_cutter::stream_cutter(std::vector<std::string> targets, std::size_t cut_after)
    : targets_(std::move(targets)),
      cut_after_(cut_after),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  auto where = loopback(0);
  socklen_t size = sizeof(where);
  auto* const address = reinterpret_cast<sockaddr*>(&where);
  if (::bind(listener_, address, size) != 0 || ::listen(listener_, 128) != 0 ||
      ::getsockname(listener_, address, &size) != 0)
    throw std::runtime_error("the stream cutter cannot listen");
  port_ = ntohs(where.sin_port);
  thread_ = std::thread(&stream_cutter::run, this);
}

stream_cutter::~stream_cutter() {
  over_ = true;
  thread_.join();
  ::close(listener_);
}

void stream_cutter::run() {
  constexpr int look = 50;
  constexpr short readable = POLLIN | POLLHUP | POLLERR;
  while (!over_) {
    std::vector<pollfd> polls{{listener_, POLLIN, 0}};
    for (auto const& each : connections_) {
      polls.push_back({each->client, POLLIN, 0});
      polls.push_back({each->service, POLLIN, 0});
    }
    if (::poll(polls.data(), polls.size(), look) <= 0) continue;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      auto& each = *connections_[i];
      bool goes_on = true;
      if ((polls[2 * i + 1].revents & readable) != 0) goes_on = forward(each, true);
      if (goes_on && (polls[2 * i + 2].revents & readable) != 0) goes_on = forward(each, false);
      if (!goes_on) each.answered = std::string::npos;
    }
    std::erase_if(connections_, [](auto const& each) { return each->answered == std::string::npos; });
    if ((polls[0].revents & POLLIN) != 0) accept_one();
  }
}

void stream_cutter::accept_one() {
  int const client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  int service = -1;
  for (std::size_t i = 0; i < targets_.size() && service < 0; ++i) service = connected_to(targets_[i]);
  if (service < 0)
    ::close(client);
  else
    connections_.push_back(std::make_unique<connection>(client, service));
}

bool stream_cutter::forward(connection& which, bool from_client) {
  std::string bytes(4096, '\0');
  auto const got = ::recv(from_client ? which.client : which.service, bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  bytes.resize(static_cast<std::size_t>(got));
  if (from_client) return send_whole(which.service, bytes);
  which.is_stream = which.is_stream || bytes.find("text/event-stream") != std::string::npos;
  shorten_pause(bytes);
  if (!which.is_stream || cut_after_ == 0) return send_whole(which.client, bytes);
  bytes.resize(std::min(bytes.size(), cut_after_ - which.answered));
  which.answered += bytes.size();
  if (!send_whole(which.client, bytes)) return false;
  if (which.answered < cut_after_) return true;
  ++cuts_;
  return false;
}

}  // namespace svc::test
