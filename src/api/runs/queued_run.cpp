#include "api/runs/queued_run.hpp"

#include "api/location.hpp"
#include "api/runs/run_json.hpp"
#include "svc/api/services.hpp"

namespace svc::api {

reply queued_run(call const& c, run const& made, bool replayed) {
  reply out{.status = 202, .body = run_json(made), .version = made.version};
  if (replayed) out.fields.emplace_back("Idempotent-Replayed", "true");
  out.fields.emplace_back("Location", location_of(c.use.public_url, "/api/runs/" + made.id.to_string()));
  return out;
}

}  // namespace svc::api
