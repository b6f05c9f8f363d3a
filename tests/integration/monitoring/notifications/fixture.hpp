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
      : in(knowing({{"a.test", {"127.0.0.1"}}, {"b.test", {"127.0.0.1"}}, {"inside.test", {"127.0.0.2"}}}),
           files.write("ca.pem", ca.authority)),
        plain(in.io, in.names, std::make_shared<guard const>(guard::of_opened_only({*cidr::parse("127.0.0.1/32")})),
              in.trust) {
    if (mails) mail.emplace(in.io, std::make_shared<mail_settings const>(std::move(*mails)), in.trust);
  }

  attempt send(provider_config const& to, message const& what, std::vector<settled_recipient> settled = {},
               unsigned number = 1) {
    sender const by({in.client, plain, mail ? &*mail : nullptr}, std::make_shared<text_settings const>(how));
    return run_task(in.io, by.send(to, what, number, std::move(settled)));
  }

  temporary_directory files;
  place in;
  http_client plain;
  std::optional<mail_client> mail;
  text_settings how = with_link;
};

}  // namespace svc::notifications
