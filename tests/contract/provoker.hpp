#pragma once

#include "contract/stage.hpp"

#include <functional>
#include <string>
#include <vector>

namespace svc::test {

/// One way to get one error code from the operations it fits. A family of them may hold what it needs (another
/// instance, a credential in some state) in its closures; it is made, played and dropped before the next.
struct provoker {
  std::string code;
  std::string how;
  std::function<bool(http::operation const&)> fits;  ///< asked only about operations that declare the code
  std::function<std::vector<attempt>(http::operation const&)> play;
};

using family = std::vector<provoker> (*)(stage&);

// Each in a file of its name. `main` of the stage and its counters stay as they are: a provoker that changes
// something makes it first.
std::vector<provoker> credentials(stage& s);
std::vector<provoker> roles(stage& s);
std::vector<provoker> limits(stage& s);
std::vector<provoker> headers(stage& s);
std::vector<provoker> parameters(stage& s);
std::vector<provoker> bodies(stage& s);
std::vector<provoker> unknown_resources(stage& s);
std::vector<provoker> resource_states(stage& s);
std::vector<provoker> full_shelves(stage& s);
std::vector<provoker> rotating(stage& s);
std::vector<provoker> triggering(stage& s);
std::vector<provoker> protocol(stage& s);
std::vector<provoker> slow_clients(stage& s);
std::vector<provoker> busy_service(stage& s);
std::vector<provoker> redis_away(stage& s);
std::vector<provoker> postgres_away(stage& s);
std::vector<provoker> both_stores_away(stage& s);
std::vector<provoker> draining(stage& s);

inline bool any_operation(http::operation const&) {
  return true;
}
inline bool with_body(http::operation const& op) {
  return op.body_limit > 0;
}
inline bool takes_cli(http::operation const& op) {
  return takes(op, "cli");
}
inline bool takes_trigger(http::operation const& op) {
  return takes(op, "trigger");
}

}  // namespace svc::test
