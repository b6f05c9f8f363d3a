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

/// How a slow client behaves after connecting.
struct stall {
  std::string name;
  bool tls = true;        ///< with a handshake first
  std::string opening{};  ///< sent at once
  std::string trickle{};  ///< then this, repeatedly
  std::chrono::milliseconds pace{200};
  bool reads = true;  ///< reads the answers
};

/// Many connections that stall in one way, driven by one thread. They do not close before the destructor. Real
/// attackers run elsewhere, so the thread runs only when no other wants the processor (`SCHED_IDLE`), and touches a
/// connection only when something happened to it or its trickle is due.
class stalled_clients {
 public:
  /// Their source address, by which a server's connections with them can be told from others.
  static constexpr char const* address = "127.0.0.2";

  /// Opens `count` connections to `https://ADDRESS:PORT`; each stalls as soon as it is connected.
  stalled_clients(std::string const& url, stall stall, std::size_t count);
  ~stalled_clients();
  stalled_clients(stalled_clients const&) = delete;
  stalled_clients& operator=(stalled_clients const&) = delete;

  /// How many have sent their opening.
  std::size_t stalling() const { return stalling_; }
  bool all_stalling() const { return stalling_ == count_; }
  /// When the first of them noticed that the server closed; until then the maximum time point.
  std::chrono::steady_clock::time_point first_end() const { return first_end_; }
  /// How many have noticed.
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
