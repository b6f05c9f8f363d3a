#pragma once

#include "app/dev/seed.hpp"

#include <string>

namespace svc::app::dev {

/// What the demo project watches, and where its alerts go.
struct demo {
  std::string site{};             ///< a monitor's id; empty: it is not watched, because checks do not reach it
  std::string heartbeat{};        ///< a monitor's id
  secret_string heartbeat_url{};  ///< whoever knows it can report
};

struct demo_parts {
  std::string database_url{};  ///< as the service itself logs in
  std::string master_key_file{};
  credentials seeded{};
  std::string url{};       ///< of the service, which is watched
  std::string ca_file{};   ///< PEM; who signed its certificate
  std::string sink_url{};  ///< of a webhook's receiver
};

/// Makes what the demo project lacks: a webhook that tells the sink, a monitor of the service itself, if that listens
/// on loopback, and one of type heartbeat, which both tell it. Idempotent; what was deleted since is made again, what
/// was edited stays, but for the sink's and the service's address, and that alerts go to the sink too. Throws when
/// that fails.
demo make_demo(demo_parts const& parts);

}  // namespace svc::app::dev
