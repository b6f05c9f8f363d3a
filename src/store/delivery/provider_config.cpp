#include "store/sealing/masked_secrets.hpp"
#include "svc/store/delivery/provider_store.hpp"

#include <boost/json/value.hpp>

namespace svc::store {
namespace {

constexpr std::string_view signing_secret = "/signingSecret";

std::string_view plain_secret(std::string_view type) {
  if (type == "slack" || type == "discord" || type == "teams") return "webhookUrl";
  if (type == "telegram") return "botToken";
  if (type == "pagerduty") return "routingKey";
  if (type == "webhook") return "url";
  return {};
}

/// Calls `use(pointer, value)` for each secret in `config`.
template <class Config, class Use>
void each_secret(std::string_view type, Config& config, Use use) {
  if (auto const name = plain_secret(type); !name.empty()) {
    if (auto* const value = config.if_contains(name)) use("/" + std::string(name), *value);
  }
  if (type != "webhook") return;
  if (auto* const value = config.if_contains("signingSecret")) use(std::string(signing_secret), *value);
  auto* const headers = config.if_contains("headers");
  if (headers == nullptr || !headers->is_object()) return;
  for (auto&& header : headers->get_object()) {
    use(pointer_to_header(header.key()), header.value());
  }
}

secret_walk secrets_of(std::string_view type) {
  return [type](boost::json::object& config, secret_use const& use) { each_secret(type, config, use); };
}

/// Whether the address that the secrets were given for changes. For types other than webhook and telegram, the
/// secret is itself the address, or goes to one of the service's own.
bool address_changes(std::string_view type, boost::json::object const& wanted, split_config const& stored) {
  if (type == "webhook") {
    auto const* const address = wanted.if_contains("url");
    auto const* const before = stored.secrets.if_contains("/url");
    return address != nullptr && before != nullptr && *address != boost::json::value(secret_mask) &&
           *address != *before;
  }
  if (type != "telegram" || stored.secrets.empty()) return false;
  auto const* const chat = wanted.if_contains("chatId");
  auto const* const before = stored.shown.if_contains("chatId");
  return chat == nullptr || before == nullptr || *chat != *before;
}

void keep_former_secret(boost::json::object& now, boost::json::object const& before) {
  auto const* const signs = now.if_contains(signing_secret);
  auto const* const signed_before = before.if_contains(signing_secret);
  if (signs == nullptr || signed_before == nullptr) return;
  auto const* const former = *signs == *signed_before ? before.if_contains(former_signing_secret) : signed_before;
  if (former != nullptr) now[former_signing_secret] = *former;
}

}  // namespace

std::vector<std::string> secret_pointers(std::string_view type, boost::json::object const& config) {
  std::vector<std::string> found;
  each_secret(type, config, [&](std::string pointer, auto&) { found.push_back(std::move(pointer)); });
  return found;
}

result<split_config> take_secrets(std::string_view type, boost::json::object wanted, split_config const& stored) {
  bool const moved = address_changes(type, wanted, stored);
  auto out = move_secrets_out(std::move(wanted), stored, moved ? "address" : "", secrets_of(type));
  if (out && !moved) keep_former_secret(out->secrets, stored.secrets);
  return out;
}

boost::json::object put_secrets(std::string_view type, split_config of) {
  return put_secrets_back(std::move(of), secrets_of(type));
}

}  // namespace svc::store
