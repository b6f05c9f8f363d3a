#pragma once

#include "svc/api/call.hpp"
#include "svc/store/token_store.hpp"

namespace svc::api {

/// A token with its new secret, which is shown once.
struct rotated_token {
  store::stored_token token;
  secret_string key;
};

/// What rotating a CLI token and a trigger key share: mints a secret of the token's own kind, stores it and makes it
/// known. Fails as `token_store::rotate` does.
task<result<rotated_token>> rotate_token(call& c, store::token_scope place, uuid id);

/// 201 with `key`, the token under the name `member`.
reply rotated_reply(rotated_token const& made, std::string_view member, boost::json::object shown);

}  // namespace svc::api
