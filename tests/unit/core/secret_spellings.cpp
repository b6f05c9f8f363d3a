#include "secret_spellings.hpp"

#include "svc/core/utf8.hpp"

#include <algorithm>
#include <array>

namespace svc {
namespace {

using texts = std::vector<std::string>;

constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::string_view lower_digits = "0123456789abcdef";
constexpr std::string_view upper_digits = "0123456789ABCDEF";

bool among(std::string_view set, char c) {
  return set.find(c) != std::string_view::npos;
}

/// Returns the part of any encoding of `before` bytes, the secret, and `after` bytes that contains bits of the secret
/// (and padding).
std::string base64(std::string_view secret, std::size_t before, std::size_t after, bool padded,
                   std::string_view last_two) {
  std::string const whole = std::string(before, 'x') + std::string(secret) + std::string(after, 'y');
  std::string out;
  unsigned bits = 0;
  unsigned held = 0;
  auto const add = [&](unsigned value) {
    out += value < letters.size() ? letters[value] : last_two[value - letters.size()];
  };
  for (unsigned char const c : whole) {
    bits = bits << 8U | c;
    for (held += 8; held >= 6; held -= 6) add(bits >> (held - 6) & 63U);
  }
  if (held > 0) add(bits << (6 - held) & 63U);
  auto const end = ((before + secret.size()) * 8 + 5) / 6;
  auto shown = out.substr(before * 8 / 6, end - before * 8 / 6);
  while (padded && after == 0 && out.size() % 4 != 0) {
    out += '=';
    shown += '=';
  }
  return shown;
}

void add_base64(std::string_view secret, texts& out) {
  for (std::string_view const last_two : {"+/", "-_"})
    for (std::size_t before = 0; before < 3; ++before)
      for (std::size_t after = 0; after < 3; ++after)
        for (bool const padded : {false, true}) out.push_back(base64(secret, before, after, padded, last_two));
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
    std::string_view kept;  ///< in addition to letters and digits
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

void append_unicode(std::string& out, char32_t unit, std::string_view digits) {
  out.append("\\u");
  for (int shift = 12; shift >= 0; shift -= 4) out += digits[(unit >> static_cast<unsigned>(shift)) & 15U];
}

char32_t code_point(std::string_view sequence) {
  auto const lead = static_cast<unsigned char>(sequence.front());
  if (sequence.size() == 1) return lead;
  char32_t out = lead & (0xFFU >> (sequence.size() + 1));
  for (auto const c : sequence.substr(1)) out = out << 6U | (static_cast<unsigned char>(c) & 0x3FU);
  return out;
}

/// Returns the two-character escape, or nothing.
char short_escape(char c) {
  constexpr std::string_view plain = "\"\\\b\f\n\r\t";
  constexpr std::string_view escape = "\"\\bfnrt";
  auto const position = plain.find(c);
  return position == std::string_view::npos ? '\0' : escape[position];
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

std::vector<std::string> secret_spellings(std::string_view secret) {
  texts out;
  add_base64(secret, out);
  add_hex(secret, out);
  add_percent(secret, out);
  add_json(secret, out);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace svc
