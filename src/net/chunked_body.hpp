#pragma once

#include "svc/http/chunk_guard.hpp"

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace svc::net {

/// Decodes a chunked body: the guard decides what is well-formed and where the message ends, Beast takes
/// the data out, and both must agree. Sans-io, one per message, worker-local.
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
  /// The bytes that Beast took; nothing when it refuses them.
  std::optional<std::size_t> put(std::string_view bytes);
  bool decode(std::string_view checked, bool last);

  http::chunk_guard guard_;
  boost::beast::http::request_parser<boost::beast::http::string_body> parser_;
  std::string pending_{};  ///< checked bytes of an unfinished chunk line, which Beast wants to see whole
  bool disagreed_ = false;
};

}  // namespace svc::net
