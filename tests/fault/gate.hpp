#pragma once

#include <poll.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// The treatment of bytes between one party and a server. A held direction acts like lost packets: nothing is closed,
/// and bytes sent meanwhile arrive when it flows again. New connections are accepted, as by a kernel, and get no
/// byte.
struct passage {
  bool requests_held = false;         ///< from the party to the server
  bool answers_held = false;          ///< from the server to the party
  std::chrono::milliseconds delay{};  ///< delay of each block, each way; the order is kept
  double reset = 0,
         corruption = 0;  ///< chances for each block of answers: cut in the middle and reset; one bit flipped
};

inline constexpr passage flowing{}, severed{.requests_held = true, .answers_held = true},
    deaf_server{.requests_held = true}, deaf_client{.answers_held = true};

/// A proxy in front of one server on a port of 127.0.0.1; it treats each party as `let` says. The gate recognises a
/// party by its source address: party N connects from 127.0.0.N, by default 1 (`source_address.cpp`, Redis's
/// `bind-source-addr`). Owns a thread; the destructor ends it.
class gate {
 public:
  static constexpr int anybody = 0;

  /// `target` is the path of a Unix socket, or a port of 127.0.0.1. `port` 0 chooses one.
  explicit gate(std::string target, int port = 0);
  ~gate();
  gate(gate const&) = delete;
  gate& operator=(gate const&) = delete;

  int port() const { return port_; }
  /// Thread-safe. Applies also to existing connections. `anybody` means all parties.
  void let(passage passage, int party = anybody);

  int resets() const { return resets_; }
  int corruptions() const { return corruptions_; }

 private:
  using clock = std::chrono::steady_clock;
  struct lane;
  struct connection;

  void run();
  void accept_one();
  passage how_for(int party) const;
  void serve(connection& which);
  void read_into(connection& connection, lane& which, passage const& passage, bool answers);
  bool happens(double chance) { return std::uniform_real_distribution<>(0, 1)(random_) < chance; }

  std::string target_;
  int port_ = 0, listener_ = -1;
  mutable std::mutex mutex_;  ///< protects the next two members
  std::map<int, passage> parties_{};
  passage others_{};
  std::mt19937 random_{1};
  std::vector<std::unique_ptr<connection>> connections_;
  std::atomic<bool> over_ = false;
  std::atomic<int> resets_ = 0, corruptions_ = 0;
  std::thread thread_;
};

}  // namespace svc::test
