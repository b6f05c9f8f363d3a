// The rules for passwords that people may set. They apply when a password is set, never when it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc::sign_in {

/// Characters (code points of UTF-8) of a password. A password counts exactly as it was sent: it is not trimmed,
/// normalised or cut.
inline constexpr std::size_t longest_password = 256;
/// Characters that must remain after the removal of names and addresses that others know.
inline constexpr std::size_t least_own_characters = 8;

/// The rules that the operator chooses. Immutable.
struct password_rules {
  std::size_t min_length = 15;  ///< 8 to 64
};

enum class password_verdict : std::uint8_t {
  accepted,
  not_text,   ///< not UTF-8
  too_short,  ///< fewer characters than `min_length`
  too_long,   ///< more than `longest_password`
  common,     ///< a listed password, also with a sequence before or after it; a short repeated text; or a sequence
  personal,   ///< fewer than `least_own_characters` besides names and addresses
  denied,     ///< in the operator's file
};

/// Decides everything but `denied`, which `denied_passwords` decides. `known_words` are texts that others know: the
/// service's name and host, names of organisations, the person's name and e-mail address. Parts of them count as
/// well. Pure and total.
password_verdict judge_password(std::string_view password, password_rules const& rules,
                                std::vector<std::string_view> const& known_words);

/// Returns true if the embedded list has the password, in any case of its ASCII letters.
bool is_common_password(std::string_view password);

/// Returns what is wrong, as the message of the field in an error's details; empty for `accepted`.
std::string refusal_reason(password_verdict verdict, password_rules const& rules);

}  // namespace svc::sign_in
