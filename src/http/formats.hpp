#pragma once

#include <string_view>

namespace svc::http {

/// A value of JSON Schema's `format` that this service enforces. Immutable, static.
struct format {
  std::string_view name;
  bool (*matches)(std::string_view text);
  std::string_view expectation;  ///< what a fault says: "must be a UUID"
};

/// Null for a format that is not enforced; the contract may not use it then.
format const* find_format(std::string_view name);

bool is_uuid(std::string_view text);
/// RFC 3339 with any offset and at most microseconds.
bool is_date_time(std::string_view text);
/// `address/length`, IPv4 or IPv6 without zone; host bits may be set.
bool is_cidr(std::string_view text);
/// Five fields of numbers, names of months and days, `*`, ranges, steps and lists; whether such a moment ever
/// comes (31 February) is not asked.
bool is_cron(std::string_view text);

}  // namespace svc::http
