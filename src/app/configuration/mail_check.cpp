#include "app/configuration/connection_checks.hpp"

#include "svc/core/fault_words.hpp"
#include "svc/egress/mail/mail_client.hpp"

#include <exception>

namespace svc::app {
namespace {

using egress::failure;
using egress::mail_tls;

constexpr std::chrono::seconds longest_mail_look{10};

std::string mail_server_name(egress::mail_server const& server) {
  return std::string(server.secure ? "smtps://" : "smtp://") + server.host.in_url() + ":" +
         std::to_string(server.port);
}

std::string_view advice_for(failure failure, std::string const& reason) {
  if (reason.find("STARTTLS") != std::string::npos)
    return "the server offers no STARTTLS: use smtps://, or smtp.tls = \"off\" if mail and password may be sent "
           "unencrypted";
  switch (failure) {
    case failure::dns_not_found:
    case failure::dns_failed:
    case failure::dns_timeout:
      return "correct the host in smtp.url, or the resolver of this machine";
    case failure::connect_refused:
      return "start the mail server there, or correct host and port in smtp.url";
    case failure::connect_unreachable:
    case failure::connect_timeout:
    case failure::first_byte_timeout:
      return "check host and port in smtp.url, the firewall, and whether the port wants smtps://";
    case failure::certificate_untrusted:
      return "name the file with the authority of the server's certificate in smtp.ca_file";
    case failure::certificate_wrong_host:
      return "use a name of the server's certificate as the host in smtp.url";
    case failure::certificate_expired:
    case failure::certificate_not_yet_valid:
      return "renew the server's certificate, or correct this machine's clock";
    case failure::tls_failed:
    case failure::tls_timeout:
      return "check whether the port wants smtp:// or smtps://";
    default:
      return "read the log of the mail server";
  }
}

std::string problem_of(egress::mail_trial const& trial) {
  auto const status = trial.answer.status;
  if (status == 535 || status == 534 || status == 530)
    return "the login is refused (" + std::to_string(status) + "): correct smtp.username and smtp.password";
  if (status >= 400)
    return "the server answers " + std::to_string(status) + " (" + trial.reason +
           "): read its log, and admit this machine";
  return in_plain_words(trial.reason) + ": " + std::string(advice_for(trial.answer.error, trial.reason));
}

std::string fact_of(egress::mail_settings const& settings) {
  std::string out = "EHLO is answered, ";
  if (settings.server.secure)
    out += "TLS";
  else if (settings.tls == mail_tls::off)
    out += "no TLS";
  else
    out += settings.tls == mail_tls::required || !settings.username.empty() ? "STARTTLS"
                                                                            : "STARTTLS if the server offers it";
  return out + (settings.username.empty() ? ", no login" : ", login as " + settings.username);
}

}  // namespace

check_findings check_mail_server(configuration const& config) {
  check_findings out;
  auto settings = config.to_mail_settings();
  if (!settings) return out;
  auto const name = "smtp.url, " + mail_server_name(settings->server) + ": ";
  auto const shared = std::make_shared<egress::mail_settings const>(*std::move(settings));
  try {
    auto const trial = egress::try_mail_server(shared, config.to_mail_trust(), deadline::after(longest_mail_look));
    bool const good = trial.answer.error == failure::none && trial.answer.status < 400;
    if (good)
      out.facts.push_back(name + fact_of(*shared));
    else
      out.problems.push_back(name + problem_of(trial));
  } catch (std::exception const& e) {
    out.problems.push_back(name + e.what());
  }
  return out;
}

}  // namespace svc::app
