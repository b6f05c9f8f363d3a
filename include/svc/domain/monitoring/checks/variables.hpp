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

/// A project's variables by name; secret or not, what they are put into is treated as a secret.
using variable_values = std::map<std::string, secret_string, std::less<>>;

/// A text with references to variables: `{{NAME}}` is the value, `{{{{` is `{{`. A brace before a reference stays
/// one:
/// `{"a":{{{NAME}}}` has the value between `{` and `}`. A value.
class text_with_variables {
 public:
  /// Bytes of a filled text whose member has no smaller limit.
  static constexpr std::size_t longest_filled = 64UL * 1024;

  /// `most`: bytes that the text may have with its values. Fails with `validation_failed` for `{{` that begins no
  /// reference, at its character.
  static result<text_with_variables> parse(std::string_view text, std::size_t most = longest_filled);

  /// The names, in order, each as often as it stands there.
  std::vector<std::string_view> names() const;
  /// Nothing but one reference: such a text is no secret itself.
  bool is_reference() const { return pieces_.size() == 1 && pieces_.front().is_name; }
  /// Name of the first variable that does not exist.
  std::optional<std::string_view> missing(variable_values const& values) const;
  /// The text with the values. Fails with `validation_failed` if a variable is missing, whose name the sentence has,
  /// or if the text would be longer than allowed. Decides that before it allocates the text.
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
