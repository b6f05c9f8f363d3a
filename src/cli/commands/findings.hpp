#pragma once

#include "cli/console/failure.hpp"
#include "cli/settings/project_check.hpp"
#include "svc/core/time.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace svc::cli {

enum class finding_status : std::uint8_t {
  ok,
  warning,
  failed,
  skipped,  ///< not checked, because of an earlier failure
};

/// The result of one check by `svc doctor`. A value.
struct finding {
  std::string name;
  finding_status status = finding_status::ok;
  std::string detail{};
  std::string hint{};                 ///< the remedy; empty: none
  exit_code exit = exit_code::usage;  ///< the program's exit code, if this finding failed
};

std::string_view to_string(finding_status status);  ///< ok, warning, failed, skipped

/// The clock difference beyond which a warning appears: `Retry-After` dates and expiries are read against clocks.
inline constexpr std::chrono::seconds clock_tolerance{30};

/// `server` is the answer's `Date` in Unix seconds, or empty if it has none. `before` and `after` are our clock
/// around the request, so that a slow answer is no difference.
finding clock_finding(std::optional<std::int64_t> server, timestamp before, timestamp after);
/// Reads the body of `GET /api/health`. `own_version` is the client's.
finding service_finding(boost::json::value const& health, std::string_view own_version);
finding token_finding(boost::json::value const& whoami, std::string const& source);
finding expiry_finding(token_facts const& facts, timestamp now);
finding locate_finding(settings const& settings, token_facts const& facts);

/// Returns the exit code of the first failed finding, which often causes the later failures; ok if none failed.
exit_code exit_of(std::span<finding const> findings);
/// Returns `{"checks": [{name, status, detail, hint}]}`.
boost::json::object json_of(std::span<finding const> findings);
/// Returns one finding for people, with its hint in a second line. `colour` is true if the status has a colour.
std::string text_of(finding const& f, bool colour);

}  // namespace svc::cli
