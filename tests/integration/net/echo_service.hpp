#pragma once

#include "svc/core/async.hpp"
#include "svc/http/message.hpp"

#include <atomic>
#include <cstddef>
#include <string_view>

namespace svc::test {

/// Answered with the client's address as known to the service.
inline constexpr std::string_view ask_client = "GET /client HTTP/1.1\r\nHost: x\r\n\r\n";

/// Answers "METHOD target body"; targets with a special meaning are in the source. One per worker; the test's thread
/// may read the counters.
class echo_service final : public http::service {
 public:
  explicit echo_service(asio::io_context& io) : gate_(io.get_executor()) {
    gate_.expires_at(steady_timer::time_point::max());
  }

  task<http::response> serve(http::request const& head, http::body_source& body) override;
  http::response refuse(error const& error, std::string_view client_address) override;
  void written(std::size_t bytes, bool complete) override;

  /// On the worker: lets requests for /gate continue.
  void open_gate() {
    open_ = true;
    gate_.cancel();
  }

  std::atomic<std::size_t> at_gate = 0, served = 0, complete = 0, incomplete = 0, bytes_written = 0, streams = 0,
                           stopped = 0;

 private:
  steady_timer gate_;
  bool open_ = false;
  account bodies_{http::terms_of({})};
  http::body_budget budget_{bodies_, http::body_bytes{}.worker};
};

}  // namespace svc::test
