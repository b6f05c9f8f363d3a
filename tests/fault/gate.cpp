#include "gate.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

namespace svc::test {
namespace {

/// Time within which a change of a passage takes effect, and the precision of a delay.
constexpr int gate_tick_ms = 5;
constexpr int gate_backlog = 512;
/// About the size of a kernel's buffer for a connection.
constexpr std::size_t most_held = 256 * 1024;

/// Returns -1 if no process listens.
int connect_to(std::string const& target) {
  bool const local = target.starts_with('/');
  int const fd = ::socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un path{};
  path.sun_family = AF_UNIX;
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (local)
    target.copy(path.sun_path, sizeof path.sun_path - 1);
  else
    where.sin_port = htons(static_cast<std::uint16_t>(std::stoi(target)));
  auto const* const address =
      local ? reinterpret_cast<sockaddr const*>(&path) : reinterpret_cast<sockaddr const*>(&where);
  if (::connect(fd, address, local ? sizeof path : sizeof where) == 0) return fd;
  ::close(fd);
  return -1;
}

void send_at_once(int fd) {
  int const context = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &context, sizeof context);
}

}  // namespace

/// One direction of a connection.
struct gate::lane {
  struct block {
    clock::time_point due;
    std::string bytes;
  };
  int first = -1, last = -1;
  std::deque<block> waiting{};
  std::size_t held = 0;
  bool ended = false;  ///< the sender closed; waiting bytes still go on

  bool takes_more() const { return !ended && held < most_held; }
  /// Sends the bytes that are due; returns false if the receiver has gone.
  bool send_due(clock::time_point now) {
    while (!waiting.empty() && waiting.front().due <= now) {
      auto& bytes = waiting.front().bytes;
      auto const sent = ::send(last, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0) return errno == EAGAIN || errno == EINTR;
      held -= static_cast<std::size_t>(sent);
      bytes.erase(0, static_cast<std::size_t>(sent));
      if (bytes.empty()) waiting.pop_front();
    }
    return true;
  }
};

struct gate::connection {
  int client, server = -1, party;
  lane requests{}, answers{};
  bool open = true, reset = false;

  connection(int fd, int owner) : client(fd), party(owner) {}
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;
  ~connection() {
    linger const at_once{1, 0};
    if (reset) ::setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(client);
    if (server >= 0) ::close(server);
  }
};

gate::gate(std::string target, int port) : target_(std::move(target)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int const context = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &context, sizeof context);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_, generic, size) != 0 || ::listen(listener_, gate_backlog) != 0 ||
      ::getsockname(listener_, generic, &size) != 0)
    throw std::runtime_error("a gate cannot listen");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread(&gate::run, this);
}

gate::~gate() {
  over_ = true;
  thread_.join();
  ::close(listener_);
}

void gate::let(passage passage, int party) {
  std::lock_guard const lock(mutex_);
  if (party != anybody) {
    parties_[party] = passage;
    return;
  }
  parties_.clear();
  others_ = passage;
}

passage gate::how_for(int party) const {
  std::lock_guard const lock(mutex_);
  auto const own = parties_.find(party);
  return own == parties_.end() ? others_ : own->second;
}

void gate::accept_one() {
  sockaddr_in peer{};
  socklen_t size = sizeof peer;
  int const fd = ::accept4(listener_, reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC);
  if (fd < 0) return;
  send_at_once(fd);
  connections_.push_back(std::make_unique<connection>(fd, static_cast<int>(ntohl(peer.sin_addr.s_addr) & 0xFF)));
}

void gate::read_into(connection& connection, lane& which, passage const& passage, bool answers) {
  char block[16384];
  auto const n = ::recv(which.first, block, sizeof block, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
  which.ended = n <= 0;
  if (which.ended) return;
  auto size = static_cast<std::size_t>(n);
  if (answers && happens(passage.corruption)) {
    block[std::uniform_int_distribution<std::size_t>(0, size - 1)(random_)] ^= 0x20;
    ++corruptions_;
  }
  if (answers && happens(passage.reset)) {
    size /= 2;
    connection.reset = which.ended = true;
    ++resets_;
  }
  which.held += size;
  which.waiting.push_back({clock::now() + passage.delay, std::string(block, size)});
}

void gate::serve(connection& which) {
  auto const passage = how_for(which.party);
  if (which.server < 0) {
    // The first packet has not arrived.
    if (passage.requests_held) return;
    which.server = connect_to(target_);
    which.open = which.server >= 0;
    if (!which.open) return;
    if (!target_.starts_with('/')) send_at_once(which.server);
    which.requests = {.first = which.client, .last = which.server};
    which.answers = {.first = which.server, .last = which.client};
  }
  auto const pass = [&](lane& lane, bool held, bool answers) {
    if (held) return;
    if (lane.takes_more()) read_into(which, lane, passage, answers);
    if (!lane.send_due(clock::now()) || (lane.ended && lane.waiting.empty())) which.open = false;
  };
  pass(which.requests, passage.requests_held, false);
  if (which.open) pass(which.answers, passage.answers_held, true);
}

void gate::run() {
  std::vector<pollfd> polls;
  while (!over_) {
    polls.assign(1, {listener_, POLLIN, 0});
    for (auto const& l : connections_) {
      auto const passage = how_for(l->party);
      auto const watch = [&](lane const& lane, bool held) {
        if (!held && lane.first >= 0 && lane.takes_more()) polls.push_back({lane.first, POLLIN, 0});
      };
      watch(l->requests, passage.requests_held);
      watch(l->answers, passage.answers_held);
    }
    ::poll(polls.data(), polls.size(), gate_tick_ms);
    if (polls[0].revents != 0) accept_one();
    for (auto const& l : connections_) serve(*l);
    std::erase_if(connections_, [](auto const& l) { return !l->open; });
  }
  connections_.clear();
}

}  // namespace svc::test
