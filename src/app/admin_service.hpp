#pragma once

#include "app/process/reloader.hpp"
#include "app/shared.hpp"
#include "svc/http/message.hpp"
#include "svc/live/output/output_budget.hpp"

#include <boost/json.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace svc::app {

/// Returns true if a request's `Host` is allowed for the admin pages: an IP address, `localhost` or one of `names`,
/// each with any port. A page in an operator's browser can make its own name resolve to this listener (DNS
/// rebinding), but the browser then sends that name. Requests without the field are not from a browser.
bool admin_host_allowed(http::request const& head, std::vector<std::string> const& names);

/// One worker's dependencies as the admin pages show them.
struct worker_state {
  bool redis_up = false;
  bool postgres_up = false;
  bool redis_trusted = false;  ///< Redis makes the decisions; false: windows of this instance make them
  std::size_t connections = 0;
  output::output_state output{};
  std::string redis_refusal{};  ///< Redis's error instead of decisions; empty if it answers no error
};

/// The data that the pages show in addition to the metrics; callable on the control thread at any time.
struct admin_views {
  std::function<std::vector<worker_state>()> workers;
  std::function<instance_view()> instances;
  std::function<boost::json::object()> primaries;
  std::function<std::string()> waiting;     ///< a sentence; empty once the instance has served
  std::function<std::string()> master_key;  ///< the problem with the key file; empty if it fits the database
};

/// Creates the plain pages for operators: /metrics, /livez, /readyz (?verbose), /debug/config. The service belongs to
/// the control thread.
std::unique_ptr<http::service> make_admin_service(shared_parts& shared, reloader const& reloads, admin_views views);

}  // namespace svc::app
