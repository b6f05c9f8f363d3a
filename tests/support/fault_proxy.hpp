#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// Chances, for each block of a server's bytes, of what happens to it on its way to the client.
struct mishaps {
  double stall = 0;  ///< a part goes on at once, the rest up to `longest` later; order is kept
  double cut = 0;    ///< a part goes on, then both connections are closed
  std::chrono::milliseconds longest{100};
};

/// Stands between a service and a store, on Unix sockets: forwards what the service says, and now and then delays or
/// cuts what the store answers, at any byte. Owns a thread; ends with its destructor.
class fault_proxy {
 public:
  fault_proxy(std::string const& listen, std::string target, mishaps chances, unsigned seed);
  ~fault_proxy();
  fault_proxy(fault_proxy const&) = delete;
  fault_proxy& operator=(fault_proxy const&) = delete;

  int stalls() const { return stalls_; }
  int cuts() const { return cuts_; }
  int blocks() const { return blocks_; }

 private:
  struct link;
  using clock = std::chrono::steady_clock;

  void run();
  int patience() const;  ///< for poll: until the first stalled block may go on
  void accept_one();
  void serve(link& which, bool client_speaks, bool server_speaks);
  void answer(link& which);
  bool happens(double chance) { return std::uniform_real_distribution<>(0, 1)(random_) < chance; }
  std::size_t part(std::size_t whole) { return std::uniform_int_distribution<std::size_t>(0, whole)(random_); }

  std::string target_;
  mishaps chances_;
  std::mt19937 random_;
  int listener_ = -1;
  std::vector<std::unique_ptr<link>> links_;
  std::atomic<bool> over_ = false;
  std::atomic<int> stalls_ = 0, cuts_ = 0, blocks_ = 0;
  std::thread thread_;
};

}  // namespace svc::test
