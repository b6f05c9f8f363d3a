#include "support/fault_proxy.hpp"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>

namespace svc::test {
namespace {

/// Time within which the thread notices that it should end.
constexpr int tick_ms = 50;
constexpr int backlog = 128;

sockaddr_un address_of(std::string const& path) {
  sockaddr_un un{};
  un.sun_family = AF_UNIX;
  if (path.size() >= sizeof un.sun_path) throw std::runtime_error("too long for a Unix socket: " + path);
  std::memcpy(un.sun_path, path.c_str(), path.size() + 1);
  return un;
}

int listen_at_path(std::string const& path) {
  int const out = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto const un = address_of(path);
  return ::bind(out, reinterpret_cast<sockaddr const*>(&un), sizeof un) == 0 ? out : -1;
}

int listen_at_port(int port) {
  int const out = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return ::bind(out, reinterpret_cast<sockaddr const*>(&address), sizeof address) == 0 ? out : -1;
}

/// Writes all bytes at once. Both sides read all the time, so a write never waits for long.
bool write_all(int last, char const* bytes, std::size_t size) {
  while (size > 0) {
    auto const n = ::send(last, bytes, size, MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

struct fault_proxy::connection {
  int client, server;
  std::string held{};
  clock::time_point until{};
  bool open = true;
  bool robbed = false;  ///< bytes were dropped: the rest would be misread

  connection(int c, int s) : client(c), server(s) {}
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;
  ~connection() {
    ::close(client);
    ::close(server);
  }
};

fault_proxy::fault_proxy(std::string const& listen, std::string target, mishaps chances, unsigned seed)
    : target_(std::move(target)), chances_(chances), random_(seed) {
  listener_ = listen.starts_with('/') ? listen_at_path(listen)
                                      : listen_at_port(std::stoi(listen.substr(listen.find(':') + 1)));
  if (::listen(listener_, backlog) != 0) throw std::runtime_error("cannot listen at " + listen);
  thread_ = std::thread(&fault_proxy::run, this);
}

fault_proxy::~fault_proxy() {
  over_ = true;
  thread_.join();
  ::close(listener_);
}

void fault_proxy::accept_one() {
  int const client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  int const server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto made = std::make_unique<connection>(client, server);
  auto const un = address_of(target_);
  if (::connect(server, reinterpret_cast<sockaddr const*>(&un), sizeof un) == 0)
    connections_.push_back(std::move(made));
}

int fault_proxy::patience() const {
  auto until = clock::now() + std::chrono::milliseconds(tick_ms);
  for (auto const& l : connections_) {
    if (!l->held.empty()) until = std::min(until, l->until);
  }
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
  return std::max(0, static_cast<int>(left));
}

void fault_proxy::watch(std::vector<pollfd>& polls, silence during) const {
  bool const stalled = during == silence::stalled;
  polls.assign(1, {stalled ? -1 : listener_, POLLIN, 0});
  for (auto const& l : connections_) {
    polls.push_back({stalled ? -1 : l->client, POLLIN, 0});
    // After a stalled block the proxy reads nothing, because later data would overtake the block.
    bool const waits = stalled || during == silence::stalled_answers || !l->held.empty();
    polls.push_back({waits ? -1 : l->server, POLLIN, 0});
  }
}

void fault_proxy::run() {
  std::vector<pollfd> polls;
  while (!over_) {
    auto const during = silence_.load();
    if (during != silence::dropped) std::erase_if(connections_, [](auto const& l) { return l->robbed; });
    watch(polls, during);
    if (::poll(polls.data(), polls.size(), patience()) < 0) continue;
    // The answer of poll is stale when the silence changed meanwhile.
    if (silence_ != during) continue;
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      bool const client_speaks = polls[1 + 2 * i].revents != 0, server_speaks = polls[2 + 2 * i].revents != 0;
      if (during == silence::dropped) {
        swallow(*connections_[i], client_speaks, server_speaks);
      } else {
        serve(*connections_[i], client_speaks, server_speaks);
      }
    }
    std::erase_if(connections_, [](auto const& l) { return !l->open; });
    if (polls[0].revents != 0) accept_one();
  }
  connections_.clear();
}

void fault_proxy::swallow(connection& which, bool client_speaks, bool server_speaks) {
  char block[16384];
  auto const drop = [&](int first) {
    auto const n = ::recv(first, block, sizeof block, 0);
    which.open = which.open && n > 0;
    which.robbed = true;
  };
  if (client_speaks) drop(which.client);
  if (server_speaks) drop(which.server);
}

void fault_proxy::serve(connection& which, bool client_speaks, bool server_speaks) {
  char block[16384];
  if (client_speaks) {
    auto const n = ::recv(which.client, block, sizeof block, 0);
    which.open = n > 0 && write_all(which.server, block, static_cast<std::size_t>(n));
  }
  if (which.open && !which.held.empty() && clock::now() >= which.until) {
    which.open = write_all(which.client, which.held.data(), which.held.size());
    which.held.clear();
  }
  if (which.open && server_speaks) answer(which);
}

void fault_proxy::answer(connection& which) {
  char block[16384];
  auto const n = ::recv(which.server, block, sizeof block, 0);
  if (n <= 0) {
    which.open = false;
    return;
  }
  ++blocks_;
  auto const size = static_cast<std::size_t>(n);
  bool const cuts = happens(chances_.cut), stalls = !cuts && happens(chances_.stall);
  std::size_t const now = cuts || stalls ? part(size) : size;
  which.open = write_all(which.client, block, now) && !cuts;
  if (cuts) ++cuts_;
  if (!stalls || now == size) return;
  ++stalls_;
  which.held.assign(block + now, size - now);
  auto const longest = static_cast<std::size_t>(chances_.longest.count());
  which.until = clock::now() + std::chrono::milliseconds(1 + part(longest - 1));
}

}  // namespace svc::test
