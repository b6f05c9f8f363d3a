// The cookies of the dashboard: reading the request's Cookie fields (RFC 6265) and writing Set-Cookie. The prefix
// `__Host-` makes browsers refuse such a cookie from another host, without TLS, and with another path.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::sign_in {

/// The session token.
inline constexpr std::string_view session_cookie = "__Host-svc_session";
/// A sealed `device_content`: the browser has signed in to this account before.
inline constexpr std::string_view device_cookie = "__Host-svc_device";
/// The sealed state of a sign-in that continues at an identity provider.
inline constexpr std::string_view flow_cookie = "__Host-svc_flow";

/// Looks for one cookie in all Cookie fields of a request. Total: any bytes are cookies or skipped. The returned view
/// points into the fields.
class cookie_search {
 public:
  enum class outcome : std::uint8_t {
    none,      ///< No cookie has the name.
    found,     ///< Exactly one cookie has the name.
    repeated,  ///< Several cookies have the name, so one of them was planted.
  };

  /// `name` is compared byte for byte, because names of cookies are case-sensitive.
  explicit constexpr cookie_search(std::string_view name) : name_(name) {}

  /// Reads the value of one Cookie field.
  void read(std::string_view field);
  outcome content() const { return content_; }
  /// Empty unless exactly one cookie was found.
  std::string_view value() const { return value_; }

 private:
  std::string_view name_;
  outcome content_ = outcome::none;
  std::string_view value_{};
};

enum class same_site : std::uint8_t {
  strict,  ///< The browser sends the cookie only with requests of our own pages.
  lax,     ///< The browser also sends it with a link from another site, as the redirect of an identity provider is.
};

/// Returns the value of a Set-Cookie field with `Path=/; Secure; HttpOnly`. The life is cut to whole seconds, at
/// least 1. Throws `std::invalid_argument` if the name or the value has a character that a cookie cannot carry.
std::string set_cookie(std::string_view name, std::string_view value, same_site site, std::chrono::milliseconds life);

/// Returns the value of a Set-Cookie field that deletes the cookie.
std::string clear_cookie(std::string_view name, same_site site);

}  // namespace svc::sign_in
