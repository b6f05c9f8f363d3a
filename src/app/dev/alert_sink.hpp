#pragma once

#include "svc/core/async.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace svc::app::dev {

/// A receiver of webhooks on a free port of loopback, which prints one line for each alert. It has a thread of its
/// own. Only `svcd dev` uses it.
class alert_sink {
 public:
  /// Calls `say` on that thread. Throws `boost::system::system_error` when no port can be bound.
  explicit alert_sink(std::function<void(std::string const& line)> say);
  ~alert_sink();
  alert_sink(alert_sink const&) = delete;
  alert_sink& operator=(alert_sink const&) = delete;

  /// Returns a URL such as `http://127.0.0.1:40123/`.
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

/// Returns a line for each alert of a webhook's body. Total.
std::vector<std::string> lines_of_webhook(std::string const& body);

}  // namespace svc::app::dev
