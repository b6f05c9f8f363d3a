#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"
#include "svc/domain/notification_provider.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/quota.hpp"
#include "svc/store/change.hpp"
#include "svc/store/sealing/split_config.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Returns JSON pointers to the secrets in the `config` of a provider of this type: webhook addresses, bot tokens,
/// routing keys, signing secrets, header values.
std::vector<std::string> secret_pointers(std::string_view type, boost::json::object const& config);

/// Moves the secrets out of `wanted`. A mask keeps the secret of `stored` at the same pointer, but only while the
/// address that the secret was given for is unchanged: a person who may change a provider must not be able to send
/// other people's secrets elsewhere. Returns `validation_failed` with `/config/...` for a mask that keeps no secret.
/// A replaced signing secret stays among the secrets as `former_signing_secret`, and an unchanged one keeps its
/// former secret. Both hold only while the address is unchanged, because the old secret has signed only there.
result<split_config> take_secrets(std::string_view type, boost::json::object wanted, split_config const& stored);

/// Name of the replaced signing secret among the secrets. The name is no pointer into `config`.
inline constexpr std::string_view former_signing_secret = "former /signingSecret";

/// Returns the config with the secrets in place of their masks.
boost::json::object put_secrets(std::string_view type, split_config config);

/// A config with its secrets, for sending a message.
struct revealed_config {
  secret_string config{};                 ///< a JSON object
  secret_string former_signing_secret{};  ///< empty: only the present secret signs
};

/// The settings of a provider. `config` is a JSON object; a mask in place of a secret keeps the stored one.
struct provider_settings {
  std::string name;
  std::string type;
  bool enabled = true;
  std::string config = "{}";
  std::optional<std::int64_t> group_seconds{};    ///< nothing: the default of the type
  std::optional<std::int64_t> rate_per_minute{};  ///< nothing: the default of the type
};

/// The monitors, jobs and status pages that notify a provider. A value.
struct provider_usage {
  struct user {
    uuid id{};
    std::string name{};
  };
  static constexpr std::int64_t most = 1'000;  ///< maximum of each list, in the order of names
  std::vector<user> monitors{}, jobs{}, status_pages{};
};

/// Computes a provider's new settings from its current ones (masked). Pure; called while the provider is locked.
using provider_edit = std::function<result<provider_settings>(notification_provider const& current)>;

/// Notification providers, with their secrets sealed. Worker-local; the pool and the master keys outlive it. Every
/// method throws `unavailable` when the database is gone or late, or a sealed secret cannot be opened.
class provider_store {
 public:
  provider_store(postgres::pool& db, master_keys& master, quota_table quotas = {})
      : db_(db), master_(master), quotas_(quotas) {}

  /// Rows and `total` (page_facts) come from one snapshot.
  task<page<notification_provider>> list(uuid project, page_request wanted, deadline until);
  /// Errors: not_found.
  task<result<notification_provider>> get(uuid project, uuid id, deadline until);
  /// Errors: project_archived, provider_limit_reached, validation_failed (a mask without a stored secret).
  task<result<notification_provider>> create(editor editor, provider_settings wanted, deadline until);
  /// Errors: not_found, precondition_failed, validation_failed, and any error of `edit`.
  task<result<notification_provider>> update(editor editor, uuid id, provider_edit edit, deadline until);
  /// Errors: not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid id, deadline until);
  /// Returns the config with its secrets, for delivery. Errors: not_found.
  task<result<revealed_config>> reveal(uuid project, uuid id, deadline until);
  /// Errors: not_found.
  task<result<provider_usage>> usage(uuid project, uuid id, deadline until);

 private:
  postgres::pool& db_;
  master_keys& master_;
  quota_table quotas_;
};

}  // namespace svc::store
