#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::egress {

/// Decodes the one gzip stream of a body, piece by piece, within bounds of both sides. Worker-local; belongs to one
/// response and stays at its address, because zlib points into it.
class gzip_body {
 public:
  enum class state : std::uint8_t {
    reading,  ///< The next piece may follow.
    full,     ///< There is more than the bound of decoded bytes.
    broken,   ///< The bytes are no gzip stream, or too many for their output.
  };

  /// Bytes that a stream may have in addition to `most_encoded_per_byte` for each decoded byte. They leave room for
  /// the head of gzip with its name and comment.
  static constexpr std::size_t most_overhead = 64UL * 1024;
  /// Deflate stores incompressible data unchanged, so an encoded body is hardly longer than the decoded one.
  /// Blocks without output could continue without end and keep the thread busy.
  static constexpr std::size_t most_encoded_per_byte = 2;

  /// `most` limits the decoded bytes.
  explicit gzip_body(std::size_t most);
  ~gzip_body();
  gzip_body(gzip_body const&) = delete;
  gzip_body& operator=(gzip_body const&) = delete;

  /// Appends to `decoded`, up to the bound. Total.
  state take(std::string_view piece, std::string& decoded);

 private:
  std::size_t const most_;
  std::size_t encoded_ = 0;
  z_stream stream_{};
  bool const usable_;  // initialised with the stream, so it is declared after it
  bool ended_ = false;
};

}  // namespace svc::egress
