#pragma once

#include "app/dev/seed.hpp"

#include <string>

namespace svc::app::dev {

/// The monitors of the demo project, and the page that shows them.
struct demo {
  std::string site{};             ///< a monitor's id; empty if checks do not reach the service
  std::string heartbeat{};        ///< a monitor's id
  secret_string heartbeat_url{};  ///< the address for pings; everyone who knows it can send them
  std::string page{};             ///< a status page's id; empty if there is none that visitors can see
  std::string page_url{};         ///< the address of that page
};

struct demo_parts {
  std::string database_url{};  ///< with the login of the service itself
  std::string master_key_file{};
  credentials seeded{};
  std::string url{};       ///< of the service, which the demo monitors
  std::string ca_file{};   ///< PEM; the authority that signed the service's certificate
  std::string sink_url{};  ///< of a webhook's receiver
};

/// Creates the missing parts of the demo project. It needs a webhook that notifies the sink, a monitor of the service
/// itself if the service listens on loopback, and a heartbeat monitor. Both monitors notify the webhook. A published
/// status page shows both monitors.
///
/// The function is idempotent. It creates deleted parts again, and restores the addresses of the sink and the
/// service, and the sink as a receiver of alerts. All other edits stay. Throws when that fails. A page that cannot be
/// created, such as one whose slug was given to another page, is left out.
demo make_demo(demo_parts const& parts);

}  // namespace svc::app::dev
