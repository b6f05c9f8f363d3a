#include "monitoring/notifications/mime.hpp"

#include "monitoring/notifications/text.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/utf8.hpp"

#include <algorithm>

namespace svc::notifications {

namespace {

constexpr std::size_t longest_line = 76, longest_plain = 60;
/// `=?UTF-8?B?` and `?=` leave 63 of the 75 characters of an encoded word: 45 bytes.
constexpr std::size_t bytes_in_word = 45;

constexpr std::size_t subject_bytes = 200;

bool is_alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_local_part(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-/=?^_`{|}~.";
  return !text.empty() && text.size() <= 64 && text.front() != '.' && text.back() != '.' &&
         text.find("..") == std::string_view::npos && std::ranges::all_of(text, [&](char c) {
           return is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
         });
}

bool is_domain(std::string_view text) {
  return !text.empty() && is_alphanumeric(text.front()) && is_alphanumeric(text.back()) &&
         text.find("..") == std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return is_alphanumeric(c) || c == '.' || c == '-'; });
}

bool is_plain(std::string_view text) {
  return text.size() <= longest_plain && text.find("=?") == std::string_view::npos &&
         std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

std::string_view first_character(std::string_view text) {
  return text.substr(0, std::max<std::size_t>(utf8_sequence(text), 1));
}

std::string rfc5322_date(timestamp time) {
  auto text = to_http_date(time);
  text.replace(text.size() - 3, 3, "+0000");
  return text;
}

}  // namespace

bool is_mail_address(std::string_view text) {
  auto const at_sign = text.rfind('@');
  return at_sign != std::string_view::npos && text.size() <= 254 && is_local_part(text.substr(0, at_sign)) &&
         is_domain(text.substr(at_sign + 1));
}

result<mailbox> parse_mailbox(std::string_view text) {
  mailbox out;
  text = trim(text);
  if (text.ends_with('>')) {
    auto const open = text.rfind('<');
    if (open == std::string_view::npos) return error(errc::validation_failed, "must be an e-mail address");
    out.name = trim(text.substr(0, open));
    if (out.name.size() > 1 && out.name.front() == '"' && out.name.back() == '"')
      out.name = out.name.substr(1, out.name.size() - 2);
    text = text.substr(open + 1, text.size() - open - 2);
  }
  out.address = text;
  bool const named_well =
      is_utf8(out.name) && std::ranges::none_of(out.name, [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '"' || c == '\\' || c == '<';
      });
  if (!named_well || !is_mail_address(out.address))
    return error(errc::validation_failed, "must be an e-mail address in ASCII, or a name and one in angle brackets");
  return out;
}

std::string encoded_words(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    std::size_t end = 0;
    for (auto size = first_character(text).size(); size > 0 && end + size <= bytes_in_word && end < text.size();
         size = first_character(text.substr(end)).size())
      end += size;
    if (!out.empty()) out += "\r\n ";
    out += "=?UTF-8?B?" + to_base64(as_bytes(text.substr(0, end))) + "?=";
    text.remove_prefix(end);
  }
  return out;
}

std::string mailbox_field(mailbox const& mailbox) {
  if (mailbox.name.empty()) return mailbox.address;
  auto const name = is_plain(mailbox.name) ? "\"" + mailbox.name + "\"" : encoded_words(mailbox.name);
  return name + "\r\n <" + mailbox.address + ">";
}

std::string quoted_printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  std::size_t used = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (c == '\n') {
      out += "\r\n";
      used = 0;
      continue;
    }
    bool const ends_line = i + 1 == text.size() || text[i + 1] == '\n';
    bool const plain = (c > 0x20 && c < 0x7F && c != '=') || (c == ' ' && !ends_line);
    // A dot that begins a line would have to be doubled (RFC 5321 4.5.2).
    bool const as_it_is = plain && (c != '.' || used > 0);
    if (used + (as_it_is ? 1 : 3) >= longest_line) {
      out += "=\r\n";
      used = 0;
    }
    if (as_it_is && (c != '.' || used > 0)) {
      out += c;
      ++used;
    } else {
      auto const byte = static_cast<unsigned char>(c);
      (out += '=').append({digits[byte >> 4U], digits[byte & 15U]});
      used += 3;
    }
  }
  return out;
}

std::string domain_of(std::string_view address) {
  return std::string(address.substr(address.rfind('@') + 1));
}

std::string write_head(mail_head const& head) {
  auto const fields = "From: " + mailbox_field(head.source) + "\r\nTo: " + std::string(head.recipient) +
                      "\r\nSubject: " + encoded_words(cut(one_line(head.subject), subject_bytes)) +
                      "\r\nDate: " + rfc5322_date(head.now) + "\r\nMessage-ID: <" + head.id + "@" +
                      domain_of(head.source.address) + ">\r\n";
  // RFC 3834, and the field that Exchange reads: no machine answers a machine.
  return fields + "Auto-Submitted: auto-generated\r\nX-Auto-Response-Suppress: All\r\nMIME-Version: 1.0\r\n";
}

}  // namespace svc::notifications
