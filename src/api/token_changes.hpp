#pragma once

#include "svc/api/call.hpp"
#include "svc/store/tokens/token_store.hpp"

namespace svc::api {

/// The editor of a token for this call. A caller without the permission `needed` may still change its own tokens if
/// `own_allowed`: all users may disable and revoke their own tokens, whatever their role. That is why these
/// operations have no x-permission in the contract, and why `needed`, which COMMIT checks again, is passed here.
/// permission_denied.
result<store::token_editor> editor_of(call const& c, permission needed, bool own_allowed);

/// `name` and `enabled` of the body. validation_failed.
result<store::token_edit> read_edit(call const& c);
/// Whether the edit only disables, which is all that an owner without `token:update` may do.
bool only_disables(store::token_edit const& edit);

/// A new credential as a create request asks for it, minted for this call's owner. `secret` is shown once.
struct token_request {
  store::new_token token;
  secret_string secret;
};
result<token_request> read_new_token(call const& c, token_kind kind, store::token_scope place);

/// A token with a new secret, which is shown once.
struct keyed_token {
  store::stored_token token;
  secret_string key;
};
/// Stores what was asked for and makes it known. Fails as `token_store::create` does.
task<result<keyed_token>> create_token(call& c, token_request asked);
/// Adds the members of a token of one kind.
using token_writer = void (*)(http::json_text& out, store::stored_token const& token);
/// 200 with the token under the name `member`.
reply changed_reply(call const& c, store::stored_token const& made, std::string_view member, token_writer json);
/// 201 with `key`, the token under the name `member`.
reply keyed_reply(call const& c, keyed_token const& made, std::string_view member, token_writer json);

/// What rotating a CLI token and a trigger key share: mints a secret of the token's own kind, stores it and makes it
/// known. Fails as `token_store::rotate` does.
task<result<keyed_token>> rotate_token(call& c, store::token_scope place, uuid id);

}  // namespace svc::api
