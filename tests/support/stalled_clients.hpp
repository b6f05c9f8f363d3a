#pragma once

#include <openssl/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <thread>

namespace svc::test {

/// The behaviour of a slow client after connecting.
struct stall {
  std::string name;
  bool tls = true;        ///< with a handshake first
  std::string opening{};  ///< sent at once
  std::string trickle{};  ///< then this, repeatedly
  std::chrono::milliseconds pace{200};
  bool reads = true;  ///< reads the answers
};

/// Many connections that stall in one way, driven by one thread. They do not close before the destructor. Real
/// attackers run elsewhere, so the thread runs only when no other thread wants the processor (`SCHED_IDLE`). It
/// touches a connection only on an event, or when its trickle is due.
class stalled_clients {
 public:
  /// Their source address, which distinguishes a server's connections with them from others.
  static constexpr char const* address = "127.0.0.2";

  /// Opens `count` connections to `https://ADDRESS:PORT`; each stalls as soon as it is connected.
  stalled_clients(std::string const& url, stall stall, std::size_t count);
  ~stalled_clients();
  stalled_clients(stalled_clients const&) = delete;
  stalled_clients& operator=(stalled_clients const&) = delete;

  /// Returns the number of connections that have sent their opening.
  std::size_t stalling() const { return stalling_; }
  bool all_stalling() const { return stalling_ == count_; }
  /// Returns the time at which the first client noticed that the server closed; until then the maximum time point.
  std::chrono::steady_clock::time_point first_end() const { return first_end_; }
  /// Returns the number of clients that have noticed.
  std::size_t ended() const { return ended_; }

 private:
  struct stalled_connection;
  void run();
  void open_more(std::deque<stalled_connection>& all, SSL_CTX* context);
  void advance(stalled_connection& c);
  void trickle(std::deque<stalled_connection>& all);
  void hear_end(stalled_connection& c);

  std::string const url_;
  stall const stall_;
  int const events_;  ///< epoll
  std::size_t const count_;
  std::atomic<std::size_t> stalling_ = 0, ended_ = 0;
  std::atomic<std::chrono::steady_clock::time_point> first_end_ = std::chrono::steady_clock::time_point::max();
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace svc::test
