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

/// JSON pointers to the secrets that a provider of this type has in `config`: webhook addresses, bot tokens, routing
/// keys, signing secrets, header values.
std::vector<std::string> secret_pointers(std::string_view type, boost::json::object const& config);

/// Moves the secrets out of `wanted`. A mask keeps the secret of `stored` at the same pointer, but only while the
/// address that the secret was given for is unchanged: a person who may change a provider must not be able to send
/// other people's secrets elsewhere. `validation_failed` with `/config/...` for a mask that keeps no secret.
/// A signing secret that is replaced stays among the secrets as `former_signing_secret`, and what stood there stays
/// while it is not; both only at the same address, where it has signed before.
result<split_config> take_secrets(std::string_view type, boost::json::object wanted, split_config const& stored);

/// Its name among the secrets, which is no pointer into `config`.
inline constexpr std::string_view former_signing_secret = "former /signingSecret";

/// Puts the secrets back in place of their masks.
boost::json::object put_secrets(std::string_view type, split_config config);

/// A config with its secrets, for a message.
struct revealed_config {
  secret_string config{};                 ///< a JSON object
  secret_string former_signing_secret{};  ///< empty: only the present one signs
};

/// The settings of a provider. `config` is a JSON object; a mask in place of a secret keeps the stored one.
struct provider_settings {
  std::string name;
  std::string type;
  bool enabled = true;
  std::string config = "{}";
  std::optional<std::int64_t> group_seconds{};    ///< nothing: as usual for its type
  std::optional<std::int64_t> rate_per_minute{};  ///< nothing: as usual for its type
};

/// What tells a provider something. A value.
struct provider_usage {
  struct user {
    uuid id{};
    std::string name{};
  };
  static constexpr std::int64_t most = 1'000;  ///< of each kind, by name
  std::vector<user> monitors{}, jobs{};
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
  /// not_found.
  task<result<notification_provider>> get(uuid project, uuid id, deadline until);
  /// project_archived, provider_limit_reached, validation_failed (a mask; there is no stored secret to keep).
  task<result<notification_provider>> create(editor editor, provider_settings wanted, deadline until);
  /// not_found, precondition_failed, validation_failed, and any error of `edit`.
  task<result<notification_provider>> update(editor editor, uuid id, provider_edit edit, deadline until);
  /// not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid id, deadline until);
  /// For delivery. not_found.
  task<result<revealed_config>> reveal(uuid project, uuid id, deadline until);
  /// not_found.
  task<result<provider_usage>> usage(uuid project, uuid id, deadline until);

 private:
  postgres::pool& db_;
  master_keys& master_;
  quota_table quotas_;
};

}  // namespace svc::store
