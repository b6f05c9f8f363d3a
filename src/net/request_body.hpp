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

/// Decides whether a body arrives fast enough: at least `body_window_bytes` in every `body_window`, checked each
/// tenth of a window, and the whole body within `body_total`. Pure; the caller passes the time.
class body_pace {
 public:
  body_pace(session_settings const& settings, steady::time_point start);

  void count(steady::time_point now, std::size_t bytes);
  /// Once true it stays true.
  bool too_slow(steady::time_point now);
  /// When to call `too_slow` again if nothing arrives earlier.
  steady::time_point due() const;

 private:
  static constexpr std::size_t slots = 10;

  void advance(steady::time_point now);

  steady::duration slot_length_;
  std::size_t least_;
  steady::time_point slot_end_;
  steady::time_point end_;
  std::array<std::size_t, slots> received_{};  ///< ring; received_[current_] is still being filled
  std::size_t current_ = 0;
  std::size_t finished_ = 0;  ///< slots that have ended, counted up to a whole window
  bool slow_ = false;
};

/// Decodes a chunked body: the guard decides what is well-formed and where the message ends, Beast extracts the data,
/// and both must agree. Sans-io, one per message, worker-local.
class chunked_body {
 public:
  explicit chunked_body(std::size_t limit);

  /// `bytes` continues where the last call's `passed` ended.
  http::chunk_guard::outcome feed(std::string_view bytes);
  /// After `refused`.
  error refusal() const;
  /// What was decoded since the last call. Not after `refused`.
  std::string take() { return std::exchange(parser_.get().body(), {}); }

 private:
  /// How many bytes Beast consumed; nothing when it refuses them.
  std::optional<std::size_t> put(std::string_view bytes);
  bool decode(std::string_view checked, bool last);

  http::chunk_guard guard_;
  boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
  std::string pending_{};  ///< checked bytes of an unfinished chunk line, which Beast wants to see whole
  bool disagreed_ = false;
};

}  // namespace svc::net
