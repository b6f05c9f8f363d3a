#include "svc/sign_in/oidc/flow.hpp"

#include "sign_in/oidc/claims_json.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/random.hpp"
#include "svc/http/json.hpp"
#include "svc/sign_in/browser_input.hpp"

#include <array>

namespace svc::sign_in {
namespace {

constexpr std::size_t random_size = 32, random_characters = 43;

std::string random_text() {
  std::array<std::uint8_t, random_size> bytes{};
  random_bytes(bytes);
  return to_base64url(bytes);
}

bool is_random_text(std::string_view text) {
  return text.size() == random_characters && from_base64url(text).has_value();
}

std::optional<sha256_digest> read_digest(std::string_view text) {
  auto const bytes = from_base64url(text);
  if (!bytes || bytes->size() != sha256_digest{}.size()) return std::nullopt;
  return digest_of(*bytes);
}

}  // namespace

oidc_flow new_flow(std::string_view provider, std::string_view return_to, std::int64_t now) {
  return {.provider = std::string(provider),
          .state = random_text(),
          .nonce = random_text(),
          .verifier = secret_string(random_text()),
          .started_at = now,
          .return_to = std::string(return_to)};
}

secret_string write_flow(oidc_flow const& flow) {
  boost::json::object out{{"provider", flow.provider},  {"state", flow.state},
                          {"nonce", flow.nonce},        {"verifier", flow.verifier.reveal()},
                          {"started", flow.started_at}, {"return", flow.return_to}};
  if (flow.session) out["session"] = flow.session->to_string();
  if (flow.replaced) out["replaced"] = to_base64url(*flow.replaced);
  if (!flow.invitation.empty()) out["invitation"] = flow.invitation.reveal();
  return secret_string(http::to_json(out));
}

std::optional<oidc_flow> read_flow(std::string_view text) {
  auto const object = parse_object(text);
  if (!object) return std::nullopt;
  auto const member = [&](std::string_view name) { return text_member(*object, name).value_or(""); };
  auto const started = time_member(*object, "started");
  oidc_flow out{.provider = std::string(member("provider")),
                .state = std::string(member("state")),
                .nonce = std::string(member("nonce")),
                .verifier = secret_string(member("verifier")),
                .started_at = started.value_or(0),
                .return_to = std::string(member("return")),
                .invitation = secret_string(member("invitation"))};
  if (object->contains("session")) {
    out.session = uuid::parse(member("session"));
    if (!out.session) return std::nullopt;
  }
  if (object->contains("replaced")) {
    out.replaced = read_digest(member("replaced"));
    if (!out.replaced) return std::nullopt;
  }
  bool const whole = started && is_random_text(out.state) && is_random_text(out.nonce) &&
                     is_random_text(out.verifier.reveal()) && is_return_path(out.return_to);
  if (!whole) return std::nullopt;
  return out;
}

}  // namespace svc::sign_in
