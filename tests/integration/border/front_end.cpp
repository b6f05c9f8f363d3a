#include "integration/border/front_end.hpp"

#include "support/free_port.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace svc::test {
namespace {

std::string replaced(std::string text, std::string const& subject, std::string const& name) {
  for (auto position = text.find(subject); position != text.npos;
       position = text.find(subject, position + name.size()))
    text.replace(position, subject.size(), name);
  return text;
}

// Log lines of both: id, server or "-", status and id of the service's answer, method; for nginx also the status for
// its client, 499 when the client had left.

constexpr char const* haproxy_configuration = R"(
global
  maxconn 1000
  nbthread 1
  log stdout format raw local0 info
defaults
  mode http
  log global
  retries 0
  timeout connect 2s
  timeout client 300ms
  timeout http-request 300ms
  timeout http-keep-alive 300ms
  timeout server 3s
  unique-id-format %[uuid()]
  log-format "%ID %s %[var(txn.status)] %[var(txn.answered)] %HM"
frontend clients
  bind 127.0.0.1:PORT
  LAX
  http-request set-header X-Request-Id %[unique-id]
  default_backend service
backend service
  http-reuse always
  http-response set-var(txn.status) status
  http-response set-var(txn.answered) res.fhdr(X-Request-Id)
  server service SERVICE ssl verify required ca-file CA alpn http/1.1
)";

constexpr char const* nginx_configuration = R"(
daemon off;
master_process off;
pid DIRECTORY/pid;
events { worker_connections 1024; }
http {
  log_format forwarded '$request_id $upstream_addr $upstream_status $upstream_http_x_request_id $request_method $status';
  access_log DIRECTORY/log forwarded;
  client_body_temp_path DIRECTORY/1; proxy_temp_path DIRECTORY/2; fastcgi_temp_path DIRECTORY/3;
  uwsgi_temp_path DIRECTORY/4; scgi_temp_path DIRECTORY/5;
  client_header_timeout 300ms; client_body_timeout 300ms; keepalive_timeout 300ms; lingering_close off;
  large_client_header_buffers 4 32k;
  client_max_body_size 0;
  upstream service { server SERVICE; keepalive 16; keepalive_timeout 200ms; }
  server {
    listen 127.0.0.1:PORT;
    LAX
    location / {
      proxy_pass https://service;
      proxy_http_version 1.1;
      proxy_next_upstream off;
      proxy_set_header Host $http_host;
      proxy_set_header Connection "";
      proxy_set_header X-Request-Id $request_id;
    }
  }
}
)";

/// HAProxy writes "#" and unprintable characters as "#" and two hex digits.
std::string unescaped(std::string const& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool const escape =
        text[i] == '#' && i + 2 < text.size() && std::isxdigit(text[i + 1]) && std::isxdigit(text[i + 2]);
    out += escape ? static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)) : text[i];
    i += escape ? 2 : 0;
  }
  return out;
}

bool reachable(int port) {
  int const fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  bool const good = ::connect(fd, reinterpret_cast<sockaddr*>(&where), sizeof where) == 0;
  ::close(fd);
  return good;
}

std::string read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::optional<std::string> front_end::installed(program which) {
  // Debian installs them outside a user's PATH.
  std::string const path = which == program::haproxy ? "/usr/sbin/haproxy" : "/usr/sbin/nginx";
  if (::access(path.c_str(), X_OK) != 0) return std::nullopt;
  return path;
}

front_end::front_end(program which, bool lax, std::string const& service, std::string const& ca_file)
    : port_(free_port()) {
  bool const is_nginx = which == program::nginx;
  std::string const more = !lax       ? ""
                           : is_nginx ? "ignore_invalid_headers off; underscores_in_headers on; merge_slashes off; "
                                        "proxy_request_buffering off;"
                                      : "option accept-invalid-http-request";
  auto text = replaced(is_nginx ? nginx_configuration : haproxy_configuration, "PORT", std::to_string(port_));
  text = replaced(replaced(text, "LAX", more), "SERVICE", service);
  text = replaced(replaced(text, "ca-file CA", "ca-file " + ca_file), "DIRECTORY", directory_.path());
  auto const file = directory_.write("configuration", text);
  auto const binary = installed(which).value();
  start(is_nginx ? std::vector<std::string>{binary, "-p", directory_.path(), "-e", directory_.path() + "/errors",
                                            "-c", file}
                 : std::vector<std::string>{binary, "-db", "-f", file});
}

void front_end::start(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int const log = ::open((directory_.path() + "/log").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  int const errors = ::open((directory_.path() + "/errors").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(log, 1);
    ::dup2(errors, 2);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(log);
  ::close(errors);
  auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!reachable(port_)) {
    bool const ended = ::waitpid(pid_, nullptr, WNOHANG) == pid_;
    if (ended) pid_ = 0;
    if (ended || std::chrono::steady_clock::now() > until)
      throw std::runtime_error(words[0] + " does not start: " + read_file(directory_.path() + "/errors"));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

front_end::~front_end() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

std::vector<forwarded> front_end::log() const {
  std::vector<forwarded> out;
  std::istringstream input(read_file(directory_.path() + "/log"));
  for (std::string text; std::getline(input, text);) {
    std::istringstream words(text);
    forwarded f;
    std::string server;
    // The connection that `start` tried is logged, too, without an id.
    if (!(words >> f.id >> server >> f.status >> f.answered) || f.id.size() < 32) continue;
    std::string reported;
    words >> f.method >> reported;
    f.client_left = reported == "499";
    f.method = unescaped(f.method);
    f.sent = server != "-" && server != "<NOSRV>";
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace svc::test
