#pragma once

#include "api/cli_tokens/token_access.hpp"

namespace svc::api {

/// What rotating a CLI token and a trigger key share: mints a secret of the token's own kind, stores it and makes it
/// known. Fails as `token_store::rotate` does.
task<result<keyed_token>> rotate_token(call& c, store::token_scope place, uuid id);

}  // namespace svc::api
