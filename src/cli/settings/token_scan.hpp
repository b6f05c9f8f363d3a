#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// A place where a credential stands in a text.
struct found_token {
  std::uint64_t line = 1;    ///< from 1
  std::uint64_t column = 1;  ///< in bytes, from 1
  std::string shown;         ///< `svc_live_8Fq2...`; never the whole
};

/// Finds credentials in text that comes in pieces, which may end anywhere. Total: any bytes. Bounded: keeps less than
/// a KiB of the text.
///
/// What counts is chosen so that examples in documentation do not alarm. A prefix of the service's credentials
/// followed by 38 letters and digits counts if their checksum is right (one false alarm in 4 * 10^9). Older
/// credentials have no checksum: 24 letters and digits or more after `svc_live_`, `svc_test_` or `svc_trigger_` count
/// if they look random (two digits, two letters, eight different characters), and after `job_`, where a word begins,
/// exactly 32 lower-case hexadecimal digits that do.
class token_scanner {
 public:
  void feed(std::string_view piece);
  /// The end of the text; afterwards another one begins.
  std::vector<found_token> finish();

 private:
  void search(bool last);
  void move_to(std::size_t position);

  std::string text_;          // what has not been left behind
  std::size_t next_ = 0;      // of `text_`: where the search goes on
  std::size_t position_ = 0;  // of `text_`: where line and column stand
  std::uint64_t line_ = 1, column_ = 1;
  std::vector<found_token> found_;
};

/// All of one text.
std::vector<found_token> find_tokens(std::string_view text);

}  // namespace svc::cli
