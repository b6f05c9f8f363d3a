#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// The position of a credential in a text.
struct found_token {
  std::uint64_t line = 1;    ///< from 1
  std::uint64_t column = 1;  ///< in bytes, from 1
  std::string shown;         ///< `svc_live_8Fq2...`; never in full
};

/// Finds credentials in a text of pieces, which may end anywhere. Total: it accepts any bytes. Bounded: it keeps less
/// than a KiB of the text.
///
/// The rules prevent alarms for examples in documentation. A prefix of the service's credentials followed by 38
/// letters and digits counts if their checksum is right (one false alarm in 4 * 10^9). Older credentials have no
/// checksum. After `svc_live_`, `svc_test_` or `svc_trigger_`, 24 letters and digits or more count if they look
/// random (two digits, two letters, eight different characters). After `job_` at the start of a word, exactly 32
/// lower-case hexadecimal digits count if they look random.
class token_scanner {
 public:
  void feed(std::string_view piece);
  /// Ends the text; the next piece starts another one.
  std::vector<found_token> finish();

 private:
  void search(bool last);
  void move_to(std::size_t position);

  std::string text_;          // the retained part
  std::size_t next_ = 0;      // in `text_`: the start of the next search
  std::size_t position_ = 0;  // in `text_`: the position of line and column
  std::uint64_t line_ = 1, column_ = 1;
  std::vector<found_token> found_;
};

/// Returns all credentials of one text.
std::vector<found_token> find_tokens(std::string_view text);

/// Returns a warning about the first credential in a text that many people can read, otherwise an empty text.
/// `subject` names the text: `the script`. `remedy` is the sentence about where the credential belongs.
std::string warn_of_token(std::string_view text, std::string const& subject, std::string const& remedy);

}  // namespace svc::cli
