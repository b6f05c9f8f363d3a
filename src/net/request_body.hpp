#pragma once

#include "svc/core/deadline.hpp"
#include "svc/http/chunk_guard.hpp"
#include "svc/net/session_settings.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace svc::net {

/// The least pace of a transfer: at least `least` bytes in every window, and all of it within `total`.
struct pace_limits {
  steady::duration window;
  std::size_t least;
  steady::duration total;

  static pace_limits of_bodies(session_settings const& settings) {
    return {settings.body_window, settings.body_window_bytes, settings.body_total};
  }
  static pace_limits of_responses(session_settings const& settings) {
    return {settings.write, settings.write_window_bytes, settings.write_total};
  }
};

/// Decides whether a body arrives, or a response is read, fast enough. Checks each tenth of a window. Pure; the
/// caller passes the time.
class body_pace {
 public:
  body_pace(pace_limits const& limits, steady::time_point start);
  body_pace(session_settings const& settings, steady::time_point start)
      : body_pace(pace_limits::of_bodies(settings), start) {}

  void count(steady::time_point now, std::size_t bytes);
  /// Once true it stays true.
  bool too_slow(steady::time_point now);
  /// Returns the time to call `too_slow` again if nothing arrives earlier.
  steady::time_point due() const;

 private:
  static constexpr std::size_t slots = 10;

  void advance(steady::time_point now);

  steady::duration slot_length_;
  std::size_t least_;
  steady::time_point slot_end_;
  steady::time_point end_;
  std::array<std::size_t, slots> counted_{};  ///< ring; counted_[current_] is still being filled
  std::size_t current_ = 0;
  std::size_t finished_ = 0;  ///< slots that have ended, counted up to a whole window
  bool slow_ = false;
};

/// Decodes a chunked body. The guard decides what is well-formed and where the message ends, Beast extracts the data,
/// and both must agree. Sans-io, one per message, worker-local.
class chunked_body {
 public:
  explicit chunked_body(std::size_t limit);

  /// `bytes` continues where the last call's `passed` ended.
  http::chunk_guard::outcome feed(std::string_view bytes);
  /// Returns the reason after `refused`.
  error refusal() const;
  /// Takes the data decoded since the last call. Requires that `feed` did not return `refused`.
  std::string take() { return std::exchange(parser_.get().body(), {}); }

 private:
  /// Returns how many bytes Beast consumed, or `std::nullopt` if Beast refuses them.
  std::optional<std::size_t> put(std::string_view bytes);
  bool decode(std::string_view checked, bool last);

  http::chunk_guard policy_;
  boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
  std::string pending_{};  ///< checked bytes of an unfinished chunk line, which Beast wants to see whole
  bool disagreed_ = false;
};

}  // namespace svc::net
