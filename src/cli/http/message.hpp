#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::cli {

enum class credential : std::uint8_t {
  token,        ///< the CLI token; without one the command ends with `not_allowed` before anything is sent
  trigger_key,  ///< the trigger key if there is one, else the CLI token
  none,
};

struct request {
  std::string method;
  std::string target;  ///< path and query, percent-encoded, below the base address
  std::vector<std::pair<std::string, std::string>> fields{};
  std::optional<std::string> body{};  ///< JSON unless `fields` has a Content-Type
  credential context = credential::token;
};

struct answer {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields{};  ///< names in lower case, in the order of their arrival
  std::string body{};
  bool after_lost = false;  ///< an earlier try may have taken effect; its answer was lost

  /// The first field of that name (lower case); nullptr: none.
  std::string const* field(std::string_view name) const {
    for (auto const& [n, value] : fields)
      if (n == name) return &value;
    return nullptr;
  }
};

/// Returns true if the same request may succeed later: the status means that the service or a proxy is busy or broken
/// (RFC 9110, 15.5.9 and 15.6; RFC 6585, 4).
constexpr bool is_temporary(int status) {
  return status == 408 || status == 429 || status >= 500;
}

/// `text` with everything but unreserved characters (RFC 3986, 2.3) percent-encoded.
std::string percent_encoded(std::string_view text);
/// `path?name=value&...`; empty values are left out.
std::string target_with_query(std::string path, std::vector<std::pair<std::string, std::string>> const& query);

}  // namespace svc::cli
