#pragma once

#include "cli/commands/context.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::cli {

/// The cursor of the `next` link (RFC 8288) in a `Link` field, percent-encoded as it stands there; nothing without
/// one. Only the cursor is taken, so that no link leads the credential to another place.
std::optional<std::string> next_cursor(std::string_view link);

/// Reads a list page by page, by the links that the pages carry. One for each list.
class page_reader {
 public:
  using query = std::vector<std::pair<std::string, std::string>>;

  page_reader(context& cx, std::string path, query query)
      : cx_(cx), path_(std::move(path)), query_(std::move(query)) {}

  /// The next page's JSON text; nothing behind the last. Throws `failure`, also when links lead in a circle.
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
