#include "integration/cli/real_proxy.hpp"

#include "support/free_port.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <thread>

namespace svc::test {
namespace {

constexpr std::chrono::seconds patience_with_proxies{30};

std::string file_text(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool takes_connections(int port) {
  int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  bool const taken = ::connect(socket, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
  ::close(socket);
  return taken;
}

/// A crypt(3) text that squid's helper compares with.
std::string hash_of(std::string const& password) {
  service made({"passwd", "-apr1", password}, {}, "/usr/bin/openssl");
  auto const line = made.out().wait_line([](std::string const&) { return true; }, patience_with_proxies);
  if (!line) throw std::runtime_error("openssl passwd: " + made.err().text());
  return *line;
}

}  // namespace

real_proxy::real_proxy(program which, std::string const& password, int only_port)
    : port_(free_port()), log_(directory_.path() + "/logs/access.log") {
  namespace fs = std::filesystem;
  fs::create_directory(directory_.path() + "/logs");
  bool const small = which == program::tinyproxy;
  auto const file = directory_.write("configuration", small ? tinyproxy_configuration(password, only_port)
                                                            : squid_configuration(password, only_port));
  // Started by root, both become another user.
  fs::permissions(directory_.path(), fs::perms::owner_all | fs::perms::others_exec | fs::perms::others_read);
  if (auto const* const user = ::getpwnam("proxy"); ::geteuid() == 0 && user != nullptr && !small)
    if (::chown((directory_.path() + "/logs").c_str(), user->pw_uid, user->pw_gid) != 0)
      throw std::runtime_error("chown");
  if (small) {
    process_.emplace(std::vector<std::string>{"-d", "-c", file}, std::vector<std::string>{}, "/usr/bin/tinyproxy");
  } else {
    process_.emplace(std::vector<std::string>{"-N", "-f", file}, std::vector<std::string>{}, "/usr/sbin/squid");
  }
  wait_until_it_listens();
}

std::string real_proxy::tinyproxy_configuration(std::string const& password, int only_port) const {
  return "Port " + std::to_string(port_) +
         "\nListen 127.0.0.1\nTimeout 30\nMaxClients 20\nAllow 127.0.0.1\nLogFile \"" + log_ + "\"\nLogLevel Info\n" +
         (password.empty() ? "" : "BasicAuth ci " + password + "\n") +
         (only_port == 0 ? "" : "ConnectPort " + std::to_string(only_port) + "\n");
}

std::string real_proxy::squid_configuration(std::string const& password, int only_port) const {
  auto out = "http_port 127.0.0.1:" + std::to_string(port_) + "\npid_filename none\naccess_log stdio:" + log_ +
             "\ncache_log " + directory_.path() + "/logs/cache.log\ncoredump_dir " + directory_.path() +
             "/logs\ncache deny all\npinger_enable off\nshutdown_lifetime 0 seconds\n";
  if (only_port != 0) out += "acl there port " + std::to_string(only_port) + "\nhttp_access deny !there\n";
  if (password.empty()) return out + "http_access allow all\n";
  auto const users = directory_.write("users", "ci:" + hash_of(password) + "\n");
  return out + "auth_param basic program /usr/lib/squid/basic_ncsa_auth " + users +
         "\nauth_param basic children 1\nacl known proxy_auth REQUIRED\nhttp_access allow known\n";
}

void real_proxy::wait_until_it_listens() const {
  auto const until = std::chrono::steady_clock::now() + patience_with_proxies;
  while (!takes_connections(port_)) {
    if (std::chrono::steady_clock::now() > until)
      throw std::runtime_error("the proxy does not listen: " + process_->err().text() + process_->out().text());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::string real_proxy::url(std::string const& password) const {
  return "http://" + (password.empty() ? "" : "ci:" + password + "@") + "127.0.0.1:" + std::to_string(port_);
}

std::string real_proxy::log() const {
  return file_text(log_);
}

}  // namespace svc::test
