#include "svc/api/handlers.hpp"

namespace svc::api {

// The process runs and serves; never depends on Redis or PostgreSQL.
task<result<reply>> get_livez(call&) {
  reply out;
  out.body = {{"status", "ok"}};
  co_return out;
}

}  // namespace svc::api
