#pragma once

#include "cli/commands/context.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::cli {

/// The cursor of the `next` link (RFC 8288) in a `Link` field, percent-encoded as in the field; `std::nullopt`
/// without one. Only the cursor is used, so that no link leads the credential to another server.
std::optional<std::string> next_cursor(std::string_view link);

/// Reads a list page by page, by the links that the pages carry. One for each list.
class page_reader {
 public:
  using query = std::vector<std::pair<std::string, std::string>>;

  page_reader(context& cx, std::string path, query query)
      : cx_(cx), path_(std::move(path)), query_(std::move(query)) {}

  /// Returns the next page's JSON text; `std::nullopt` after the last page. Throws `failure`, also if a link leads
  /// back to an earlier page.
  std::optional<std::string> next();

 private:
  context& cx_;
  std::string path_;
  query query_;
  std::string cursor_;
  int number_ = 0;  ///< of the page that was read last
  bool over_ = false;
};

}  // namespace svc::cli
