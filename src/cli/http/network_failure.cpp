#include "cli/http/transport.hpp"

#include "svc/core/fault_words.hpp"

#include "cli/http/proxy.hpp"

#include <string>
#include <string_view>

namespace svc::cli {
namespace {

struct row {
  exit_code exit;
  std::string_view code;
  std::string sentence;
  std::string hint;
};

std::string seconds_text(std::chrono::milliseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(time).count()) + " s";
}

std::string in_words(std::string_view before, std::string const& detail) {
  return std::string(before) + (detail.empty() ? "." : ": " + in_plain_words(detail) + ".");
}

constexpr auto network = exit_code::unreachable;

/// Returns the proxy without its credentials; empty: no proxy is used, or its URL is wrong.
std::string proxy_name(settings const& settings) {
  auto const url = proxy_for(settings.url, settings.proxies);
  auto const address = url.empty() ? std::nullopt : proxy_address::parse(url);
  return address ? address->text() : std::string();
}

std::string proxy_variable(settings const& settings) {
  return settings.url.scheme == "https" ? "HTTPS_PROXY" : "HTTP_PROXY";
}

std::string advice_about_proxy(settings const& settings) {
  return "Check " + proxy_variable(settings) + ", or add " + settings.url.host + " to NO_PROXY.";
}

row row_of_proxy(attempt const& last, settings const& settings) {
  auto const proxy = proxy_name(settings);
  auto const variable = proxy_variable(settings);
  auto const advice = advice_about_proxy(settings);
  switch (last.content) {
    case trouble::bad_proxy:
      return {exit_code::usage, "bad_proxy", variable + " is not the address of a proxy.",
              "Its form is [http://][user:password@]host:port; https, socks5 and socks5h are possible too."};
    case trouble::unknown_proxy:
      return {network, "unknown_proxy", "The name of the proxy has no address: " + proxy, advice};
    case trouble::proxy_authentication:
      return {network, "proxy_authentication", "The proxy " + proxy + " requires another user and password.",
              "Set them in " + variable + ": http://user:password@host:port"};
    default:
      break;
  }
  std::string const status = last.proxy_status == 0 ? "" : " (status " + std::to_string(last.proxy_status) + ")";
  return {network, "proxy_refused",
          "The proxy " + proxy + " made no connection to " + settings.url.host + status + ".", advice};
}

row row_of_connecting(attempt const& last, settings const& settings) {
  auto const& url = settings.url;
  auto const proxy = proxy_name(settings);
  auto const location = url.host + ":" + url.port + (proxy.empty() ? "" : " through the proxy " + proxy);
  auto const advice = proxy.empty()
                          ? "Check the address (" + url.source + "), the network, and whether a proxy is needed."
                          : advice_about_proxy(settings);
  switch (last.content) {
    case trouble::unknown_host:
      return {network, "unknown_host", "The name " + url.host + " has no address.", advice};
    case trouble::connect_timeout:
      return {network, "connect_timeout",
              "No connection to " + location + " in " + seconds_text(time_limits().connect) + ".", advice};
    case trouble::certificate:
      return {network, "certificate", in_words("The certificate of " + location + " is not valid", last.detail),
              settings.ca_file.empty()
                  ? "If the service has its own certificate authority, name its certificates with --cacert FILE or "
                    "SERVICE_CACERT."
                  : "Only the certificates in " + settings.ca_file +
                        " were trusted (--cacert or SERVICE_CACERT); they "
                        "may be another service's."};
    case trouble::tls:
      return {network, "tls", in_words("No secure connection to " + location, last.detail),
              "The service must speak TLS 1.2 or newer at this address; check it (" + url.source + ")."};
    case trouble::bad_ca_file:
      return {exit_code::usage, "bad_ca_file", "No certificates can be read from " + settings.ca_file + ".",
              "--cacert and SERVICE_CACERT name a PEM file."};
    default:
      break;
  }
  return {network, "not_connected", "No connection to " + location + ": it is refused, or there is no route.",
          advice};
}

row row_of_answer(attempt const& last, settings const& settings) {
  std::string const again =
      settings.url.scheme == "http" && (last.content == trouble::broken || last.content == trouble::malformed)
          ? "If the service speaks TLS at this address, its URL begins with https:// (" + settings.url.source + ")."
          : "Try again; svc health shows the service's state.";
  switch (last.content) {
    case trouble::malformed:
      return {network, "malformed_answer", in_words("The answer is not well-formed HTTP", last.detail),
              settings.url.scheme == "http" ? again : "Check SERVICE_URL, and whether a proxy is in between."};
    case trouble::head_too_large:
      return {network, "answer_too_large", "The answer's header fields have more than 64 KiB.", ""};
    case trouble::body_too_large:
      return {network, "answer_too_large", "The answer has more than 32 MiB.", "Ask for less."};
    case trouble::silent:
      return {network, "silent", "The service sent nothing for " + seconds_text(time_limits().silence) + ".", again};
    case trouble::too_slow:
      return {network, "too_slow", "The answer was not complete after " + seconds_text(time_limits().whole) + ".",
              again};
    case trouble::deadline:
      return {exit_code::deadline, "deadline", "The time of --timeout is over, and the service has not answered.",
              ""};
    case trouble::interrupted:
      return {exit_code::interrupted, "interrupted", "Interrupted.", ""};
    default:
      break;
  }
  return {network, "connection_broken",
          "The connection to " + settings.url.host + " broke before the answer was complete.", again};
}

row row_of(attempt const& last, settings const& settings) {
  switch (last.content) {
    case trouble::bad_proxy:
    case trouble::unknown_proxy:
    case trouble::proxy_authentication:
    case trouble::proxy_refused:
      return row_of_proxy(last, settings);
    case trouble::bad_ca_file:
    case trouble::unknown_host:
    case trouble::not_connected:
    case trouble::connect_timeout:
    case trouble::certificate:
    case trouble::tls:
      return row_of_connecting(last, settings);
    default:
      return row_of_answer(last, settings);
  }
}

/// `https://host[:port]` of a Location; of a relative one the address itself. User info and path may hold secrets.
std::string host_of_location(std::string const& location, base_url const& url) {
  auto const scheme_end = location.starts_with("//") ? 0 : location.find("://");
  if (scheme_end == std::string::npos) return url.text;
  auto const scheme = scheme_end == 0 ? url.scheme : location.substr(0, scheme_end);
  auto const begin = scheme_end + (scheme_end == 0 ? 2 : 3);
  auto const authority = location.substr(begin, location.find_first_of("/?#", begin) - begin);
  auto const user_end = authority.rfind('@');
  return scheme + "://" + (user_end == std::string::npos ? authority : authority.substr(user_end + 1));
}

}  // namespace

bool is_transient(attempt const& a) {
  switch (a.content) {
    case trouble::unknown_proxy:
    case trouble::unknown_host:
    case trouble::not_connected:
    case trouble::connect_timeout:
    case trouble::tls:
    case trouble::broken:
    case trouble::silent:
      return true;
    case trouble::proxy_refused:
      // With another status the proxy refuses by a rule, and would refuse the next connection as well.
      return a.proxy_status < 300 || is_temporary(a.proxy_status);
    default:
      return false;
  }
}

failure failure_of(attempt const& last, settings const& settings, int tries, bool uncertain) {
  auto said = row_of(last, settings);
  if (uncertain) said.hint = "The request may have taken effect: check that before you repeat it.";
  auto out = failure(said.exit, std::string(said.code), said.sentence, said.hint);
  if (tries > 1) out = std::move(out).with("tries", tries);
  return out;
}

failure redirected(answer const& a, base_url const& url) {
  auto const* const location = a.field("location");
  auto const out = location == nullptr ? std::string("another address") : host_of_location(*location, url);
  return failure(exit_code::unreachable, "redirected",
                 url.text + " redirects to " + out + " (status " + std::to_string(a.status) +
                     "); svc does not follow, because credentials are never sent to another host.",
                 "If you trust that address, set SERVICE_URL to it.")
      .with("status", a.status);
}

}  // namespace svc::cli
