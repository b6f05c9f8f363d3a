#pragma once

#include "contract/contract_fixture.hpp"

#include <functional>
#include <string>
#include <vector>

namespace svc::test {

/// One way to provoke one error code from the operations that it fits. A family of provokers can hold what it
/// requires (another instance, a credential in some state) in its closures; it is made, played and dropped before the
/// next.
struct provoker {
  std::string code;
  std::string mode;
  std::function<bool(http::operation const&)> fits;  ///< called only for operations that declare the code
  std::function<std::vector<attempt>(http::operation const&)> play;
};

using family = std::vector<provoker> (*)(contract_fixture&);

// Each is in the file of its topic. The `main` place of the fixture and its counters stay as they are: a provoker
// that changes something creates it first.
std::vector<provoker> credentials(contract_fixture& s);
std::vector<provoker> sessions(contract_fixture& s);
std::vector<provoker> roles(contract_fixture& s);
std::vector<provoker> limits(contract_fixture& s);
std::vector<provoker> headers(contract_fixture& s);
std::vector<provoker> parameters(contract_fixture& s);
std::vector<provoker> bodies(contract_fixture& s);
std::vector<provoker> unknown_resources(contract_fixture& s);
std::vector<provoker> resource_states(contract_fixture& s);
std::vector<provoker> full_shelves(contract_fixture& s);
std::vector<provoker> status_page_states(contract_fixture& s);
std::vector<provoker> rotating(contract_fixture& s);
std::vector<provoker> triggering(contract_fixture& s);
std::vector<provoker> protocol(contract_fixture& s);
std::vector<provoker> slow_clients(contract_fixture& s);
std::vector<provoker> busy_service(contract_fixture& s);
std::vector<provoker> redis_away(contract_fixture& s);
std::vector<provoker> postgres_away(contract_fixture& s);
std::vector<provoker> both_stores_away(contract_fixture& s);
std::vector<provoker> draining(contract_fixture& s);

inline bool any_operation(http::operation const&) {
  return true;
}
inline bool with_body(http::operation const& op) {
  return op.body_limit > 0;
}
inline bool with_json(http::operation const& op) {
  return with_body(op) && !op.any_media;
}
inline bool takes_pings(http::operation const& op) {
  return op.rate_class == "heartbeat";
}
inline bool takes_cli(http::operation const& op) {
  return takes(op, "cli");
}
inline bool takes_trigger(http::operation const& op) {
  return takes(op, "trigger");
}

}  // namespace svc::test
