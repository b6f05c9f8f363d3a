#pragma once

#include "integration/net/echo_service.hpp"
#include "support/temporary_directory.hpp"
#include "support/throwaway_ca.hpp"
#include "svc/net/listener.hpp"
#include "svc/net/session_settings.hpp"
#include "svc/net/tls_context.hpp"
#include "svc/net/worker_connections.hpp"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

struct server_options {
  net::session_settings settings{};
  bool tls = true;
  std::string address = "127.0.0.1:0";
  std::size_t workers = 1;
  bool proxy_protocol = false;
  http::forwarding rules{};
};

/// The echo service behind the real listener, one thread per worker; the listener runs on the first.
class server {
 public:
  explicit server(server_options options = {});
  server(server const&) = delete;
  server& operator=(server const&) = delete;
  /// Stops, and checks that nothing is left.
  ~server();

  std::string const& address() const { return listener_->address(); }
  echo_service& service(std::size_t worker = 0) { return workers_[worker]->service; }
  std::size_t load(std::size_t worker = 0) const { return workers_[worker]->connections.load(); }

  /// Runs it on that worker's thread and waits for its end.
  void on_worker(std::function<void()> action, std::size_t worker = 0);
  void stop_listening();
  void announce_drain();
  void drain();
  /// The processor time that worker 0 has used.
  steady::duration cpu_time();
  /// Waits until the last connection of worker 0 is gone.
  bool emptied(steady::duration within = std::chrono::seconds(5));
  /// Waits until `condition`, which is evaluated on worker 0.
  bool eventually(std::function<bool()> condition);

 private:
  struct worker {
    worker(net::session_settings settings, net::tls_context tls, http::forwarding rules)
        : service(io), connections(io, service, settings, std::move(tls), std::move(rules)) {}

    asio::io_context io{1};
    echo_service service;
    net::worker_connections connections;
    std::thread thread{};
  };

  std::vector<std::unique_ptr<worker>> workers_;
  std::unique_ptr<net::listener> listener_;
};

/// One certificate for the whole test binary, loaded once.
net::tls_context const& test_tls();

/// A certificate for `localhost` and its key as PEM files in a separate directory, which is deleted with this object.
struct certificate {
  temporary_directory directory{};
  throwaway_ca pem = make_throwaway_ca("DNS:localhost,IP:127.0.0.1");
  std::string certificate_file = directory.write("certificate.pem", pem.certificate);
  std::string key_file = directory.write("key.pem", pem.key);
};

}  // namespace svc::test
