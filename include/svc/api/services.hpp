#pragma once

#include "svc/domain/limit.hpp"

#include <string>

namespace svc::access {
class change_publisher;
}
namespace svc::store {
struct repositories;
}
namespace svc::dispatch {
class dispatcher;
}
namespace svc::output {
class archive;
class run_streams;
class run_watch;
}  // namespace svc::output

namespace svc::api {

struct contract_documents;
struct health;

/// What handlers may use. Worker-local; made by the composition root, outlives every request.
struct services {
  store::repositories& stores;
  output::run_watch& watch;        ///< waits for runs to end
  output::run_streams& streams;    ///< shows runs as they go on
  output::archive& outputs;        ///< of ended runs
  dispatch::dispatcher& dispatch;  ///< tells runners
  access::change_publisher& changes;
  health& status;
  std::string const& public_url;  ///< links are built from it, never from Host
  limit_table const& limits;
  contract_documents const& documents;
};

}  // namespace svc::api
