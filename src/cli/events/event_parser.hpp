#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// One server-sent event (WHATWG HTML, 9.2.6).
struct event {
  std::string id;    ///< the last event id when it was dispatched
  std::string type;  ///< `message` when the server names none
  std::string data;
};

/// Parses server-sent events from pieces that end anywhere. Total: any bytes give events or nothing. A line or an
/// event longer than `longest` is an error, so that a broken server cannot fill the memory. One for each connection.
class event_parser {
 public:
  static constexpr std::size_t longest = 1 << 20;

  /// False: too long. `take` gets each whole event.
  bool feed(std::string_view bytes, std::function<void(event&&)> const& take);
  /// `retry:` of the server.
  std::optional<std::chrono::milliseconds> retry() const { return retry_; }

 private:
  bool line(std::string_view text, std::function<void(event&&)> const& take);

  std::string rest_;
  std::string id_, type_, data_;
  bool has_data_ = false, after_return_ = false, begun_ = false;
  std::optional<std::chrono::milliseconds> retry_;
};

}  // namespace svc::cli
