#include "svc/api/handlers.hpp"
#include "svc/api/health.hpp"
#include "svc/api/services.hpp"

#include <algorithm>

namespace svc::api {

task<result<reply>> get_health(call& c) {
  auto const checked = c.use.status.check();
  bool const whole = std::all_of(checked.begin(), checked.end(), [](dependency const& d) { return d.up; });
  boost::json::object dependencies;
  for (auto const& d : checked) dependencies[d.name] = d.up ? "up" : "down";
  reply out;
  out.body = {{"status", whole ? "ok" : "degraded"},
              {"version", c.use.status.version},
              {"dependencies", std::move(dependencies)}};
  co_return out;
}

}  // namespace svc::api
