#pragma once

#include "support/free_port.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

namespace svc::test {

/// An HTTP server on a port of loopback that stays reserved for it. After `close` connections are refused; after
/// `open` they are answered again. The body of an answer is the head of its request.
class watched_target {
 public:
  watched_target() { open(); }
  ~watched_target() { close(); }
  watched_target(watched_target const&) = delete;
  watched_target& operator=(watched_target const&) = delete;

  /// The head of the request that came last.
  std::string last_request() const {
    std::lock_guard const lock(mutex_);
    return last_;
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

  void open() {
    using boost::asio::ip::tcp;
    tcp::endpoint const endpoint(boost::asio::ip::address_v4::loopback(), port_);
    tcp::acceptor acceptor(io_, endpoint);
    closing_ = false;
    thread_ = std::thread([this, listening = std::move(acceptor)]() mutable { serve(listening); });
  }
  void close() {
    if (!thread_.joinable()) return;
    closing_ = true;
    // Wakes the thread that accepts.
    boost::asio::ip::tcp::socket last(io_);
    boost::system::error_code ec;
    last.connect({boost::asio::ip::address_v4::loopback(), port_}, ec);
    thread_.join();
  }

 private:
  void serve(boost::asio::ip::tcp::acceptor& listening) {
    while (!closing_) {
      boost::system::error_code ec;
      auto client = listening.accept(ec);
      if (ec || closing_) continue;
      boost::asio::streambuf head;
      boost::asio::read_until(client, head, "\r\n\r\n", ec);
      std::string const asked(static_cast<char const*>(head.data().data()), head.size());
      {
        std::lock_guard const lock(mutex_);
        last_ = asked;
      }
      auto const answer = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(asked.size()) +
                          "\r\nConnection: close\r\n\r\n" + asked;
      boost::asio::write(client, boost::asio::buffer(answer), ec);
    }
    listening.close();
  }

  boost::asio::io_context io_;
  unsigned short const port_ = static_cast<unsigned short>(free_port());
  std::atomic<bool> closing_{false};
  mutable std::mutex mutex_;
  std::string last_;
  std::thread thread_;
};

}  // namespace svc::test
