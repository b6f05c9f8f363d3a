#pragma once

#include "cli/settings/token_scan.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// A credential in a file.
struct token_location {
  std::string file;
  found_token token;
};

/// Finds credentials in the added lines of a diff as `git diff -U0 --dst-prefix=b/` writes it. Total: any bytes. The
/// counts of each hunk distinguish its lines from headers, which an added line can imitate.
class staged_diff {
 public:
  void feed(std::string_view bytes);
  std::vector<token_location> finish();

 private:
  void take_line(std::string_view line);
  void begin_hunk(std::string_view header);
  void take_change(std::string_view line);
  void end_hunk();

  std::string unfinished_line_;
  std::string file_;
  std::uint64_t removed_left_ = 0, added_left_ = 0;  // remaining lines of the hunk
  std::uint64_t first_line_ = 1;                     // of the hunk, in the new file
  token_scanner scanner_;
  std::vector<token_location> found_;
};

/// The name after `+++ `: without `b/`, unquoted (git quotes names with control characters, `"` and `\` as C does).
/// Pure.
std::string file_of_header(std::string_view name);

}  // namespace svc::cli
