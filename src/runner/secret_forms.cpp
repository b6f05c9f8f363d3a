#include "runner/secret_forms.hpp"

#include "svc/core/utf8.hpp"

#include <algorithm>
#include <array>

namespace svc::runner {
namespace {

using texts = std::vector<std::string>;

// Shorter lines of a longer secret ("}", "--") are no secret, and masking them would leave nothing readable.
constexpr std::size_t shortest_line = 4;
/// The least that is left of a base64 text broken into lines and still worth masking.
constexpr std::size_t shortest_chunk = 8;

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view lower_digits = "0123456789abcdef";
constexpr std::string_view upper_digits = "0123456789ABCDEF";

bool among(std::string_view set, char c) {
  return set.find(c) != std::string_view::npos;
}

/// The characters of base64 whose bits are all known: `before` unknown bytes stand before the secret. With `ends`
/// also the last one, whose missing bits are zero when nothing follows.
std::string base64(std::string_view secret, std::size_t before, bool ends, std::string_view last_two) {
  std::string out;
  auto const bits = (before + secret.size()) * 8;
  auto const bit = [&](std::size_t at) {
    if (at >= bits) return 0U;
    return (static_cast<unsigned char>(secret[at / 8 - before]) >> (7 - at % 8)) & 1U;
  };
  auto const first = (before * 8 + 5) / 6;
  auto const last = ends ? (bits + 5) / 6 : bits / 6;
  for (auto sextet = first; sextet < last; ++sextet) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 6; ++i) value = value * 2 + bit(sextet * 6 + i);
    out += value < letters.size() ? letters[value] : last_two[value - letters.size()];
  }
  return out;
}

void add_base64(std::string_view secret, texts& out) {
  for (std::string_view const last_two : {"+/", "-_"}) {
    for (std::size_t before = 0; before < 3; ++before) {
      out.push_back(base64(secret, before, false, last_two));
      auto ended = base64(secret, before, true, last_two);
      out.push_back(ended);
      if (auto const over = (before + secret.size()) % 3; over != 0)
        out.push_back(std::move(ended.append(over == 1 ? "==" : "=")));
    }
  }
  auto alone = base64(secret, 0, true, "+/");
  while (alone.size() % 4 != 0) alone += '=';
  for (std::size_t const width : {std::size_t{64}, std::size_t{76}}) {
    if (alone.size() <= width) continue;
    for (std::size_t at = 0; at < alone.size(); at += width)
      if (alone.size() - at >= shortest_chunk) out.push_back(alone.substr(at, width));
  }
}

void add_hex(std::string_view secret, texts& out) {
  for (auto const digits : {lower_digits, upper_digits}) {
    std::string text;
    for (unsigned char const c : secret) text.append({digits[c / 16U], digits[c % 16U]});
    out.push_back(std::move(text));
  }
}

void add_percent(std::string_view secret, texts& out) {
  struct style {
    std::string_view kept;  ///< besides letters and digits
    bool plus = false;      ///< for a space
  };
  constexpr std::array<style, 6> styles{
      {{"-_.~"}, {"-_.~/"}, {"-_.!~*'()"}, {"-_.~:/?#[]@!$&'()*+,;="}, {"-_.~", true}, {"*-._", true}}};
  for (auto const& each : styles) {
    for (auto const digits : {upper_digits, lower_digits}) {
      std::string text;
      for (char const c : secret) {
        auto const byte = static_cast<unsigned char>(c);
        if (among(letters, c) || among(each.kept, c)) {
          text += c;
        } else if (each.plus && c == ' ') {
          text += '+';
        } else {
          text.append({'%', digits[byte / 16U], digits[byte % 16U]});
        }
      }
      out.push_back(std::move(text));
    }
  }
}

void append_unicode(std::string& to, char32_t unit, std::string_view digits) {
  to.append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) to += digits[(unit >> static_cast<unsigned>(shift)) & 15U];
}

char32_t code_point(std::string_view sequence) {
  auto const lead = static_cast<unsigned char>(sequence.front());
  if (sequence.size() == 1) return lead;
  char32_t out = lead & (0xFFU >> (sequence.size() + 1));
  for (auto const c : sequence.substr(1)) out = out << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return out;
}

/// The escapes of two characters, or nothing.
char short_escape(char c) {
  constexpr std::string_view plain = "\"\\\b\f\n\r\t";
  constexpr std::string_view escape = "\"\\bfnrt";
  auto const at = plain.find(c);
  return at == std::string_view::npos ? '\0' : escape[at];
}

std::string json_text(std::string_view secret, bool ascii, bool slashes, std::string_view digits) {
  std::string out;
  while (!secret.empty()) {
    auto const size = std::max<std::size_t>(1, utf8_sequence(secret));
    auto const sequence = secret.substr(0, size);
    secret.remove_prefix(size);
    char const c = sequence.front();
    if (auto const escape = short_escape(c); size == 1 && escape != '\0') {
      out.append({'\\', escape});
    } else if (c == '/' && slashes) {
      out.append("\\/");
    } else if (size == 1 && static_cast<unsigned char>(c) < 0x20) {
      append_unicode(out, static_cast<unsigned char>(c), digits);
    } else if (size > 1 && ascii) {
      auto const point = code_point(sequence);
      if (point > 0xFFFF) append_unicode(out, 0xD800 + ((point - 0x10000) >> 10U), digits);
      append_unicode(out, point > 0xFFFF ? 0xDC00 + ((point - 0x10000) & 0x3FFU) : point, digits);
    } else {
      out.append(sequence);
    }
  }
  return out;
}

void add_json(std::string_view secret, texts& out) {
  for (auto const digits : {lower_digits, upper_digits})
    for (bool const ascii : {false, true})
      for (bool const slashes : {false, true}) out.push_back(json_text(secret, ascii, slashes, digits));
}

}  // namespace

std::vector<std::string> secret_forms(std::string_view secret) {
  texts out;
  if (secret.size() < shortest_encoded_secret) return out;
  add_base64(secret, out);
  add_hex(secret, out);
  add_percent(secret, out);
  add_json(secret, out);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  std::erase(out, secret);
  return out;
}

std::vector<std::string> secret_lines(std::string_view secret) {
  texts out;
  for (auto rest = secret; !rest.empty();) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() >= shortest_line && line.size() < secret.size()) out.emplace_back(line);
  }
  return out;
}

}  // namespace svc::runner
