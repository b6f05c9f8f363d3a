#include "http/contract_schema.hpp"

#include "svc/core/ip_address.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/cron.hpp"

#include <algorithm>
#include <array>

namespace svc::http {
namespace {

/// Returns true if the type's own parser, which the handlers use too, can read the text.
template <auto Parse>
bool reads(std::string_view text) {
  return Parse(text).has_value();
}

constexpr std::array<format, 4> formats{{
    {"uuid", reads<&uuid::parse>, "must be a UUID"},
    {"date-time", reads<&parse_rfc3339>, "must be an RFC 3339 timestamp such as 2026-11-20T10:11:12.345Z"},
    {"cidr", reads<&cidr::parse>, "must be an address range such as 203.0.113.0/24 or 2001:db8::/32"},
    {"cron", reads<&cron_schedule::parse>, "must be five cron fields such as 0 6 * * mon-fri"},
}};

}  // namespace

format const* find_format(std::string_view name) {
  auto const* const found =
      std::find_if(formats.begin(), formats.end(), [name](auto const& f) { return f.name == name; });
  return found == formats.end() ? nullptr : found;
}

}  // namespace svc::http
