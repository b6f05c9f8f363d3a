#include "svc/api/handlers.hpp"
#include "svc/api/health.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

// Unready only while starting or draining: a lost store must not empty the whole fleet.
task<result<reply>> get_readyz(call& c) {
  if (!c.use.status.accepting) co_return error(errc::unavailable, "This instance is starting or draining.");
  reply out;
  out.body = {{"status", "ok"}};
  co_return out;
}

}  // namespace svc::api
