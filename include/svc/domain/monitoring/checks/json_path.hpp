#pragma once

#include "svc/core/result.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace svc::checks {

/// The part of JSONPath (RFC 9535) that needs no evaluation: `$`, names (`.name`, `['name']`, `["name"]`), indexes
/// (`[0]`, `[-1]`) and wildcards (`.*`, `[*]`). A value.
class json_path {
 public:
  /// Fails with `validation_failed`, which names the character. It also names these unsupported features:
  /// `..`, slices, filters, several selectors in one bracket.
  static result<json_path> parse(std::string_view text);
  static constexpr std::size_t longest_text = 1000;
  static constexpr std::size_t most_steps = 20;
  static constexpr std::size_t most_nodes = 1000;

  struct selection {
    std::vector<boost::json::value const*> nodes{};  ///< in the order of the document
    bool too_many = false;                           ///< a step led to more than `most_nodes`; `nodes` is then empty
  };
  /// Returns pointers into `root`.
  selection select(boost::json::value const& root) const;

 private:
  friend class json_path_parser;
  struct any {};
  using step = std::variant<std::string, std::int64_t, any>;

  std::vector<step> steps_{};
};

}  // namespace svc::checks
