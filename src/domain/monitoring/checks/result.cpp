#include "svc/domain/monitoring/checks/result.hpp"

#include <algorithm>
#include <array>

namespace svc::checks {
namespace {

constexpr std::array<code_row, code_count> codes{{
    {code::dns_not_found, status::down, "dns_not_found",
     "The name does not exist in DNS; check the target and its zone."},
    {code::dns_failed, status::down, "dns_failed", "The name's DNS servers failed; check the zone's servers."},
    {code::dns_mismatch, status::down, "dns_mismatch",
     "DNS answered with another code than expected; see expectedRcode."},
    {code::connect_refused, status::down, "connect_refused",
     "The connection was refused; check that the service listens."},
    {code::connect_reset, status::down, "connect_reset",
     "The connection was reset; check the service and the proxies in front of it."},
    {code::connect_unreachable, status::down, "connect_unreachable",
     "The address cannot be reached; check routes and firewalls."},
    {code::tls_failed, status::down, "tls_failed",
     "The TLS handshake failed; check the server's versions and certificate."},
    {code::certificate_expired, status::down, "certificate_expired", "The certificate has expired; renew it."},
    {code::certificate_not_yet_valid, status::down, "certificate_not_yet_valid",
     "The certificate is not valid yet; check its dates and the clocks."},
    {code::certificate_untrusted, status::down, "certificate_untrusted",
     "No known authority signed the certificate; send the whole chain, or set tls.ca."},
    {code::certificate_wrong_host, status::down, "certificate_wrong_host",
     "The certificate is for other names; check it, or set tls.serverName."},
    {code::certificate_revoked, status::down, "certificate_revoked", "The certificate was revoked; replace it."},
    {code::http_invalid, status::down, "http_invalid", "The answer is not HTTP; check that the port serves it."},
    {code::body_incomplete, status::down, "body_incomplete", "The connection ended before the body did."},
    {code::status_unexpected, status::down, "status_unexpected",
     "The status code is none of those expected; see expectedStatusCodes."},
    {code::assertion_failed, status::down, "assertion_failed", "An assertion does not hold."},
    {code::redirect_limit, status::down, "redirect_limit", "There were more redirects than maxRedirects."},
    {code::redirect_refused, status::down, "redirect_refused",
     "A redirect leads from https to http, or to something else than http."},
    {code::ping_no_reply, status::down, "ping_no_reply", "No echo request was answered."},
    {code::ping_loss, status::down, "ping_loss", "More echo requests than maxLossPercent were lost."},
    {code::port_open, status::down, "port_open", "The port is open, and should be closed."},
    {code::test_failed, status::down, "test_failed", "The test failed; see its run."},
    {code::heartbeat_failed, status::down, "heartbeat_failed", "The work reported a failure."},
    {code::heartbeat_missed, status::down, "heartbeat_missed", "The work did not report in time."},
    {code::heartbeat_not_started, status::down, "heartbeat_not_started",
     "The work did not report its start in time."},
    {code::ran_too_long, status::down, "ran_too_long", "The work ran longer than maxDurationSeconds."},
    {code::dns_timeout, status::timeout, "dns_timeout", "The name's DNS servers did not answer in time."},
    {code::connect_timeout, status::timeout, "connect_timeout", "No connection was made in time."},
    {code::tls_timeout, status::timeout, "tls_timeout", "The TLS handshake was not over in time."},
    {code::first_byte_timeout, status::timeout, "first_byte_timeout", "The answer did not begin in time."},
    {code::body_timeout, status::timeout, "body_timeout", "The answer did not end in time."},
    {code::udp_no_reply, status::timeout, "udp_no_reply", "No datagram was answered in time."},
    {code::test_timeout, status::timeout, "test_timeout", "The test was not over in time; see its run."},
    {code::address_blocked, status::error, "address_blocked",
     "Checks may not connect to this target's addresses; an operator can open ranges by outgoing_allow_cidrs."},
    {code::variable_missing, status::error, "variable_missing",
     "The configuration names a variable that does not exist."},
    {code::target_invalid, status::error, "target_invalid", "The target, with its variables, is not valid."},
    {code::resolver_unreachable, status::error, "resolver_unreachable",
     "The location's own DNS resolvers did not answer."},
    {code::location_impaired, status::error, "location_impaired", "The location's own network is impaired."},
    {code::capability_missing, status::error, "capability_missing", "The location cannot make checks of this type."},
    {code::no_location, status::error, "no_location", "No location of the monitor is online."},
    {code::test_missing, status::error, "test_missing", "The monitor's test does not exist any more."},
    {code::executor_lost, status::error, "executor_lost",
     "The instance that made the check was lost before its end."},
    {code::internal, status::error, "internal", "The check failed by a fault of the service."},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (static_cast<std::size_t>(codes[i].which) != i) return false;
  }
  return true;
}
static_assert(in_order());

constexpr std::array<std::string_view, status_count> statuses{"up", "down", "timeout", "error"};

}  // namespace

code_row const& row_of(code which) {
  // A number that only a newer version writes is read too.
  return codes[std::min(static_cast<std::size_t>(which), codes.size() - 1)];
}

std::optional<code> code_named(std::string_view name) {
  auto const found = std::ranges::find(codes, name, &code_row::name);
  return found == codes.end() ? std::nullopt : std::optional(found->which);
}

std::string_view name_of(status s) {
  return statuses[static_cast<std::size_t>(s)];
}

conclusion conclusion_of(status s) {
  if (s == status::up) return conclusion::good;
  return s == status::error ? conclusion::none : conclusion::bad;
}

std::uint32_t ping_facts::loss_percent() const {
  return sent == 0 ? 0 : 100 - received * 100 / sent;
}

std::int64_t certificate::days_left(timestamp now) const {
  constexpr std::int64_t day = 24LL * 3600 * 1'000'000;
  auto const micros = (valid_to - now).count();
  return micros / day - (micros % day < 0 ? 1 : 0);
}

}  // namespace svc::checks
