#include "svc/core/ascii.hpp"
#include "svc/core/numbers.hpp"
#include "svc/egress/mail/mail_client.hpp"

namespace svc::egress {

namespace {

constexpr std::uint16_t submission = 587, submissions = 465;

error refused_mail_url(std::string_view why) {
  return {errc::validation_failed, std::string(why)};
}

}  // namespace

bool mail_server::is_loopback() const {
  if (!at.address) return at.name == "localhost";
  return cidr::parse(at.address->v4 ? "127.0.0.0/8" : "::1/128")->contains(*at.address);
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
  auto at = parse_host(text);
  if (!at) return refused_mail_url("must be smtp[s]://host[:port]: " + at.error().message);
  out.at = std::move(*at);
  return out;
}

mail_tls usual_tls(mail_server const& of) {
  return of.is_loopback() ? mail_tls::off : mail_tls::required;
}

}  // namespace svc::egress
