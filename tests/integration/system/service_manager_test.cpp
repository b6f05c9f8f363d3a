// A service manager's view of an instance, and the sockets that it passes to the instance: sd_notify(3),
// sd_listen_fds(3).
#include "integration/system/faults/faults.hpp"
#include "notify_socket.hpp"
#include "support/service.hpp"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <atomic>

namespace svc::test {
namespace {

TEST_CASE(
    "the service manager is notified of ready, reloading, ready and stopping, and of signs of life all the time") {
  auto& fleet = shared_fleet();
  notify_socket manager;
  auto const service = fleet.beside({manager.variable(), "WATCHDOG_USEC=1000000"});
  REQUIRE(comes_true([&] { return manager.count("READY=1\nSTATUS=serving on 127.0.0.1:") == 1; }, patience));
  CHECK(api_client(service->admin_url(), {}, {}).get("/readyz").status == 200);
  service->process().signal(SIGHUP);
  REQUIRE(comes_true([&] { return manager.count("READY=1\n") == 2; }, patience));
  auto const alive = manager.count("WATCHDOG=1");
  CHECK(comes_true([&] { return manager.count("WATCHDOG=1") >= alive + 2; }, patience));
  CHECK(service->process().stop() == 0);
  REQUIRE(comes_true([&] { return manager.count("STOPPING=1\n") == 1; }, patience));

  std::vector<std::string> states;
  for (auto const& reported : manager.all()) {
    CHECK(reported.text.find(".pem") == std::string::npos);
    if (reported.text != "WATCHDOG=1" && !reported.text.starts_with("STATUS="))
      states.push_back(reported.text.substr(0, reported.text.find('\n')));
  }
  CHECK(states == std::vector<std::string>{"READY=1", "RELOADING=1", "READY=1", "STOPPING=1"});
  CHECK(manager.count("RELOADING=1\nMONOTONIC_USEC=") == 1);
}

TEST_CASE("while a worker is stuck in one turn the service manager gets no sign of life") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  notify_socket manager;
  auto const service = fleet.beside({manager.variable(), "WATCHDOG_USEC=1000000", "SVC_WORKERS=2"});
  api_client pages(service->admin_url(), {}, {});
  REQUIRE(pages.post("/debug/failpoints", "pipeline.before_handler=block:4500*1").status == 200);
  std::thread asking([&] { api_client(service->url(), fleet.text("caFile"), tenant.token).get("/api/auth/whoami"); });
  CHECK(logged(service->process(), "one turn of its event loop blocks a worker", 1));
  auto const stuck = clock::now();
  CHECK(logged(service->process(), "that one turn had blocked serves again", 1));
  auto const again = clock::now();
  asking.join();
  auto const between = [&](notify_socket::notification const& one_of) {
    return one_of.text == "WATCHDOG=1" && one_of.time > stuck + milliseconds(100) && one_of.time < again;
  };
  auto const all = manager.all();
  CHECK(again - stuck > seconds(1));
  // The look that notices the end may happen once, before the line can be read.
  CHECK(std::count_if(all.begin(), all.end(), between) <= 1);
  CHECK(manager.count("WATCHDOG=1") > 0);
  auto const alive = manager.count("WATCHDOG=1");
  CHECK(comes_true([&] { return manager.count("WATCHDOG=1") > alive; }, patience));
}

/// A listening socket of a socket unit, which stays while instances come and go.
class socket_unit {
 public:
  socket_unit() {
    sockaddr_in position{};
    position.sin_family = AF_INET;
    position.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof position;
    auto* const address = reinterpret_cast<sockaddr*>(&position);
    if (::bind(fd_, address, size) != 0 || ::listen(fd_, 4096) != 0 || ::getsockname(fd_, address, &size) != 0)
      throw std::runtime_error("no socket");
    port_ = ntohs(position.sin_port);
  }
  socket_unit(socket_unit const&) = delete;
  socket_unit& operator=(socket_unit const&) = delete;
  ~socket_unit() { ::close(fd_); }

  int descriptor() const { return fd_; }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  int fd_ = ::socket(AF_INET, SOCK_STREAM, 0);  // not closed by execve
  int port_ = 0;
};

/// Starts an instance that gets the two sockets under these names. It uses Bash, because LISTEN_PID is the process's
/// own.
std::unique_ptr<service> activated(fleet const& fleet, std::string const& names, socket_unit const& first,
                                   socket_unit const& second) {
  auto const script = "exec 3<&" + std::to_string(first.descriptor()) + " 4<&" + std::to_string(second.descriptor()) +
                      "; export LISTEN_PID=$$; exec \"$@\"";
  auto environment = fleet.environment();
  environment.insert(environment.end(), {"LISTEN_FDS=2", "LISTEN_FDNAMES=" + names});
  return std::make_unique<service>(
      std::vector<std::string>{"-c", script, "bash", service_binary(), "serve", "--config", fleet.text("configFile")},
      environment, "/bin/bash");
}

/// Clients that open a new connection for each request, until the end.
class newcomers {
 public:
  newcomers(std::string const& url, std::string const& ca_file, std::string const& token) {
    for (int i = 0; i < 4; ++i)
      clients_.emplace_back([=, this] {
        while (going_) {
          auto const start = clock::now();
          try {
            api_client client(url, ca_file, token);
            ++(client.get("/api/auth/whoami").status == 200 ? answered_ : failed_);
            took(std::chrono::duration_cast<milliseconds>(clock::now() - start));
          } catch (std::exception const& e) {
            ++failed_;
            std::lock_guard const lock(mutex_);
            if (reason_.empty()) reason_ = e.what();
          }
        }
      });
  }
  newcomers(newcomers const&) = delete;
  newcomers& operator=(newcomers const&) = delete;
  ~newcomers() { stop(); }

  void stop() {
    going_ = false;
    for (auto& thread : clients_)
      if (thread.joinable()) thread.join();
  }
  /// Returns true if this number of further clients get their answer in time.
  bool served(int more) const {
    int const goal = answered_ + more;
    return comes_true([&] { return answered_ >= goal; }, patience);
  }
  int answered() const { return answered_; }
  int failed() const { return failed_; }
  milliseconds longest() const {
    std::lock_guard const lock(mutex_);
    return longest_;
  }
  std::string why() const {
    std::lock_guard const lock(mutex_);
    return reason_;
  }

 private:
  void took(milliseconds time) {
    std::lock_guard const lock(mutex_);
    longest_ = std::max(longest_, time);
  }

  std::atomic<bool> going_{true};
  std::atomic<int> answered_{0}, failed_{0};
  milliseconds longest_{0};
  mutable std::mutex mutex_{};
  std::string reason_{};
  std::vector<std::thread> clients_{};
};

TEST_CASE("restarts with an inherited socket: no new connection is refused, reset or left without its answer") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  socket_unit const front, pages;
  auto first = activated(fleet, "public:admin", front, pages);
  auto const said = first->wait_error_line("\"serving\"");
  CHECK(said.find("\"address\":\"" + front.address() + "\"") != std::string::npos);
  CHECK(said.find("\"admin\":\"" + pages.address() + "\"") != std::string::npos);
  CHECK(api_client("http://" + pages.address(), {}, {}).get("/readyz").status == 200);

  newcomers clients("https://" + front.address(), fleet.text("caFile"), tenant.token);
  for (int n = long_form("TEST_RESTARTS", 3); n > 0; --n) {
    CHECK(clients.served(50));
    // As with systemctl restart, the next instance starts when the first has ended; clients wait meanwhile.
    CHECK(first->stop() == 0);
    auto second = activated(fleet, "public:admin", front, pages);
    CHECK(clients.served(50));
    // With both at once, each accepts the connections that the other does not.
    first = activated(fleet, "public:admin", front, pages);
    first->wait_error_line("\"serving\"");
    CHECK(clients.served(50));
    CHECK(second->stop() == 0);
  }
  CHECK(clients.served(50));
  clients.stop();
  CHECK_MESSAGE(clients.failed() == 0, clients.why());
  MESSAGE(clients.answered(), " new connections during restarts; the longest took ", clients.longest().count(),
          " ms");
  CHECK(first->stop() == 0);
}

TEST_CASE("an inherited socket that no listener expects ends the start, and the names are said") {
  socket_unit const front, other;
  auto const service = activated(shared_fleet(), "public:web", front, other);
  CHECK(service->wait() == 1);
  CHECK(service->err().text().find("the inherited socket \"web\" belongs to no listener; expected: public, admin") !=
        std::string::npos);
}

}  // namespace
}  // namespace svc::test
