#pragma once

#include <string_view>

namespace svc::http {

/// A value of JSON Schema's `format` that this service enforces. Immutable, static.
struct format {
  std::string_view name;
  bool (*matches)(std::string_view text);
  std::string_view expectation;  ///< what a fault says: "must be a UUID"
};

/// `uuid`; `date-time`, RFC 3339 with any offset and at most microseconds; `cidr` and `cron` as `domain` reads them.
/// Null for a format that is not enforced; the contract may not use it then.
format const* find_format(std::string_view name);

}  // namespace svc::http
