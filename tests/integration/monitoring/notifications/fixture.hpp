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
struct sending_place {
  explicit sending_place(throwaway_ca const& ca, std::optional<mail_settings> mails = {})
      : place(knowing({{"a.test", {"127.0.0.1"}}, {"b.test", {"127.0.0.1"}}, {"inside.test", {"127.0.0.2"}}}),
              files.write("ca.pem", ca.authority)),
        plain(place.io, place.names,
              std::make_shared<guard const>(guard::of_opened_only({*cidr::parse("127.0.0.1/32")})), place.trust) {
    if (mails) mail.emplace(place.io, std::make_shared<mail_settings const>(std::move(*mails)), place.trust);
  }

  attempt send(provider_config const& config, message const& message, std::vector<settled_recipient> settled = {},
               unsigned number = 1) {
    sender const sender({place.client, plain, mail ? &*mail : nullptr},
                        std::make_shared<text_settings const>(settings));
    return run_task(place.io, sender.send(config, message, number, std::move(settled)));
  }

  temporary_directory files;
  place place;
  http_client plain;
  std::optional<mail_client> mail;
  text_settings settings = with_link;
};

}  // namespace svc::notifications
