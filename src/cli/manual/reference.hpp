#pragma once

#include <array>
#include <string_view>

namespace svc::cli {

/// A row of the tables that help, man page and docs/cli.md have in common.
struct reference_row {
  std::string_view name;
  std::string_view meaning;
};

inline constexpr std::array<reference_row, 10> environment_reference{{
    {"SERVICE_URL", "address of the service, https://HOST[:PORT]"},
    {"SERVICE_TOKEN", "CLI token; without it, the one that svc login stored for the address"},
    {"SERVICE_TRIGGER_KEY", "trigger key: enough for svc job trigger, and preferred there"},
    {"SERVICE_ORG", "organization (slug) that the token must belong to"},
    {"SERVICE_PROJECT", "project (slug) that the token must belong to"},
    {"SERVICE_CACERT", "PEM file with the certificates to trust, instead of the system's"},
    {"HTTP_PROXY, HTTPS_PROXY", "proxy for http and https addresses; lower case works too"},
    {"NO_PROXY", "hosts, suffixes, CIDR ranges and host:port that bypass the proxy"},
    {"NO_COLOR", "when set, no colour"},
    {"TRACEPARENT", "trace (W3C Trace Context) that requests and the runs they make belong to"},
}};

inline constexpr std::array<reference_row, 3> file_reference{{
    {"svc.toml",
     "settings of the project, upwards from the working directory: url, organization, project, timeout, color"},
    {"~/.config/svc/config.toml",
     "settings of the user: the same keys, and cacert; below XDG_CONFIG_HOME if that is set"},
    {"~/.config/svc/credentials.json", "tokens that svc login stored, by address; mode 0600"},
}};

inline constexpr std::array<reference_row, 7> exit_reference{{
    {"0", "done; the run passed"},
    {"1", "the run did not pass, or the service refused the operation"},
    {"2", "no credential, a bad one, or one without the permission"},
    {"3", "wrong arguments or configuration; nothing was sent"},
    {"4", "network, TLS, or the service itself"},
    {"5", "the deadline of --timeout is over; a started run continues"},
    {"130", "interrupted"},
}};

inline constexpr std::string_view first_steps =
    "First steps:\n"
    "  svc login --url https://svc.example.org      asks for a token, checks and stores it\n"
    "  svc job list                                 the jobs of the token's project\n"
    "  svc job trigger ID --wait --follow           runs one, shows its output, ends with its result\n"
    "  svc job --help                               the other commands for jobs\n";

}  // namespace svc::cli
