#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// Texts of the tables of languages. A text that is missing, is empty or has wrong placeholders does not compile.

namespace svc::pages {

/// A text with the placeholders `{0}` to `{Count - 1}`, each at least once.
template <std::size_t Count>
class pattern {
 public:
  template <std::size_t Size>
  consteval pattern(char const (&text)[Size]) : text_(text, Size - 1) {  // NOLINT(google-explicit-constructor)
    if (Size <= 1) throw "a text is missing";
    std::array<bool, Count + 1> used{};
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] == '}') throw "a placeholder does not begin";
      if (text_[i] != '{') continue;
      auto const number = static_cast<std::size_t>(text_[i + 1] - '0');
      if (number >= Count || text_[i + 2] != '}') throw "no such placeholder";
      used[number] = true;
      i += 2;
    }
    for (std::size_t i = 0; i < Count; ++i)
      if (!used[i]) throw "a placeholder is missing";
  }

  constexpr std::string_view text() const { return text_; }

  /// Returns the text with the arguments in it, as they are.
  template <std::convertible_to<std::string_view>... Arguments>
    requires(sizeof...(Arguments) == Count)
  std::string operator()(Arguments const&... arguments) const {
    std::array<std::string_view, Count> const all{std::string_view(arguments)...};
    std::string out;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      if (text_[i] != '{') {
        out += text_[i];
        continue;
      }
      out += all.at(static_cast<std::size_t>(text_[i + 1] - '0'));
      i += 2;
    }
    return out;
  }

 private:
  std::string_view text_;
};

/// A text without placeholders.
class phrase : public pattern<0> {
 public:
  using pattern<0>::pattern;
  constexpr operator std::string_view() const { return text(); }  // NOLINT(google-explicit-constructor)
};

/// The rules of CLDR for whole numbers in the languages of pages.
enum class plural_rule : std::uint8_t {
  single,        ///< one form: ja, zh
  one_other,     ///< 1, and all others: de, en, es, it, nl
  one_or_zero,   ///< 0 and 1, and all others: fr, pt
  one_few_many,  ///< 1; 2 to 4 except 12 to 14; all others: pl
};

constexpr std::size_t form_count(plural_rule rule) {
  return rule == plural_rule::single ? 1 : rule == plural_rule::one_few_many ? 3 : 2;
}

/// Returns the index of a number's form.
constexpr std::size_t form_of(plural_rule rule, std::uint64_t number) {
  switch (rule) {
    case plural_rule::single:
      return 0;
    case plural_rule::one_other:
      return number == 1 ? 0 : 1;
    case plural_rule::one_or_zero:
      return number <= 1 ? 0 : 1;
    case plural_rule::one_few_many:
      break;
  }
  if (number == 1) return 0;
  auto const last = number % 10, last_two = number % 100;
  return last >= 2 && last <= 4 && (last_two < 12 || last_two > 14) ? 1 : 2;
}

/// A text with a number, in as many forms as the language has; all forms hold the number, `{0}`.
class plural {
 public:
  consteval plural(pattern<1> first)
      : forms_{first, first, first}, count_(1) {}  // NOLINT(google-explicit-constructor)
  consteval plural(pattern<1> first, pattern<1> other) : forms_{first, other, other}, count_(2) {}
  consteval plural(pattern<1> first, pattern<1> few, pattern<1> many) : forms_{first, few, many}, count_(3) {}

  constexpr std::size_t count() const { return count_; }
  std::string operator()(plural_rule rule, std::uint64_t number) const {
    return forms_.at(form_of(rule, number))(std::to_string(number));
  }

 private:
  std::array<pattern<1>, 3> forms_;
  std::size_t count_;
};

}  // namespace svc::pages
