#include "api/edit_by.hpp"
#include "api/jobs/trigger_options.hpp"
#include "api/runs/queued_run.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/run_store.hpp"

namespace svc::api {

task<result<reply>> execute_test(call& c) {
  auto key = read_idempotency_key(c.request);
  if (!key) co_return key.error();
  store::test_execution wanted{
      .test = c.path_id(), .triggered_by = c.who.token_name, .idempotency_key = std::move(*key)};
  if (!wanted.idempotency_key.empty()) wanted.request_hash = request_hash(nullptr);
  auto const made = co_await c.use.runs.execute(edit_by(c), std::move(wanted), c.until);
  if (!made) co_return made.error();
  co_return queued_run(c, made->made, made->replayed);
}

}  // namespace svc::api
