#pragma once

#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::checks {

/// A project's variables by name. A text with their values is treated as a secret, even if no variable is
/// one.
using variable_values = std::map<std::string, secret_string, std::less<>>;

/// A text with references to variables: `{{NAME}}` is the value, `{{{{` is `{{`. A brace before a reference
/// stays a brace: `{"a":{{{NAME}}}` has the value between `{` and `}`. A value.
class text_with_variables {
 public:
  /// Maximum size in bytes of a filled text whose member has no smaller limit.
  static constexpr std::size_t longest_filled = 64UL * 1024;

  /// `most` is the maximum size in bytes of the filled text. Fails with `validation_failed`, which names the
  /// character, for a `{{` that starts no reference.
  static result<text_with_variables> parse(std::string_view text, std::size_t most = longest_filled);

  /// Returns the names of all references in order, with repetitions.
  std::vector<std::string_view> names() const;
  /// Returns true if the text is exactly one reference and therefore no secret itself.
  bool is_reference() const { return pieces_.size() == 1 && pieces_.front().is_name; }
  /// Returns the name of the first variable that does not exist.
  std::optional<std::string_view> missing(variable_values const& values) const;
  /// Returns the text with the values. Fails with `validation_failed` if a variable is missing (the sentence
  /// names it), or if the text would be too long; checks both before it allocates the text.
  result<secret_string> filled(variable_values const& values) const;

 private:
  struct piece {
    std::string text;
    bool is_name;
  };
  void add_literal(std::string_view text);
  std::string_view value_of(piece const& piece, variable_values const& values) const;

  std::vector<piece> pieces_{};
  std::size_t most_ = longest_filled;
};

}  // namespace svc::checks
