#include "svc/domain/cron.hpp"

#include <array>
#include <charconv>
#include <vector>

namespace svc {
namespace {

using names = std::vector<std::string_view>;

names const no_names{};
names const month_names{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
names const day_names{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

/// One field's numbers, and the words that stand for `low`, `low + 1`, ...
struct field_form {
  int low;
  int high;
  names const* words;
};

bool same_word(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((text[i] | 0x20) != word[i]) return false;
  }
  return true;
}

std::optional<int> number(std::string_view text) {
  int value = 0;
  auto const end = text.data() + text.size();
  if (text.empty() || text.size() > 3 || text.front() < '0' || text.front() > '9') return std::nullopt;
  auto const [stop, failure] = std::from_chars(text.data(), end, value);
  return failure == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<int> value_of(std::string_view text, field_form form) {
  int at = form.low;
  for (auto word : *form.words) {
    if (same_word(text, word)) return at;
    ++at;
  }
  auto const found = number(text);
  return found && *found >= form.low && *found <= form.high ? found : std::nullopt;
}

/// `*`, `N`, `N-M`, each with `/step`; `N/step` runs to the field's end.
template <std::size_t Size>
bool add_range(std::string_view text, field_form form, std::bitset<Size>& into) {
  auto const slash = text.find('/');
  auto const range = text.substr(0, slash);
  auto const step = slash == text.npos ? std::optional(1) : number(text.substr(slash + 1));
  if (!step || *step < 1 || *step > form.high) return false;
  std::optional<int> from = form.low;
  std::optional<int> to = form.high;
  if (range != "*") {
    auto const dash = range.find('-');
    from = value_of(range.substr(0, dash), form);
    if (dash != range.npos) {
      to = value_of(range.substr(dash + 1), form);
    } else if (slash == text.npos) {
      to = from;
    }
  }
  if (!from || !to || *from > *to) return false;
  for (int i = *from; i <= *to; i += *step) into.set(static_cast<std::size_t>(i));
  return true;
}

template <std::size_t Size>
bool read_field(std::string_view text, field_form form, std::bitset<Size>& into) {
  for (;;) {
    auto const comma = text.find(',');
    if (!add_range(text.substr(0, comma), form, into)) return false;
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
}

/// The five fields; nothing when there are more or fewer.
std::optional<std::array<std::string_view, 5>> split(std::string_view text) {
  std::array<std::string_view, 5> fields;
  std::size_t found = 0;
  for (;;) {
    auto const begin = text.find_first_not_of(" \t");
    if (begin == text.npos) break;
    if (found == fields.size()) return std::nullopt;
    text.remove_prefix(begin);
    fields[found++] = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(fields[found - 1].size());
  }
  return found == fields.size() ? std::optional(fields) : std::nullopt;
}

}  // namespace

std::optional<cron_schedule> cron_schedule::parse(std::string_view text) {
  if (text.size() > 255) return std::nullopt;
  auto const fields = split(text);
  if (!fields) return std::nullopt;
  cron_schedule made;
  std::bitset<8> weekdays;
  if (!read_field((*fields)[0], {0, 59, &no_names}, made.minutes_) ||
      !read_field((*fields)[1], {0, 23, &no_names}, made.hours_) ||
      !read_field((*fields)[2], {1, 31, &no_names}, made.days_) ||
      !read_field((*fields)[3], {1, 12, &month_names}, made.months_) ||
      !read_field((*fields)[4], {0, 7, &day_names}, weekdays)) {
    return std::nullopt;
  }
  for (std::size_t day = 0; day < 8; ++day) {
    if (weekdays[day]) made.weekdays_.set(day % 7);
  }
  made.any_day_ = (*fields)[2].front() == '*';
  made.any_weekday_ = (*fields)[4].front() == '*';
  return made;
}

}  // namespace svc
