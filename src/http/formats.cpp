#include "http/formats.hpp"

#include "http/chars.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>

namespace svc::http {
namespace {

constexpr std::array<std::string_view, 12> months{"jan", "feb", "mar", "apr", "may", "jun",
                                                  "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> days{"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

/// One field of a cron line; a name stands for `lowest` plus its position.
struct cron_field {
  unsigned lowest;
  unsigned highest;
  std::span<std::string_view const> names{};
};

// Sunday is 0 and 7.
constexpr std::array<cron_field, 5> cron_fields{
    {{0, 59}, {0, 23}, {1, 31}, {1, 12, std::span(months)}, {0, 7, std::span(days)}}};

/// Digits only, at most five of them.
std::optional<unsigned> number(std::string_view text) {
  if (text.empty() || text.size() > 5) return std::nullopt;
  unsigned value = 0;
  auto const [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<unsigned> cron_value(cron_field const& field, std::string_view text) {
  for (std::size_t i = 0; i < field.names.size(); ++i) {
    if (iequals(text, field.names[i])) return field.lowest + static_cast<unsigned>(i);
  }
  auto const value = number(text);
  return value && *value >= field.lowest && *value <= field.highest ? value : std::nullopt;
}

/// `*`, `*/step`, `value`, `from-to` or `from-to/step`.
bool is_cron_part(cron_field const& field, std::string_view text) {
  auto const slash = text.find('/');
  auto const range = text.substr(0, slash);
  bool const stepped = slash != std::string_view::npos;
  if (stepped) {
    auto const step = number(text.substr(slash + 1));
    if (!step || *step == 0 || *step > field.highest) return false;
  }
  if (range == "*") return true;
  auto const dash = range.find('-');
  if (dash == std::string_view::npos) return !stepped && cron_value(field, range);
  auto const from = cron_value(field, range.substr(0, dash));
  auto const to = cron_value(field, range.substr(dash + 1));
  return from && to && *from <= *to;
}

bool is_cron_field(cron_field const& field, std::string_view text) {
  while (true) {
    auto const comma = text.find(',');
    if (!is_cron_part(field, text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

constexpr std::array<format, 4> formats{{
    {"uuid", is_uuid, "must be a UUID"},
    {"date-time", is_date_time, "must be an RFC 3339 timestamp such as 2026-11-20T10:11:12.345Z"},
    {"cidr", is_cidr, "must be an address range such as 203.0.113.0/24 or 2001:db8::/32"},
    {"cron", is_cron, "must be five cron fields such as 0 6 * * mon-fri"},
}};

}  // namespace

format const* find_format(std::string_view name) {
  auto const* const found =
      std::find_if(formats.begin(), formats.end(), [name](auto const& f) { return f.name == name; });
  return found == formats.end() ? nullptr : found;
}

bool is_uuid(std::string_view text) {
  return uuid::parse(text).has_value();
}

bool is_date_time(std::string_view text) {
  return parse_rfc3339(text).has_value();
}

bool is_cidr(std::string_view text) {
  auto const slash = text.find('/');
  if (slash == std::string_view::npos || slash > 45) return false;
  auto const digits = text.substr(slash + 1);
  auto const length = number(digits);
  if (!length || (digits.size() > 1 && digits.front() == '0')) return false;
  std::string const address(text.substr(0, slash));
  // A NUL byte would end the address early for inet_pton.
  if (address.find('\0') != std::string::npos) return false;
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return *length <= 32;
  return inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1 && *length <= 128;
}

bool is_cron(std::string_view text) {
  std::size_t fields = 0;
  while (true) {
    auto const begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return fields == cron_fields.size();
    text.remove_prefix(begin);
    auto const end = std::min(text.find_first_of(" \t"), text.size());
    if (fields == cron_fields.size() || !is_cron_field(cron_fields[fields], text.substr(0, end))) return false;
    ++fields;
    text.remove_prefix(end);
  }
}

}  // namespace svc::http
