#include "svc/core/ascii.hpp"
#include "svc/core/numbers.hpp"
#include "svc/egress/mail/mail_client.hpp"

namespace svc::egress {

namespace {

constexpr std::uint16_t submission = 587, submissions = 465;

error refused_mail_url(std::string_view reason) {
  return {errc::validation_failed, std::string(reason)};
}

}  // namespace

bool mail_server::is_loopback() const {
  if (!host.address) return host.name == "localhost";
  return cidr::parse(host.address->v4 ? "127.0.0.0/8" : "::1/128")->contains(*host.address);
}

result<mail_server> parse_mail_url(std::string_view text) {
  mail_server out;
  auto const end = text.find("://");
  auto const scheme = lower_case(text.substr(0, end));
  if (end == std::string_view::npos || (scheme != "smtp" && scheme != "smtps"))
    return refused_mail_url("must begin with smtp:// or smtps://");
  out.secure = scheme == "smtps";
  out.port = out.secure ? submissions : submission;
  text.remove_prefix(end + 3);
  auto const colon = text.rfind(':');
  if (colon != std::string_view::npos && !text.ends_with(']')) {
    auto const port = parse_number<std::uint16_t>(text.substr(colon + 1));
    if (!port || *port == 0) return refused_mail_url("has a port that is not a number from 1 to 65535");
    out.port = *port;
    text = text.substr(0, colon);
  }
  auto host = parse_host(text);
  if (!host) return refused_mail_url("must be smtp[s]://host[:port]: " + host.error().message);
  out.host = std::move(*host);
  return out;
}

mail_tls usual_tls(mail_server const& server) {
  return server.is_loopback() ? mail_tls::off : mail_tls::required;
}

}  // namespace svc::egress
