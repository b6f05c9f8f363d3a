#pragma once

#include "integration/egress/fixture.hpp"
#include "svc/egress/mail/mail_client.hpp"
#include "svc/monitoring/notifications/sender.hpp"
#include "unit/monitoring/notifications/messages.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace svc::notifications {

using namespace svc::egress;

/// A worker that sends. `a.test` and `b.test` are 127.0.0.1, which is open; `inside.test` is not.
struct sending_fixture {
  explicit sending_fixture(throwaway_ca const& ca, std::optional<mail_settings> mails = {})
      : spot(knowing({{"a.test", {"127.0.0.1"}}, {"b.test", {"127.0.0.1"}}, {"inside.test", {"127.0.0.2"}}}),
             files.write("ca.pem", ca.authority)),
        plain(spot.io, spot.names,
              std::make_shared<address_policy const>(address_policy::of_opened_only({*cidr::parse("127.0.0.1/32")})),
              spot.trust) {
    if (mails) mail.emplace(spot.io, std::make_shared<mail_settings const>(std::move(*mails)), spot.trust);
  }

  attempt send(provider_config const& config, message const& message, std::vector<settled_recipient> settled = {},
               unsigned number = 1) {
    sender const sender({spot.client, plain, mail ? &*mail : nullptr},
                        std::make_shared<text_settings const>(settings));
    return run_task(spot.io, sender.send(config, message, number, std::move(settled)));
  }

  temporary_directory files;
  egress_fixture spot;
  http_client plain;
  std::optional<mail_client> mail;
  text_settings settings = with_link;
};

}  // namespace svc::notifications
