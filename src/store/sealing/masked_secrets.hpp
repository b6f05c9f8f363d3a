#pragma once

#include "svc/core/bytes.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/sealing/split_config.hpp"

#include <functional>
#include <string>
#include <string_view>

// Configs of providers and monitors: their secrets are sealed, and masked where the config is shown.

namespace svc::store {

/// Called with the JSON pointer and the value of a secret.
using secret_use = std::function<void(std::string const& pointer, boost::json::value& value)>;
/// Calls `use` for each secret of a config.
using secret_walk = std::function<void(boost::json::object& config, secret_use const& use)>;

/// JSON pointer to a value in `headers` (RFC 6901 section 3). Header names contain no `/`.
std::string pointer_to_header(std::string_view name);

/// Moves the secrets out of `wanted`. A mask keeps the secret of `stored` at the same pointer. `moved_from`
/// names the part of the config that has changed ("address"), after which no mask keeps a secret; empty:
/// nothing has changed. Returns `validation_failed` with `/config/...` for a mask that keeps no secret.
result<split_config> move_secrets_out(boost::json::object wanted, split_config const& stored,
                                      std::string_view moved_from, secret_walk const& each);

/// Puts the secrets back in place of their masks.
boost::json::object put_secrets_back(split_config config, secret_walk const& each);

byte_vector seal_secrets(byte_view key, boost::json::object const& secrets, uuid project, uuid id);
/// Throws `unavailable` if the secrets do not open. `whose` ("provider") names the owner in the log.
boost::json::object open_secrets(byte_view key, byte_view sealed, uuid project, uuid id, std::string_view whose);

}  // namespace svc::store
