#pragma once

#include "app/configuration/check_findings.hpp"
#include "app/configuration/configuration.hpp"

namespace svc::app {

/// Connects to the mail server of the configuration as the service would for a mail: EHLO, STARTTLS with its
/// certificate, login. Sends no mail. Blocks for ten seconds at most. Finds nothing without `smtp.url`.
check_findings check_mail_server(configuration const& config);

}  // namespace svc::app
