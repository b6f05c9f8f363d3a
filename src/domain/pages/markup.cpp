#include "domain/pages/markup.hpp"

#include "svc/core/harmless_text.hpp"
#include "svc/core/utf8.hpp"

#include <algorithm>
#include <vector>

namespace svc::pages {
namespace {

constexpr std::size_t longest_link = 2000;

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
  }
}

/// Escapes valid UTF-8 without controls. Leaves out U+FFFE and U+FFFF, which XML 1.0 does not have.
std::string escape_clean(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 8);
  while (!text.empty()) {
    if (text.starts_with("\xEF\xBF\xBE") || text.starts_with("\xEF\xBF\xBF")) {
      text.remove_prefix(3);
      continue;
    }
    append_escaped(out, text.front());
    text.remove_prefix(1);
  }
  return out;
}

bool ends_link(char c) {
  return c == ' ' || c == '<' || c == '>' || c == '"' || c == '\\' || c == '^' || c == '`' || c == '{' || c == '|' ||
         c == '}';
}

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Removes punctuation that belongs to the sentence, and closing brackets that have no partner in the address. Reads
/// the address twice, however many brackets it has.
std::string_view without_punctuation(std::string_view address) {
  constexpr std::string_view marks = ".,;:!?'*";
  auto lone = std::ranges::count(address, ')') - std::ranges::count(address, '(');
  while (!address.empty()) {
    auto const last = address.back();
    bool const bracket = last == ')' && lone > 0;
    if (!bracket && marks.find(last) == marks.npos) break;
    if (bracket) --lone;
    address.remove_suffix(1);
  }
  return address;
}

/// An address in a line, with the text that was read for it.
struct found_address {
  std::string_view address;  ///< empty: the text is no address
  std::size_t size;          ///< bytes up to a character that no address has; no other address begins inside
};

found_address address_at(std::string_view line) {
  auto const scheme = line.starts_with("https://") ? 8U : line.starts_with("http://") ? 7U : 0U;
  if (scheme == 0) return {{}, 4};
  auto const whole = line.substr(0, static_cast<std::size_t>(std::ranges::find_if(line, ends_link) - line.begin()));
  // Punctuation of Chinese and Japanese (U+3000 to U+303F, U+FF00 to U+FF3F) is never part of an address.
  auto const text = whole.substr(0, std::min(whole.find("\xE3\x80"), whole.find("\xEF\xBC")));
  auto const address = without_punctuation(text);
  if (address.size() > scheme && address.size() <= longest_link) return {address, address.size()};
  return {{}, text.size()};
}

/// Appends a line with its links. The whole address is the text of its link, so that it hides no target.
void append_linked(std::string& out, std::string_view line) {
  std::size_t plain = 0, position = 0;
  while ((position = line.find("http", position)) != line.npos) {
    bool const inside = position > 0 && is_word(line[position - 1]);
    auto const [address, size] = inside ? found_address{{}, 4} : address_at(line.substr(position));
    if (!address.empty()) {
      auto const escaped = escape_clean(address);
      out += escape_clean(line.substr(plain, position - plain));
      out.append("<a href=\"")
          .append(escaped)
          .append("\" rel=\"nofollow ugc noopener\">")
          .append(escaped)
          .append("</a>");
      plain = position + size;
    }
    position += size;
  }
  out += escape_clean(line.substr(plain));
}

std::string_view without_blanks(std::string_view line) {
  auto const first = line.find_first_not_of(' ');
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(' ') - first + 1);
}

/// Returns the lines of each paragraph. Points into the text.
std::vector<std::vector<std::string_view>> split_paragraphs(std::string_view text) {
  std::vector<std::vector<std::string_view>> out;
  bool inside = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto const end = std::min(text.find('\n', begin), text.size());
    auto const line = without_blanks(text.substr(begin, end - begin));
    begin = end + 1;
    if (line.empty()) {
      inside = false;
      continue;
    }
    if (!inside) out.emplace_back();
    inside = true;
    out.back().push_back(line);
  }
  return out;
}

}  // namespace

std::string escaped_line(std::string_view text) {
  return escape_clean(one_line(text));
}

std::string escaped_markup(std::string_view html) {
  return escape_clean(html);
}

std::string paragraphs(std::string_view body) {
  std::string out;
  auto const text = several_lines(body);
  for (auto const& lines : split_paragraphs(text)) {
    out += "<p>";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) out += "<br>";
      append_linked(out, lines[i]);
    }
    out += "</p>";
  }
  return out;
}

std::string plain_body(std::string_view body) {
  std::string out;
  auto const text = several_lines(body);
  for (auto const& lines : split_paragraphs(text)) {
    if (!out.empty()) out += '\n';
    for (auto const line : lines) out.append(line).append("\n");
  }
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace svc::pages
