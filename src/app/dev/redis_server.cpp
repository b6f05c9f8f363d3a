#include "app/dev/stores.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace svc::app::dev {
namespace {

constexpr milliseconds redis_start_patience{30'000};
constexpr milliseconds redis_stop_patience{10'000};
constexpr milliseconds redis_pause{10};

std::string find_server() {
  if (auto const server = find_in_path("redis-server"); !server.empty()) return server;
  // Debian's redis-tools has one binary, which acts as the server when argv[0] is redis-server.
  if (auto const tools = find_in_path("redis-check-rdb"); !tools.empty()) return tools;
  throw std::runtime_error("Redis's server is not installed (Debian: redis-tools)");
}

child_process launch(data_directory const& where, std::string const& socket) {
  auto const data = where.store("redis");
  where.make_private(data);
  return child_process({.program = find_server(),
                        .arguments = {"redis-server",
                                      "--port",
                                      "0",
                                      "--unixsocket",
                                      socket,
                                      "--unixsocketperm",
                                      "700",
                                      "--protected-mode",
                                      "yes",
                                      "--daemonize",
                                      "no",
                                      "--dir",
                                      data,
                                      "--pidfile",
                                      data + "/redis.pid",
                                      "--save",
                                      "",
                                      "--appendonly",
                                      "no",
                                      "--maxmemory",
                                      "512mb",
                                      "--maxmemory-policy",
                                      "noeviction"},
                        .as = where.user(),
                        .log_file = where.file("log/redis.log"),
                        .death_signal = SIGTERM,
                        .directory = data});
}

bool answers(std::string const& path) {
  int const s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0) return false;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), std::min(path.size() + 1, sizeof(address.sun_path)));
  char reply[8] = {};
  constexpr std::string_view ping = "PING\r\n";
  bool const good = connect(s, reinterpret_cast<sockaddr const*>(&address), sizeof(address)) == 0 &&
                    send(s, ping.data(), ping.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(ping.size()) &&
                    recv(s, reply, sizeof(reply), 0) > 0 && std::string_view(reply, 5) == "+PONG";
  close(s);
  return good;
}

}  // namespace

redis_server::redis_server(data_directory const& where)
    : socket_(where.sockets() + "/redis.sock"), process_(launch(where, socket_)) {
  auto const until = deadline::after(redis_start_patience);
  while (!answers(socket_))
    if (process_.wait(redis_pause) || until.passed())
      throw std::runtime_error("Redis did not start: " + log_tail(where.file("log/redis.log")));
}

redis_server::~redis_server() {
  process_.stop(SIGTERM, redis_stop_patience);
}

}  // namespace svc::app::dev
