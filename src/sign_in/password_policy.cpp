#include "svc/sign_in/password_policy.hpp"

#include "sign_in/sorted_lines.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/utf8.hpp"

#include <algorithm>
#include <array>

namespace svc::embedded {
/// Sorted lines in lower case. docs/dependencies.md names their source.
extern std::string_view const common_passwords;
}  // namespace svc::embedded

namespace svc::sign_in {
namespace {

constexpr std::size_t shortest_common = 8, longest_common = 20;
/// Shorter parts of names would hit words of good passwords as well.
constexpr std::size_t shortest_known_word = 3;

/// Characters in the order in which fingers and children go through them; each order is a circle.
constexpr std::array<std::string_view, 5> tracks{"0123456789", "abcdefghijklmnopqrstuvwxyz",
                                                 "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm",
                                                 "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p"};

/// Returns true if each character is `step` places after the one before it.
bool follows(std::string_view text, std::string_view track, std::size_t step) {
  auto position = track.find(text.front());
  return std::ranges::all_of(text, [&](char c) {
    bool const fits = position != std::string_view::npos && track[position] == c;
    position = fits ? (position + step) % track.size() : position;
    return fits;
  });
}

/// Returns true for characters in a row, forwards or backwards, and for one character repeated.
bool is_sequence(std::string_view text) {
  if (text.find_first_not_of(text.front()) == std::string_view::npos) return true;
  return std::ranges::any_of(tracks, [text](std::string_view track) {
    return follows(text, track, 1) || follows(text, track, track.size() - 1);
  });
}

/// Returns the length of the shortest unit that the text has at least one and a half times, one after the other; the
/// last one may be cut. Returns the whole length if there is none.
std::size_t unit_of(std::string_view text) {
  for (std::size_t unit = 1; unit <= text.size() * 2 / 3; ++unit)
    if (text.substr(unit) == text.substr(0, text.size() - unit)) return unit;
  return text.size();
}

bool is_listed(std::string_view lower) {
  if (lower.size() < shortest_common || lower.size() > longest_common) return false;
  auto const all = embedded::common_passwords;
  return has_line(
      all.size(), [all](std::uint64_t offset) { return all.substr(offset, sorted_piece); },
      [lower](std::string_view line) { return line <=> lower; });
}

/// Returns true for two sequences, and for a listed password with a sequence before or after it (password1234567).
bool is_composed(std::string_view lower) {
  for (std::size_t cut = 1; cut < lower.size(); ++cut) {
    auto const front = lower.substr(0, cut), back = lower.substr(cut);
    if (is_sequence(front) && (is_sequence(back) || is_listed(back))) return true;
    if (is_listed(front) && is_sequence(back)) return true;
  }
  return false;
}

bool is_trivial(std::string_view lower, password_rules const& rules) {
  auto const unit = unit_of(lower);
  bool const repeated = unit < lower.size() && code_points(lower.substr(0, unit)) < rules.min_length;
  return repeated || is_sequence(lower) || is_listed(lower) || is_composed(lower);
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80;
}

/// Returns a text in lower case, the same without separators, and its parts between them.
std::vector<std::string> forms_of(std::string_view known) {
  std::vector<std::string> forms{lower_case(known), std::string(), std::string()};
  for (char const c : lower_case(known)) {
    if (is_word_character(c)) {
      forms[1] += c;
      forms.back() += c;
    } else if (!forms.back().empty()) {
      forms.emplace_back();
    }
  }
  std::erase_if(forms, [](std::string const& form) { return form.size() < shortest_known_word; });
  return forms;
}

/// Returns the number of characters that are in no occurrence of a known word.
std::size_t own_characters(std::string_view lower, std::vector<std::string_view> const& known_words) {
  std::vector<bool> known(lower.size());
  for (auto const word : known_words)
    for (auto const& form : forms_of(word))
      for (auto found = lower.find(form); found != std::string_view::npos; found = lower.find(form, found + 1))
        std::fill_n(known.begin() + static_cast<std::ptrdiff_t>(found), form.size(), true);
  std::size_t own = 0;
  for (std::size_t i = 0; i < lower.size(); ++i) own += !known[i] && code_points(lower.substr(i, 1)) == 1 ? 1U : 0U;
  return own;
}

}  // namespace

bool is_common_password(std::string_view password) {
  return is_listed(lower_case(password));
}

password_verdict judge_password(std::string_view password, password_rules const& rules,
                                std::vector<std::string_view> const& known_words) {
  // Before the text is walked through: a character has four bytes at most.
  if (password.size() > longest_password * 4) return password_verdict::too_long;
  if (!is_utf8(password)) return password_verdict::not_text;
  auto const characters = code_points(password);
  if (password.empty() || characters < rules.min_length) return password_verdict::too_short;
  if (characters > longest_password) return password_verdict::too_long;
  auto const lower = lower_case(password);
  if (is_trivial(lower, rules)) return password_verdict::common;
  if (own_characters(lower, known_words) < least_own_characters) return password_verdict::personal;
  return password_verdict::accepted;
}

std::string refusal_reason(password_verdict verdict, password_rules const& rules) {
  switch (verdict) {
    case password_verdict::accepted:
      return {};
    case password_verdict::not_text:
      return "must be valid UTF-8";
    case password_verdict::too_short:
      return "must have at least " + std::to_string(rules.min_length) + " characters";
    case password_verdict::too_long:
      return "must have at most " + std::to_string(longest_password) + " characters";
    case password_verdict::common:
      return "is among the first that are guessed: a common password, a repetition or a sequence; choose for example "
             "several unrelated words";
    case password_verdict::personal:
      return "must have at least " + std::to_string(least_own_characters) +
             " characters besides your e-mail address and the names of the service, the organization and yourself";
    case password_verdict::denied:
      break;
  }
  return "is known from a leak or denied by the operator; choose another one";
}

}  // namespace svc::sign_in
