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
  skipped,  ///< could not be looked at, because of an earlier failure
};

/// What `svc doctor` says of one thing. A value.
struct finding {
  std::string name;
  finding_status status = finding_status::ok;
  std::string detail{};
  std::string hint{};                 ///< what to do; empty: nothing
  exit_code exit = exit_code::usage;  ///< of the program, if this one failed
};

std::string_view to_string(finding_status status);  ///< ok, warning, failed, skipped

/// A difference beyond this is told: `Retry-After` dates and expiries are read against clocks.
inline constexpr std::chrono::seconds clock_tolerance{30};

/// `server`: the answer's `Date`, in Unix seconds; nothing: it has none. `before` and `after`: our clock around the
/// request, so that a slow answer is no difference.
finding clock_finding(std::optional<std::int64_t> server, timestamp before, timestamp after);
/// From the body of `GET /api/health`. `own_version`: the client's.
finding service_finding(boost::json::value const& health, std::string_view own_version);
finding token_finding(boost::json::value const& whoami, std::string const& source);
finding expiry_finding(token_facts const& facts, timestamp now);
finding place_finding(settings const& settings, token_facts const& facts);

/// The exit code of the first that failed, which later ones often follow from; ok if none did.
exit_code exit_of(std::span<finding const> findings);
/// `{"checks": [{name, status, detail, hint}]}`
boost::json::object json_of(std::span<finding const> findings);
/// One finding for people, with its hint in a second line. `colour`: whether the status has one.
std::string text_of(finding const& f, bool colour);

}  // namespace svc::cli
