#include "svc/store/provider_store.hpp"

#include <boost/json/value.hpp>

namespace svc::store {
namespace {

constexpr std::string_view headers_prefix = "/headers/";

/// Escapes a name for a JSON pointer (RFC 6901 section 3). Header names contain no `/`.
std::string escaped(std::string_view name) {
  std::string out;
  for (char c : name) out += c == '~' ? std::string("~0") : std::string(1, c);
  return out;
}

std::string_view plain_secret(std::string_view type) {
  if (type == "slack" || type == "discord" || type == "teams") return "webhookUrl";
  if (type == "telegram") return "botToken";
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
  auto* const headers = config.if_contains("headers");
  if (headers == nullptr || !headers->is_object()) return;
  for (auto&& header : headers->get_object()) {
    use(std::string(headers_prefix) + escaped(header.key()), header.value());
  }
}

/// Whether the address that the secrets were given for changes. For types other than webhook and telegram, the
/// address is the only secret, so there is nothing else to protect.
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

}  // namespace

std::vector<std::string> secret_pointers(std::string_view type, boost::json::object const& config) {
  std::vector<std::string> found;
  each_secret(type, config, [&](std::string pointer, auto&) { found.push_back(std::move(pointer)); });
  return found;
}

result<split_config> take_secrets(std::string_view type, boost::json::object wanted, split_config const& stored) {
  split_config out;
  std::vector<field_error> wrong;
  bool const moved = address_changes(type, wanted, stored);
  each_secret(type, wanted, [&](std::string const& pointer, boost::json::value& value) {
    if (value != boost::json::value(secret_mask)) {
      out.secrets[pointer] = value;
      value = secret_mask;
      return;
    }
    auto const* const kept = stored.secrets.if_contains(pointer);
    if (kept == nullptr) {
      wrong.push_back({"/config" + pointer, "is the mask of a secret that is not stored"});
    } else if (moved) {
      wrong.push_back({"/config" + pointer, "must be given anew or removed: it was given for the old address"});
    } else {
      out.secrets[pointer] = *kept;
    }
  });
  if (!wrong.empty()) return error(errc::validation_failed, "The config cannot be used.", std::move(wrong));
  out.shown = std::move(wanted);
  return out;
}

boost::json::object put_secrets(std::string_view type, split_config of) {
  each_secret(type, of.shown, [&](std::string const& pointer, boost::json::value& value) {
    if (auto const* const secret = of.secrets.if_contains(pointer)) value = *secret;
  });
  return std::move(of.shown);
}

}  // namespace svc::store
