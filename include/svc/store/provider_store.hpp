#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"
#include "svc/domain/notification_provider.hpp"
#include "svc/domain/page.hpp"
#include "svc/store/change.hpp"

#include <boost/json/object.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// What stands in place of a secret wherever a provider's config is shown.
inline constexpr std::string_view secret_mask = "********";

/// JSON pointers into `config` of the secrets that a provider of this type holds there: webhook addresses, bot
/// tokens, header values.
std::vector<std::string> secret_pointers(std::string_view type, boost::json::object const& config);

/// A config as it is stored: with masks, and the secrets by their pointers.
struct split_config {
  boost::json::object shown;
  boost::json::object secrets;
};

/// Takes the secrets out of `wanted`. A mask stands for the one of `stored` at the same pointer, as long as the
/// address stays that the secrets were given for: whoever may change a provider must not send what others gave it
/// elsewhere. `validation_failed` with `/config/...` for a mask that stands for nothing.
result<split_config> take_secrets(std::string_view type, boost::json::object wanted, split_config const& stored);

/// The whole config again.
boost::json::object put_secrets(std::string_view type, split_config of);

/// What a provider shall be. `config` is a JSON object; where it holds the mask at a secret's place, the
/// stored secret stays.
struct provider_settings {
  std::string name;
  std::string type;
  bool enabled = true;
  std::string config = "{}";
};

/// The settings a provider shall have, from those it has (masked). Called under its lock; pure.
using provider_edit = std::function<result<provider_settings>(notification_provider const& current)>;

/// Notification providers; seals their secrets. Worker-local; pool and master keys outlive it. Every method
/// throws `unavailable` when the database is gone or late, or no master key opens what it holds.
class provider_store {
 public:
  provider_store(postgres::pool& db, master_keys& master) : db_(db), master_(master) {}

  /// Rows and `total` (page_facts) are of one snapshot.
  task<page<notification_provider>> list(uuid project, page_request wanted, deadline until);
  /// not_found.
  task<result<notification_provider>> get(uuid project, uuid id, deadline until);
  /// project_archived, validation_failed (a mask where nothing is stored).
  task<result<notification_provider>> create(editor by, provider_settings wanted, deadline until);
  /// not_found, precondition_failed, validation_failed, what `edit` returns.
  task<result<notification_provider>> update(editor by, uuid id, provider_edit edit, deadline until);
  /// not_found, precondition_failed.
  task<result<>> remove(editor by, uuid id, deadline until);
  /// The config with its secrets, a JSON object, for delivery. not_found.
  task<result<secret_string>> reveal(uuid project, uuid id, deadline until);

 private:
  postgres::pool& db_;
  master_keys& master_;
};

}  // namespace svc::store
