#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace svc::test {

/// Bytes for one connection, and the condition that ends the exchange.
struct raw_exchange {
  std::vector<std::string> writes{};  ///< over TLS each is one record, so that the server reads it separately
  /// Sent as a last request after `answers` answers; its answer ends the exchange. Empty: the server must close.
  std::string probe{};
  std::string probe_id{};  ///< what only the probe's answer contains
  std::size_t answers = 0;
};

struct raw_outcome {
  std::vector<int> statuses{};       ///< of all answers except 1xx, including the probe's; -1: not HTTP
  bool closed = false;               ///< by the server
  bool probed = false;               ///< the probe's answer came
  std::chrono::milliseconds took{};  ///< from the last byte sent before the probe to the end
  std::string received{};

  /// The statuses without the probe's, then "close", or "and no end" if neither the server nor the probe ended it.
  std::string text() const;
};

/// The statuses of consecutive responses. A response to HEAD announces a length but has no body.
std::vector<int> statuses_of(std::string_view received);

/// Plays raw bytes on many connections at once, on one thread. Gives up an exchange after five seconds.
class raw_player {
 public:
  enum class security { plain, tls };
  /// `address`: ADDR:PORT.
  raw_player(std::string const& address, security security, std::size_t at_once);
  ~raw_player();
  raw_player(raw_player const&) = delete;
  raw_player& operator=(raw_player const&) = delete;

  using make_exchange = std::function<raw_exchange(std::size_t)>;
  using note_outcome = std::function<void(std::size_t, raw_outcome const&)>;
  /// Exchanges 0 to count - 1, in this order, as slots become free.
  void play(std::size_t count, make_exchange const& make, note_outcome const& note);

 private:
  struct slot;
  void start(slot& s, raw_exchange exchange, std::size_t index) const;

  std::string host_;
  int port_;
  void* context_ = nullptr;  ///< SSL_CTX
  std::size_t at_once_;
};

}  // namespace svc::test
