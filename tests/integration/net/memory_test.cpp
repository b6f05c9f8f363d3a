#include "integration/net/client.hpp"
#include "integration/net/server.hpp"
#include "support/process_tree.hpp"

#include <doctest/doctest.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

using svc::test::client;
using svc::test::resident_memory;
using svc::test::server;

namespace {

constexpr char const* pipe_variable = "SVC_TEST_PIPE";
constexpr char const* tls_variable = "SVC_TEST_TLS";

/// The server in a separate process, fresh from exec, so that the memory is only the server's.
class server_process {
 public:
  explicit server_process(bool tls) {
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    ::setenv(pipe_variable, std::to_string(pipe[1]).c_str(), 1);
    ::setenv(tls_variable, tls ? "1" : "0", 1);
    pid_ = ::fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::execl("/proc/self/exe", "integration_net", "--no-skip", "-tc=the server of the memory test", nullptr);
      ::_exit(1);
    }
    ::close(pipe[1]);
    std::array<char, 64> text{};
    auto const n = ::read(pipe[0], text.data(), text.size());
    ::close(pipe[0]);
    REQUIRE(n > 0);
    address_.assign(text.data(), static_cast<std::size_t>(n));
  }
  server_process(server_process const&) = delete;
  server_process& operator=(server_process const&) = delete;
  ~server_process() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  std::string const& address() const { return address_; }
  /// Resident bytes.
  long memory() const { return resident_memory(pid_); }

 private:
  pid_t pid_ = -1;
  std::string address_{};
};

constexpr std::string_view request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

void open(std::vector<client>& users, server_process const& running, client::security security, int count, bool ask) {
  for (int i = 0; i < count; ++i) {
    users.emplace_back(running.address(), security);
    if (ask) CHECK(users.back().ask(request).status == 200);
  }
}

long per_connection(client::security security, bool ask) {
  constexpr int warm_up = 100, measured = 2000;
  server_process const running(security != client::security::plain);
  std::vector<client> users;
  open(users, running, security, warm_up, ask);
  auto const before = running.memory();
  open(users, running, security, measured, ask);
  // The last ones may not have been accepted, or marked idle, yet: the answer to this request comes after them.
  CHECK(users.front().ask(request).status == 200);
  return (running.memory() - before) / measured;
}

}  // namespace

TEST_CASE("the server of the memory test" * doctest::skip()) {
  auto const* const pipe = std::getenv(pipe_variable);
  REQUIRE(pipe != nullptr);
  server const running(
      {.settings = {.connections_per_address = 10'000}, .tls = std::string(std::getenv(tls_variable)) == "1"});
  REQUIRE(::write(std::stoi(pipe), running.address().data(), running.address().size()) > 0);
  ::close(std::stoi(pipe));
  for (;;) ::pause();
}

TEST_CASE("2000 idle connections: memory of the server for each") {
  rlimit files{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &files) == 0);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, 8192);
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &files) == 0);
  struct row {
    std::string name;
    client::security security;
    bool ask;
  };
  for (auto const& each : {
           row{"TLS 1.3 after a request", client::security::tls13, true},
           row{"TLS 1.3 after the handshake", client::security::tls13, false},
           row{"TLS 1.2 after a request", client::security::tls12, true},
           row{"plain after a request", client::security::plain, true},
       }) {
    auto const bytes = per_connection(each.security, each.ask);
    MESSAGE(each.name << ": " << bytes << " bytes");
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
    CHECK(bytes <= 32 * 1024);
#endif
  }
}
