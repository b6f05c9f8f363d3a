#pragma once

#include "svc/core/result.hpp"
#include "svc/http/framing_guard.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace svc::http {

/// Checks the framing of a chunked body (RFC 9112 7.1) as it streams. It is stricter than the RFC in three points,
/// each a known way to smuggle requests: no trailer fields, no white space in a chunk line, a bound on chunk
/// extensions. Sans-io and total; the verdict depends on the bytes, not on how they were split. Allocates nothing.
/// One per message, worker-local.
class chunk_guard {
 public:
  static constexpr std::size_t max_size_digits = 16;
  static constexpr std::size_t max_line = 256;         ///< bytes of a chunk line, CRLF not counted
  static constexpr std::size_t max_extensions = 4096;  ///< bytes of extensions in one message

  /// `max_body` bounds the decoded body.
  explicit chunk_guard(std::uint64_t max_body) : left_(max_body) {}

  struct outcome {
    verdict verdict;
    /// Number of bytes of this call that are checked and belong to this message. The next byte belongs to the next
    /// message (`complete`) or is the byte that was refused.
    std::size_t passed;
  };
  /// `bytes` continues at the end of the last call's `passed`.
  outcome feed(std::string_view bytes);

  /// Valid after `refused`. Returns malformed_request, or body_too_large as soon as a chunk announces too many bytes.
  error refusal() const { return {refused_as_, std::string(reason_)}; }

 private:
  enum class state : std::uint8_t;

  void step(char c);
  void on_size(char c);
  void on_extension(char c);
  void on_line_end(char c);
  void on_chunk_end(char c);
  void refuse(errc code, std::string_view reason);

  state state_{};
  verdict verdict_ = verdict::need_more;
  errc refused_as_{};
  std::string_view reason_{};   ///< static text
  std::uint64_t left_;          ///< bytes of body that may still arrive
  std::uint64_t size_ = 0;      ///< size of the current chunk; inside its data: the missing bytes
  std::size_t digits_ = 0;      ///< digits of the current size
  std::size_t line_ = 0;        ///< bytes of the current chunk line
  std::size_t extensions_ = 0;  ///< bytes of extensions so far
};

}  // namespace svc::http
