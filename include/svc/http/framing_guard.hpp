#pragma once

#include "svc/core/result.hpp"
#include "svc/http/message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace svc::http {

/// How far a guard has come with a message.
enum class verdict { need_more, complete, refused };

/// Where the body ends (RFC 9112 6.3; a request has no body that ends with the connection).
enum class body_framing { none, content_length, chunked };

/// What the guard read out of one complete head.
struct head_summary {
  std::size_t begin = 0;  ///< offset of the method: 2 after a tolerated empty line, else 0
  std::size_t size = 0;   ///< bytes from the buffer's start to the end of the empty line
  int version_minor = 1;  ///< 0 or 1
  body_framing framing = body_framing::none;
  std::uint64_t content_length = 0;  ///< only with body_framing::content_length
  bool keep_alive = true;            ///< what the client wants, its version's default included
  bool expect_continue = false;      ///< waits for `100 Continue`; never on HTTP/1.0 or without a body
  bool upgrade = false;              ///< asks for another protocol; may be ignored (RFC 9110 7.8)

  bool has_body() const { return framing == body_framing::chunked || content_length > 0; }
};

/// Checks the head of a request against RFC 9112 before any other parser sees it, and repairs nothing: where the RFC
/// lets a recipient repair something, two recipients can repair it differently, and that is how requests are
/// smuggled.
///
/// Sans-io and total: any bytes end in a verdict, and the verdict depends on the bytes alone, not on how they were
/// split. Allocates nothing. One per connection, worker-local; `reset` between messages.
class framing_guard {
 public:
  static constexpr std::size_t max_head = 16 * 1024;
  static constexpr std::size_t max_fields = 100;
  static constexpr std::size_t max_method = 32;
  static constexpr std::size_t max_target = 8 * 1024;
  static constexpr std::size_t max_length_digits = 18;

  /// `buffer` is everything received since this message began: the bytes of the last call, unchanged
  /// (their address may change), and what came since. Bytes after the head are not looked at.
  verdict feed(std::string_view buffer);
  void reset();

  /// After `complete`.
  head_summary const& head() const { return head_; }
  /// After `complete`: fills in what the head says; the views point into `buffer`, which must begin with the bytes
  /// that were fed. Leaves `client_address` and `arrived` alone.
  void fill(request& out, std::string_view buffer) const;
  /// After `refused`: malformed_request, head_too_large, target_too_long, not_implemented or
  /// version_not_supported, with a sentence for the client. The connection closes after the answer.
  error refusal() const { return {refused_as_, std::string(reason_)}; }

 private:
  enum class state : std::uint8_t;
  struct span {
    std::uint16_t offset = 0;
    std::uint16_t size = 0;
    std::string_view slice(std::string_view buffer) const { return buffer.substr(offset, size); }
  };
  struct field_span {
    span name{}, value{};
  };
  static_assert(max_head <= UINT16_MAX);

  void step(std::string_view buffer, std::size_t end);
  void on_start(char c);
  void on_method(std::string_view buffer, std::size_t end);
  void on_target(std::string_view buffer, std::size_t end);
  void on_version(char c);
  void on_request_line_end(std::string_view buffer, char c);
  void on_line_start(char c);
  void on_name(std::string_view buffer, std::size_t end);
  void on_value_start(char c);
  void on_value(std::string_view buffer, std::size_t end);
  void on_field_end(std::string_view buffer, char c);
  void on_head_end(std::string_view buffer, char c);

  void note_field(std::string_view name, std::string_view value);
  void note_host(std::string_view value);
  void note_length(std::string_view value);
  void note_connection(std::string_view value);
  void note_coding(std::string_view value);
  void refuse_lookalike(std::string_view name, std::string_view lookalike);
  void conclude();
  void conclude_coding();
  void refuse(errc code, std::string_view reason);
  span from_mark() const;

  std::size_t offset_ = 0;  ///< next byte to look at
  std::size_t mark_ = 0;    ///< where the current element began
  state state_{};
  verdict verdict_ = verdict::need_more;
  errc refused_as_{};
  std::string_view reason_{};  ///< static text
  head_summary head_{};
  span method_{}, target_{};
  std::array<char, 2> version_{};  ///< the two digits of HTTP/d.d
  std::size_t field_count_ = 0;
  std::array<field_span, max_fields> fields_;  ///< the first field_count_ are valid
  bool host_ = false, length_ = false, close_ = false, persist_ = false, expect_ = false;
  bool upgrade_ = false, upgrade_option_ = false, coding_ = false;
  bool chunked_alone_ = false;     ///< the one coding is `chunked`
  bool codings_readable_ = false;  ///< a list of codings of which only the last, if any, is `chunked`
};

}  // namespace svc::http
