#pragma once

#include "cli/manual/command_tree.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// A page of the manual in man(7): portable roff, readable by groff and mandoc.
struct man_page {
  std::string file{};  ///< `svc-job.1`
  std::string text{};
};

/// The content of each page's title.
struct man_title {
  std::string_view date;     ///< `2026-11-20`
  std::string_view version;  ///< of the program
};

/// Returns `svc.1`, and a page for each group of commands. Pure.
std::vector<man_page> man_pages(described_command const& root, man_title const& title);

/// Returns text for the body of a page: roff sees no escape, no request and no typographic character in it. The text
/// has a line end at its end unless it is empty.
std::string roff_text(std::string_view text);
/// Returns an argument of a macro, in quotes.
std::string roff_argument(std::string_view text);

}  // namespace svc::cli
