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

/// How a slow client goes about it, once it is connected.
struct stall {
  std::string name;
  bool tls = true;        ///< shakes hands first
  std::string opening{};  ///< sent at once
  std::string trickle{};  ///< then this, again and again
  std::chrono::milliseconds pace{200};
  bool reads = true;  ///< takes what is answered
};

/// Many connections that stall in one way, driven by a thread of their own. They never close by themselves before
/// the destructor. Real ones attack from elsewhere: the thread runs when no other wants the processor (`SCHED_IDLE`),
/// and touches a connection only when something happened to it, or its trickle is due.
class stalled_clients {
 public:
  /// Where they come from, so that a server's connections with them can be told from those with others.
  static constexpr char const* address = "127.0.0.2";

  /// Connects `count` of them to `https://ADDRESS:PORT`, each in its own stall as soon as it is there.
  stalled_clients(std::string const& url, stall how, std::size_t count);
  ~stalled_clients();
  stalled_clients(stalled_clients const&) = delete;
  stalled_clients& operator=(stalled_clients const&) = delete;

  /// How many have sent their opening so far.
  std::size_t stalling() const { return stalling_; }
  bool all_stalling() const { return stalling_ == count_; }
  /// When the first of them heard that the server is through with it; the end of time before.
  std::chrono::steady_clock::time_point first_end() const { return first_end_; }
  /// How many have heard it.
  std::size_t ended() const { return ended_; }

 private:
  struct one;
  void run();
  void open_more(std::deque<one>& all, SSL_CTX* context);
  void advance(one& c);
  void trickle(std::deque<one>& all);
  void hear_end(one& c);

  std::string const url_;
  stall const how_;
  int const events_;  ///< epoll
  std::size_t const count_;
  std::atomic<std::size_t> stalling_ = 0, ended_ = 0;
  std::atomic<std::chrono::steady_clock::time_point> first_end_ = std::chrono::steady_clock::time_point::max();
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace svc::test
