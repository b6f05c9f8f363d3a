#pragma once

#include "svc/core/result.hpp"
#include "svc/http/message.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace svc::http {

/// The guard's verdict on the bytes of a message so far.
enum class verdict { need_more, complete, refused };

/// The rule that gives the end of the body (RFC 9112 6.3). A request has no body that ends with the connection.
enum class body_framing { none, content_length, chunked };

/// The facts that the guard read from one complete head.
struct head_summary {
  std::size_t begin = 0;  ///< offset of the method: 2 after a tolerated empty line, otherwise 0
  std::size_t size = 0;   ///< bytes from the buffer's start to the end of the empty line
  int version_minor = 1;  ///< 0 or 1
  body_framing framing = body_framing::none;
  std::uint64_t content_length = 0;  ///< only with body_framing::content_length
  bool keep_alive = true;            ///< the client's wish; includes the default of its version
  bool expect_continue = false;      ///< the client waits for `100 Continue`; never on HTTP/1.0 or without a body
  bool upgrade = false;              ///< the client asks for another protocol; may be ignored (RFC 9110 7.8)

  bool has_body() const { return framing == body_framing::chunked || content_length > 0; }
};

/// Checks the head of a request against RFC 9112 before any other parser sees it, and repairs nothing. Where the RFC
/// allows a repair, two recipients can repair the head differently, and attackers use this to smuggle requests.
///
/// Sans-io and total: any bytes end in a verdict, and the verdict depends only on the bytes, not on how they were
/// split. Allocates nothing. One per connection, worker-local; `reset` between messages.
class framing_guard {
 public:
  static constexpr std::size_t max_head = 16 * 1024;
  static constexpr std::size_t max_fields = 100;
  static constexpr std::size_t max_method = 32;
  static constexpr std::size_t max_target = 8 * 1024;
  static constexpr std::size_t max_length_digits = 18;

  /// `buffer` contains everything received since this message started: the unchanged bytes of the last call (their
  /// address may change), and the new bytes. The guard does not read bytes after the head.
  verdict feed(std::string_view buffer);
  void reset();

  /// Valid after `complete`.
  head_summary const& head() const { return head_; }
  /// Valid after `complete`. Fills in the contents of the head. The views point into `buffer`, which must start with
  /// the bytes that were fed. Does not set `client_address` and `arrived`.
  void fill(request& out, std::string_view buffer) const;
  /// Valid after `refused`. Returns malformed_request, head_too_large, target_too_long, not_implemented or
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

  std::size_t offset_ = 0;  ///< next byte to read
  std::size_t mark_ = 0;    ///< start of the current element
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
  bool chunked_alone_ = false;  ///< `chunked` is the only coding
  bool codings_readable_ =
      false;  ///< the list of codings is readable, and only its last coding, if any, is `chunked`
};

}  // namespace svc::http
