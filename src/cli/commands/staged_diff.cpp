#include "cli/commands/staged_diff.hpp"

#include "svc/core/numbers.hpp"

#include <algorithm>

namespace svc::cli {
namespace {

/// Returns the character of an escape sequence, and removes the sequence from `rest`.
char unescaped(std::string_view& rest) {
  constexpr std::string_view letters = "abtnvfr";
  constexpr std::string_view meanings = "\a\b\t\n\v\f\r";
  auto const is_octal = [](char c) { return c >= '0' && c <= '7'; };
  if (rest.size() >= 3 && std::all_of(rest.begin(), rest.begin() + 3, is_octal)) {
    int code = 0;
    for (char const c : rest.substr(0, 3)) code = code * 8 + (c - '0');
    rest.remove_prefix(3);
    return static_cast<char>(code);
  }
  char const c = rest.empty() ? '\\' : rest.front();
  rest.remove_prefix(std::min<std::size_t>(rest.size(), 1));
  auto const position = letters.find(c);
  return position == std::string_view::npos ? c : meanings[position];
}

std::string unquoted(std::string_view rest) {
  std::string out;
  while (!rest.empty() && rest.front() != '"') {
    char const c = rest.front();
    rest.remove_prefix(1);
    out += c == '\\' ? unescaped(rest) : c;
  }
  return out;
}

struct line_range {
  std::uint64_t first = 0, count = 1;
};

/// `12` or `12,3`.
line_range range_of(std::string_view text) {
  auto const comma = text.find(',');
  line_range out;
  out.first = parse_number<std::uint64_t>(text.substr(0, comma)).value_or(0);
  if (comma != std::string_view::npos) out.count = parse_number<std::uint64_t>(text.substr(comma + 1)).value_or(0);
  return out;
}

/// Returns the word after a sign, `-` or `+`; empty without one.
std::string_view word_after(std::string_view text, std::string_view sign) {
  auto const position = text.find(sign);
  if (position == std::string_view::npos) return {};
  text.remove_prefix(position + sign.size());
  return text.substr(0, text.find(' '));
}

}  // namespace

std::string file_of_header(std::string_view name) {
  constexpr std::string_view prefix = "b/";
  std::string out = name.starts_with('"') ? unquoted(name.substr(1)) : std::string(name.substr(0, name.find('\t')));
  return out.starts_with(prefix) ? out.substr(prefix.size()) : out;
}

void staged_diff::feed(std::string_view bytes) {
  for (auto end = bytes.find('\n'); end != std::string_view::npos; end = bytes.find('\n')) {
    unfinished_line_ += bytes.substr(0, end);
    take_line(unfinished_line_);
    unfinished_line_.clear();
    bytes.remove_prefix(end + 1);
  }
  unfinished_line_ += bytes;
}

std::vector<token_location> staged_diff::finish() {
  if (!unfinished_line_.empty()) take_line(unfinished_line_);
  end_hunk();
  auto out = std::move(found_);
  *this = {};
  return out;
}

void staged_diff::take_line(std::string_view line) {
  constexpr std::string_view file_header = "+++ ", hunk_header = "@@ ";
  if (removed_left_ + added_left_ > 0) {
    take_change(line);
  } else if (line.starts_with(hunk_header)) {
    begin_hunk(line);
  } else if (line.starts_with(file_header)) {
    end_hunk();
    file_ = file_of_header(line.substr(file_header.size()));
  }
}

void staged_diff::begin_hunk(std::string_view header) {
  end_hunk();
  removed_left_ = range_of(word_after(header, " -")).count;
  auto const added = range_of(word_after(header, " +"));
  added_left_ = added.count;
  first_line_ = added.first;
}

void staged_diff::take_change(std::string_view line) {
  // "\ No newline at end of file"
  if (line.starts_with('\\')) return;
  bool const is_removed = line.starts_with('-');
  bool const is_added = line.starts_with('+');
  if (!is_added) removed_left_ -= std::min<std::uint64_t>(removed_left_, 1);
  if (is_removed) return;
  added_left_ -= std::min<std::uint64_t>(added_left_, 1);
  if (is_added) scanner_.feed(line.substr(1));
  scanner_.feed("\n");
}

void staged_diff::end_hunk() {
  for (auto& each : scanner_.finish()) {
    each.line += first_line_ - 1;
    found_.push_back({file_, std::move(each)});
  }
  removed_left_ = added_left_ = 0;
}

}  // namespace svc::cli
