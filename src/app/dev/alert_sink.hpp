#pragma once

#include "svc/core/async.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace svc::app::dev {

/// A receiver of webhooks on a free port of loopback, which says in one line what each alert tells. On a thread of
/// its own; for `svcd dev` alone.
class alert_sink {
 public:
  /// `say` is called on that thread. Throws `boost::system::system_error` when no port can be bound.
  explicit alert_sink(std::function<void(std::string const& line)> say);
  ~alert_sink();
  alert_sink(alert_sink const&) = delete;
  alert_sink& operator=(alert_sink const&) = delete;

  /// `http://127.0.0.1:40123/`
  std::string url() const;

 private:
  using tcp = asio::ip::tcp;
  using acceptor = asio::basic_socket_acceptor<tcp, executor>;
  using socket = asio::basic_stream_socket<tcp, executor>;
  task<> accept_all();
  task<> serve(socket socket);

  std::function<void(std::string const& line)> say_;
  asio::io_context io_{1};
  acceptor acceptor_;
  std::thread thread_;
};

/// What is said of a webhook's body: a line for each alert. Total.
std::vector<std::string> lines_of_webhook(std::string const& body);

}  // namespace svc::app::dev
