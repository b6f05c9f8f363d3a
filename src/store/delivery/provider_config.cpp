#include "store/sealing/masked_secrets.hpp"
#include "svc/store/delivery/provider_store.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>

namespace svc::store {
namespace {

constexpr std::string_view signing_secret = "/signingSecret";

/// The secrets in the config of one type of provider.
struct secret_row {
  std::string_view type{};
  std::array<std::string_view, 2> members{};      ///< secret members
  bool has_secret_headers = false;                ///< true if each value in `headers` is secret
  std::array<std::string_view, 2> destination{};  ///< members that say where the secrets are sent
};

// Without destination: the secret is itself the address, or is sent only to the provider's own service.
constexpr std::array secret_rows{
    secret_row{.type = "slack", .members = {"webhookUrl"}},
    secret_row{.type = "discord", .members = {"webhookUrl"}},
    secret_row{.type = "teams", .members = {"webhookUrl"}},
    secret_row{.type = "telegram", .members = {"botToken"}, .destination = {"chatId"}},
    secret_row{.type = "pagerduty", .members = {"routingKey"}},
    secret_row{
        .type = "webhook", .members = {"url", "signingSecret"}, .has_secret_headers = true, .destination = {"url"}},
    secret_row{.type = "ntfy", .members = {"token"}, .destination = {"server", "topic"}},
};

/// Returns an empty row for types without secrets.
secret_row secret_row_of(std::string_view type) {
  auto const* const found = std::ranges::find(secret_rows, type, &secret_row::type);
  return found == secret_rows.end() ? secret_row{} : *found;
}

std::string pointer_to(std::string_view member) {
  return "/" + std::string(member);
}

/// Calls `use(pointer, value)` for each secret in `config`.
template <class Config, class Use>
void each_secret(std::string_view type, Config& config, Use use) {
  auto const row = secret_row_of(type);
  for (auto const name : row.members) {
    if (name.empty()) continue;
    if (auto* const value = config.if_contains(name)) use(pointer_to(name), *value);
  }
  auto* const headers = row.has_secret_headers ? config.if_contains("headers") : nullptr;
  if (headers == nullptr || !headers->is_object()) return;
  for (auto&& header : headers->get_object()) {
    use(pointer_to_header(header.key()), header.value());
  }
}

secret_walk secrets_of(std::string_view type) {
  return [type](boost::json::object& config, secret_use const& use) { each_secret(type, config, use); };
}

bool secret_changes(std::string_view member, boost::json::object const& wanted, split_config const& stored) {
  auto const* const value = wanted.if_contains(member);
  auto const* const before = stored.secrets.if_contains(pointer_to(member));
  return value != nullptr && before != nullptr && *value != boost::json::value(secret_mask) && *value != *before;
}

bool shown_member_changes(std::string_view member, boost::json::object const& wanted, split_config const& stored) {
  auto const* const value = wanted.if_contains(member);
  auto const* const before = stored.shown.if_contains(member);
  return value == nullptr || before == nullptr || *value != *before;
}

/// True if the stored secrets would be sent elsewhere than they were given for.
bool destination_changes(std::string_view type, boost::json::object const& wanted, split_config const& stored) {
  auto const row = secret_row_of(type);
  if (stored.secrets.empty()) return false;
  return std::ranges::any_of(row.destination, [&](std::string_view member) {
    if (member.empty()) return false;
    bool const is_secret = std::ranges::find(row.members, member) != row.members.end();
    return is_secret ? secret_changes(member, wanted, stored) : shown_member_changes(member, wanted, stored);
  });
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
  bool const moved = destination_changes(type, wanted, stored);
  auto out = move_secrets_out(std::move(wanted), stored, moved ? "address" : "", secrets_of(type));
  if (out && !moved) keep_former_secret(out->secrets, stored.secrets);
  return out;
}

boost::json::object put_secrets(std::string_view type, split_config config) {
  return put_secrets_back(std::move(config), secrets_of(type));
}

}  // namespace svc::store
