#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// Receives messages on a port of loopback, webhooks over HTTP or mails over SMTP, one connection after the other. A
/// connection can stop at a point, so that the sender can be killed there.
class crash_receiver {
 public:
  enum class protocol : std::uint8_t { http, smtp };
  /// The points in the order in which a connection reaches them.
  enum class point : std::uint8_t {
    none,
    accepted,  ///< before a byte was read or sent
    part,      ///< 4 KiB of the head of a request; sender and recipient of a mail
    whole,     ///< the whole message, without any answer so far
  };
  struct received {
    std::string id;  ///< `webhook-id` or `Message-ID`; empty if it has not arrived so far
    bool whole = false;
  };

  explicit crash_receiver(protocol speaks);
  ~crash_receiver();
  crash_receiver(crash_receiver const&) = delete;
  crash_receiver& operator=(crash_receiver const&) = delete;

  int port() const { return port_; }
  /// Stops only the next connection at this point.
  void stop_next_at(point where);
  bool is_stopped() const { return stopped_; }
  /// Reads the rest of the data, and answers nothing.
  void go_on() { stopped_ = false; }
  /// Returns the data of each connection since the last call.
  std::vector<received> take();

 private:
  void run();
  void serve(int fd);
  void serve_http(int fd, point stop);
  void serve_smtp(int fd, point stop);
  std::string read_line(int fd);
  /// Returns false if the other side has closed.
  bool read_more(int fd);
  /// Returns true if the connection was to stop there; then the connection is over.
  bool stops(int fd, point here, point stop);
  bool is_whole() const;  ///< the request
  void note(bool whole);

  protocol const speaks_;
  int listener_ = -1, port_ = 0;
  std::atomic<bool> over_ = false, stopped_ = false;
  std::atomic<point> stop_ = point::none;
  std::string bytes_;  ///< of the connection
  mutable std::mutex mutex_;
  std::vector<received> received_;
  std::thread thread_;
};

}  // namespace svc::test
