#include "api/triggering.hpp"

#include "api/call_options.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/services.hpp"
#include "svc/core/hash.hpp"
#include "svc/dispatch/dispatcher.hpp"
#include "svc/http/headers.hpp"
#include "svc/http/json.hpp"

namespace svc::api {

result<std::string> read_idempotency_key(http::request const& head) {
  auto const count = head.count("Idempotency-Key");
  if (count == 0) return std::string();
  auto key = count == 1 ? http::read_idempotency_key(*head.find("Idempotency-Key")) : std::nullopt;
  if (key) return std::move(*key);
  return error(errc::validation_failed, "Send one Idempotency-Key of 1 to 255 visible characters.",
               {{"Idempotency-Key", "must be 1 to 255 visible characters, bare or in double quotes"}});
}

result<trigger_options> read_trigger_options(call const& c) {
  trigger_options out;
  auto key = read_idempotency_key(c.request);
  if (!key) return key.error();
  out.idempotency_key = std::move(*key);
  if (auto const* dedup = c.member("dedupKey")) out.dedup_key = std::string(dedup->as_string());
  auto const wait = wanted_wait(c);
  if (!wait) return wait.error();
  out.wait = *wait;
  if (!out.wait) return out;
  if (is_trigger_key(c.who.kind)) return errc::wait_needs_cli_token;
  if (!allows(c.who.owner_role, permission::run_view)) return errc::permission_denied;
  return out;
}

std::string request_hash(boost::json::value const& body) {
  return to_hex(sha256(body.is_null() ? std::string("{}") : http::canonical_json(body)));
}

reply queued_run(call const& c, run const& made, bool replayed) {
  if (!replayed) tell_runners(c, made.job_type);
  reply out{.status = 202, .body = run_json(made), .version = made.version};
  if (replayed) out.fields.emplace_back("Idempotent-Replayed", "true");
  out.fields.emplace_back("Location", location_of(c.use.public_url, "/api/runs/" + made.id.to_string()));
  return out;
}

void tell_runners(call const& c, std::string const& job_type) {
  c.use.dispatch.queued({c.who.organization_id, c.who.project_id, job_type, 1});
}

}  // namespace svc::api
