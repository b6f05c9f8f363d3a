#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/core/settings_table.hpp"
#include "svc/monitoring/notifications/recipient_policy.hpp"
#include "svc/monitoring/notifications/request.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

// The forms that texts of the configuration have, each with the words that a message about a wrong text uses.

namespace svc::app::key_forms {

// Bounds of durations, in milliseconds.
inline constexpr std::int64_t second = 1000;
inline constexpr std::int64_t hour = 3600 * second;
inline constexpr std::int64_t day = 24 * hour;

/// Returns true for https://HOST[:PORT][/PATH], or http://, without a trailing slash.
bool is_url(std::string_view text);
/// Returns true for a field name (RFC 9110 5.1) or an empty text. `Forwarded` has its own grammar, which is not
/// supported.
bool is_field_name(std::string_view text);
/// Returns true for a URL without a path, as browsers write it.
bool is_origin(std::string_view text);
bool is_host_name(std::string_view text);
bool is_path(std::string_view text);

inline constexpr text_form a_file{is_path, "the path of a file", R"("/etc/svcd/FILE")"};
inline constexpr text_form a_directory{is_path, "the path of a directory", R"("/DIRECTORY")"};
inline constexpr text_form an_address{is_address, "an IP address and a port, 127.0.0.1:8443 or [::1]:8443",
                                      R"("127.0.0.1:8443")"};
inline constexpr text_form a_url{[](std::string_view text) { return text.empty() || is_url(text); },
                                 "https://HOST[:PORT][/PATH] without a trailing slash",
                                 R"("https://svc.example.org")"};
inline constexpr text_form origins{is_origin,
                                   "a list of origins, https://HOST[:PORT] in lower case and without a path",
                                   R"(["https://app.example.org"])"};
inline constexpr text_form a_redis_mode{
    [](std::string_view text) { return text == "single" || text == "sentinel" || text == "cluster"; },
    "single, sentinel or cluster", R"("single")"};
inline constexpr text_form sentinel_addresses{
    [](std::string_view text) { return redis::parse_address(text).has_value(); },
    "a list of host names or addresses with a port, 10.0.0.1:26379 or "
    "[::1]:26379; in a variable separated by commas",
    R"(["10.0.0.1:26379"])"};
inline constexpr text_form node_addresses{
    [](std::string_view text) { return redis::parse_address(text).has_value(); },
    "a list of host names or addresses with a port, 10.0.0.1:6379 or [::1]:6379; in a "
    "variable separated by commas",
    R"(["10.0.0.1:6379"])"};
/// A name that a command and an announcement of a sentinel can carry.
inline constexpr text_form a_master_name{
    [](std::string_view text) {
      return text.size() <= 256 && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
    },
    "a name without blanks"};
inline constexpr text_form ranges{[](std::string_view text) { return cidr::parse(text).has_value(); },
                                  "a list of ranges, 10.0.0.0/8 or fd00::/8; in a variable separated by commas",
                                  R"(["10.0.0.0/8"])"};
inline constexpr text_form a_field_name{is_field_name, "a field name other than Forwarded, or empty"};
inline constexpr text_form host_names{
    is_host_name, "a list of host names without ports; in a variable separated by commas", R"(["svcd.internal"])"};

inline constexpr text_form nameservers{
    [](std::string_view text) { return egress::parse_nameserver(text).has_value(); },
    "a list of IP addresses with or without a port, 10.0.0.53 or [fd00::53]:5353; in a variable separated by commas",
    R"(["10.0.0.53"])"};
inline constexpr text_form connectivity_probes{
    [](std::string_view text) { return checks::parse_connectivity_probe(text).has_value(); },
    "a list of HOST:PORT, of none or at least two; in a variable separated by commas",
    R"(["example.org:443", "example.net:443"])"};
/// A text that a field of HTTP can carry (RFC 9110 5.5), on one line.
inline constexpr text_form a_user_agent{
    [](std::string_view text) {
      return !text.empty() && text.size() <= 256 && text.front() != ' ' && text.back() != ' ' &&
             std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; });
    },
    "1 to 256 printable ASCII characters"};

inline constexpr text_form a_mail_url{
    [](std::string_view text) { return text.empty() || egress::parse_mail_url(text).has_value(); },
    "smtp://HOST[:PORT] or smtps://HOST[:PORT], with nothing after it"};
inline constexpr text_form a_sender{
    [](std::string_view text) { return text.empty() || notifications::address_of_sender(text).has_value(); },
    "an address, or Name <address>"};
inline constexpr text_form a_mail_tls{[](std::string_view text) {
                                        return text.empty() || text == "required" || text == "opportunistic" ||
                                               text == "off";
                                      },
                                      "required, opportunistic or off, or empty"};
inline constexpr text_form a_link{
    [](std::string_view text) {
      return text.empty() || ((text.starts_with("https://") || text.starts_with("http://")) && text.size() <= 2048 &&
                              text.find_first_of(" \"<>\\\r\n\t") == std::string_view::npos);
    },
    "an http or https URL, in which {type} and {id} are replaced"};

inline constexpr text_form mail_recipients{
    [](std::string_view text) { return notifications::recipient_policy::is_entry(text); },
    "a list of members, a domain such as example.org, or *.example.org; in a variable separated by commas",
    R"(["example.org"])"};

}  // namespace svc::app::key_forms
