#include "svc/egress/host.hpp"
#include "svc/core/ascii.hpp"

#include <idn2.h>

#include <algorithm>
#include <memory>

namespace svc::egress {

namespace {

constexpr std::size_t longest_name = 253;
constexpr std::size_t longest_label = 63;
/// Maximum length of the text before its conversion. Longer text can never become a name, and libidn2 takes quadratic
/// time.
constexpr std::size_t longest_text = 1024;

error refused_host(std::string reason) {
  return {errc::validation_failed, std::move(reason)};
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f');
}
bool is_letter_or_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z');
}

std::string_view last_label(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

/// Returns true if a lenient reader would take the label for the last part of an IPv4 address: decimal, octal or
/// hexadecimal.
bool is_number(std::string_view label) {
  if (label.starts_with("0x")) return std::ranges::all_of(label.substr(2), is_hex);
  return !label.empty() && std::ranges::all_of(label, is_digit);
}

struct free_idn {
  void operator()(char* text) const { idn2_free(text); }
};

/// Converts the text to ASCII and lower case. Only text with other bytes goes through libidn2, so that plain names
/// stay unchanged.
result<std::string> in_ascii(std::string_view text) {
  if (text.size() > longest_text) return refused_host("the name of the host is too long");
  // A NUL byte would end the text early for libidn2.
  if (text.find('\0') != std::string_view::npos) return refused_host("the host contains a NUL byte");
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return lower_case(text);
  char* out = nullptr;
  // IDN2_USE_STD3_ASCII_RULES is not set, because it drops characters that host names do not have (`ａ／b` becomes
  // `ab`). Without it these characters stay and are refused.
  int const said = idn2_to_ascii_8z(std::string(text).c_str(), &out, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  std::unique_ptr<char, free_idn> const owned(out);
  if (said != IDN2_OK) return refused_host("the name of the host is not a valid internationalized name");
  return lower_case(out);
}

/// Returns the fault of a label; empty: it is valid.
std::string label_fault(std::string_view label, bool underscores) {
  if (label.empty()) return "the host has an empty label";
  if (label.size() > longest_label) return "a label of the host is longer than 63 bytes";
  for (char const c : label) {
    bool const good = is_letter_or_digit(c) || c == '-' || (underscores && c == '_');
    if (!good) return "the host has a character that names of hosts do not have";
  }
  if (label.front() == '-' || label.back() == '-') return "a label of the host begins or ends with a hyphen";
  return {};
}

result<std::string> checked_name(std::string_view text, bool underscores) {
  auto name = in_ascii(text);
  if (!name) return name;
  if (name->empty()) return refused_host("the host is empty");
  if (name->size() > longest_name) return refused_host("the name of the host is longer than 253 bytes");
  for (std::string_view rest = *name;;) {
    auto const dot = rest.find('.');
    if (auto fault = label_fault(rest.substr(0, dot), underscores); !fault.empty())
      return refused_host(std::move(fault));
    if (dot == std::string_view::npos) return name;
    rest.remove_prefix(dot + 1);
  }
}

result<host> address_host(std::string_view text) {
  auto const address = ip_address::parse(text);
  if (!address) return refused_host("the host is not a valid address");
  return host{address->to_string(), address};
}

/// `inet_pton` takes exactly four decimal parts, but some versions accept leading zeros, which other readers take for
/// octal.
bool is_dotted_decimal(std::string_view text) {
  auto const address = ip_address::parse(text);
  return address && address->v4 && address->to_string() == text;
}

result<host> v6_host(std::string_view text) {
  if (text.find('%') != std::string_view::npos) return refused_host("the host has a zone, which has no meaning here");
  if (text.find(':') == std::string_view::npos) return refused_host("the brackets hold no IPv6 address");
  return address_host(text);
}

result<host> name_or_v4(std::string_view text) {
  auto name = checked_name(text, false);
  if (!name) return name.error();
  if (!is_number(last_label(*name))) return host{std::move(*name), std::nullopt};
  if (is_dotted_decimal(text)) return address_host(text);
  return refused_host("the host is a number, but not four decimal ones with dots and without leading zeros");
}

}  // namespace

std::string host::in_url() const {
  return address && !address->v4 ? "[" + name + "]" : name;
}

result<host> parse_host(std::string_view text) {
  if (!text.starts_with('[')) return name_or_v4(text);
  if (!text.ends_with(']')) return refused_host("the host has an opening bracket without a closing one");
  return v6_host(text.substr(1, text.size() - 2));
}

result<host> parse_bare_host(std::string_view text) {
  return text.find(':') == std::string_view::npos ? name_or_v4(text) : v6_host(text);
}

result<std::string> parse_dns_name(std::string_view text) {
  if (text.ends_with('.')) text.remove_suffix(1);
  return checked_name(text, true);
}

}  // namespace svc::egress
