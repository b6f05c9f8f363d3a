#include "support/private_redis.hpp"

#include "support/free_port.hpp"
#include "support/store_probe.hpp"
#include "support/temporary_directory.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace svc::test {

namespace fs = std::filesystem;

namespace {

/// Debian's redis-tools contains the server under another name; the binary decides by argv[0].
std::string server_binary() {
  for (char const* path : {"/usr/bin/redis-server", "/usr/local/bin/redis-server", "/usr/bin/redis-check-rdb"})
    if (access(path, X_OK) == 0) return path;
  throw std::runtime_error("no Redis server: install redis-tools");
}

}  // namespace

private_redis::private_redis(options chosen) : chosen_(std::move(chosen)) {
  directory_ = make_temporary("svcrd");
  if (chosen_.tcp) port_ = chosen_.tcp_port != 0 ? chosen_.tcp_port : free_port();
  if (!chosen_.tls_certificate.empty()) tls_port_ = free_port();
  start();
}

private_redis::~private_redis() {
  kill();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

void private_redis::start() {
  if (pid_ == 0) launch();
  auto const give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!answers()) {
    bool const ended = waitpid(pid_, nullptr, WNOHANG) == pid_;
    if (ended) pid_ = 0;
    if (ended || std::chrono::steady_clock::now() > give_up)
      throw std::runtime_error("Redis did not start:\n" + log());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void private_redis::stop() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void private_redis::kill() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void private_redis::freeze() {
  ::kill(pid_, SIGSTOP);
  // The signal is asynchronous: wait until the process has stopped.
  waitpid(pid_, nullptr, WUNTRACED);
}

void private_redis::thaw() {
  ::kill(pid_, SIGCONT);
}

std::string private_redis::ask(std::vector<std::string> const& words) const {
  return ask_redis(socket(), words);
}

bool private_redis::answers() const {
  try {
    auto const reply = ask({"PING"});
    return reply == "PONG" || reply.starts_with("-NOAUTH") || reply.starts_with("-NOPERM");
  } catch (std::runtime_error const&) {
    return false;
  }
}

std::vector<std::string> private_redis::server_words() const {
  std::vector<std::string> words{"redis-server", "--port",       port(),   "--bind",
                                 "127.0.0.1",    "--unixsocket", socket(), "--dir",
                                 directory_,     "--save",       "",       "--appendonly",
                                 "no",           "--daemonize",  "no",     "--enable-debug-command",
                                 "yes"};
  if (tls_port_ != 0) {
    words.insert(words.end(), {"--tls-port", tls_port(), "--tls-cert-file", chosen_.tls_certificate, "--tls-key-file",
                               chosen_.tls_key, "--tls-auth-clients", "no"});
  }
  words.insert(words.end(), chosen_.arguments.begin(), chosen_.arguments.end());
  return words;
}

/// A sentinel rewrites its file, and reads it again when it is started again.
std::vector<std::string> private_redis::sentinel_words() const {
  auto const file = directory_ + "/sentinel.conf";
  if (!fs::exists(file)) {
    std::ofstream out(file);
    out << "port " << port() << "\nbind 127.0.0.1\nunixsocket " << socket() << "\ndir " << directory_ << "\n";
    if (tls_port_ != 0)
      out << "tls-port " << tls_port() << "\ntls-cert-file " << chosen_.tls_certificate << "\ntls-key-file "
          << chosen_.tls_key << "\ntls-auth-clients no\n";
    out << chosen_.sentinel;
  }
  return {"redis-sentinel", file};
}

void private_redis::launch() {
  auto words = chosen_.sentinel.empty() ? server_words() : sentinel_words();
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  auto const binary = server_binary();
  auto const log_path = directory_ + "/log";
  pid_t const parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork failed");
  if (pid_ > 0) return;

  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(126);
  int const out = open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, 1);
  dup2(out, 2);
  execv(binary.c_str(), argv.data());
  _exit(127);
}

std::string private_redis::log() const {
  std::ifstream file(directory_ + "/log");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace svc::test
