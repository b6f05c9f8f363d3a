#include "svc/sign_in/browser_input.hpp"

#include "svc/core/ascii.hpp"
#include "svc/domain/display_text.hpp"

#include <algorithm>

namespace svc::sign_in {
namespace {

bool is_visible_ascii(char c) {
  return c > ' ' && c < 0x7f;
}

/// Returns true for white space and control characters, as a paste may bring them.
bool is_blank(char c) {
  return static_cast<unsigned char>(c) <= ' ' || c == 0x7f;
}

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Labels of letters, digits, hyphens and characters beyond ASCII, separated by single dots.
bool is_mail_domain(std::string_view text) {
  while (true) {
    auto const label = text.substr(0, text.find('.'));
    bool const fits = !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
                      std::ranges::all_of(label, [](char c) {
                        return c == '-' || (c >= '0' && c <= '9') || (to_lower(c) >= 'a' && to_lower(c) <= 'z') ||
                               static_cast<unsigned char>(c) >= 0x80;
                      });
    if (!fits) return false;
    if (label.size() == text.size()) return true;
    text.remove_prefix(label.size() + 1);
  }
}

/// Returns true if the text has a letter beyond ASCII whose lower-case form is an ASCII letter: U+0130 or U+212A. For
/// PostgreSQL its address would be that of another person, who could then never have an account.
bool has_ambiguous_letter(std::string_view text) {
  return text.find("\xC4\xB0") != std::string_view::npos || text.find("\xE2\x84\xAA") != std::string_view::npos;
}

/// Takes a dot, or a percent-encoded one, off the text.
bool take_dot(std::string_view& text) {
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    return true;
  }
  bool const encoded = text.size() >= 3 && iequals(text.substr(0, 3), "%2e");
  if (encoded) text.remove_prefix(3);
  return encoded;
}

/// Returns true for the segments that a browser resolves: one dot or two.
bool is_dot_segment(std::string_view segment) {
  if (!take_dot(segment)) return false;
  return segment.empty() || (take_dot(segment) && segment.empty());
}

bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    auto const end = std::min(path.find('/'), path.size());
    if (is_dot_segment(path.substr(0, end))) return true;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return false;
}

}  // namespace

std::optional<std::string> normalised_email(std::string_view text) {
  text = without_blanks(text);
  auto const sign = text.rfind('@');
  if (sign == std::string_view::npos || sign == 0 || text.size() > longest_email) return std::nullopt;
  auto const local = text.substr(0, sign);
  if (local.size() > longest_local_part || local.find_first_of("@\"<>(),:;\\[]") != std::string_view::npos)
    return std::nullopt;
  if (std::ranges::any_of(local, is_blank) || has_hidden_character(text) || !is_mail_domain(text.substr(sign + 1)))
    return std::nullopt;
  if (has_ambiguous_letter(text)) return std::nullopt;
  return lower_case(text);
}

std::string_view domain_of(std::string_view normalised_email) {
  auto const sign = normalised_email.rfind('@');
  return sign == std::string_view::npos ? std::string_view() : normalised_email.substr(sign + 1);
}

sha256_digest email_digest(std::string_view text) {
  auto const normalised = normalised_email(text);
  return sha256(normalised ? *normalised : lower_case(without_blanks(text)));
}

bool is_return_path(std::string_view text) {
  constexpr std::string_view pages = "/app/";
  if (text.size() > longest_return_path || !text.starts_with(pages)) return false;
  if (!std::ranges::all_of(text, is_visible_ascii)) return false;
  if (text.find("//") != std::string_view::npos || text.find('\\') != std::string_view::npos) return false;
  return !has_dot_segment(text.substr(0, text.find_first_of("?#")));
}

}  // namespace svc::sign_in
