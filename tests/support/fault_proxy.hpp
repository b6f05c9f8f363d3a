#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// Probabilities of faults, for each block of bytes from a server on its way to the client.
struct mishaps {
  double stall = 0;  ///< a part passes at once, the rest up to `longest` later; order is kept
  double cut = 0;    ///< a part passes, then both connections are closed
  std::chrono::milliseconds longest{100};
};

/// Numbers of faults so far.
struct mishap_counts {
  int stalls = 0, cuts = 0;

  bool are_of_both_kinds() const { return stalls > 0 && cuts > 0; }
};

/// The treatment of all bytes for a while, without closing any connection.
enum class silence {
  none,
  stalled,          ///< both ways, new connections too; all continue afterwards
  stalled_answers,  ///< answers of the store wait, commands of the service arrive
  dropped,          ///< both ways; connections that lost bytes are closed afterwards
};

/// A proxy between a service and a store. It forwards the service's data, and sometimes delays or cuts the store's
/// answers, at any byte; or it falls silent on request. Owns a thread; ends with its destructor.
class fault_proxy {
 public:
  /// `listen`: the path of a Unix socket, or `127.0.0.1:PORT`; `target`: the store's Unix socket.
  fault_proxy(std::string const& listen, std::string target, mishaps chances, unsigned seed);
  ~fault_proxy();
  fault_proxy(fault_proxy const&) = delete;
  fault_proxy& operator=(fault_proxy const&) = delete;

  /// Changes the silence from another thread. Bytes that the proxy has already read still pass.
  void fall_silent(silence silence) { silence_ = silence; }

  int stalls() const { return stalls_; }
  int cuts() const { return cuts_; }
  int blocks() const { return blocks_; }

 private:
  struct connection;
  using clock = std::chrono::steady_clock;

  void run();
  int patience() const;  ///< timeout of poll: until the first stalled block may pass
  void watch(std::vector<pollfd>& polls, silence during) const;
  void swallow(connection& which, bool client_speaks, bool server_speaks);
  void accept_one();
  void serve(connection& which, bool client_speaks, bool server_speaks);
  void answer(connection& which);
  bool happens(double chance) { return std::uniform_real_distribution<>(0, 1)(random_) < chance; }
  std::size_t part(std::size_t whole) { return std::uniform_int_distribution<std::size_t>(0, whole)(random_); }

  std::string target_;
  mishaps chances_;
  std::mt19937 random_;
  int listener_ = -1;
  std::vector<std::unique_ptr<connection>> connections_;
  std::atomic<bool> over_ = false;
  std::atomic<silence> silence_ = silence::none;
  std::atomic<int> stalls_ = 0, cuts_ = 0, blocks_ = 0;
  std::thread thread_;
};

/// Returns the sum of several proxies, given by pointers.
template <class Proxies>
mishap_counts counts_of(Proxies const& all) {
  mishap_counts out;
  for (auto const& entry : all) {
    out.stalls += entry->stalls();
    out.cuts += entry->cuts();
  }
  return out;
}

}  // namespace svc::test
