#include "api/jobs/trigger_options.hpp"

#include "api/wait.hpp"
#include "svc/core/hash.hpp"
#include "svc/http/idempotency_key.hpp"
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

}  // namespace svc::api
