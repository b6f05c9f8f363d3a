#pragma once

#include "svc/api/call.hpp"
#include "svc/store/tokens/token_store.hpp"

namespace svc::api {

/// Returns the editor of a token for this call. A caller without the permission `needed` may still change its own
/// tokens if `own_allowed`: all users may disable and revoke their own tokens, whatever their role. Therefore these
/// operations have no x-permission in the contract, and the handler passes `needed`, which COMMIT checks again.
/// Returns permission_denied for other callers.
result<store::token_editor> editor_of(call const& c, permission needed, bool own_allowed);

/// Returns `name` and `enabled` of the body, or validation_failed.
result<store::token_edit> read_edit(call const& c);
/// Returns true if the edit only disables; an owner without `token:update` may do nothing else.
bool only_disables(store::token_edit const& edit);

/// A new credential as a create request describes it, minted for this call's owner. `secret` is shown once.
struct token_request {
  store::new_token token;
  secret_string secret;
};
result<token_request> read_new_token(call const& c, token_kind kind, store::token_scope scope);

/// A token with a new secret, which is shown once.
struct keyed_token {
  store::stored_token token;
  secret_string key;
};
/// Stores the requested token and publishes it. Fails as `token_store::create` does.
task<result<keyed_token>> create_token(call& c, token_request asked);
/// Adds the members of a token of one kind.
using token_writer = void (*)(http::json_text& out, store::stored_token const& token);
/// Returns 200 with the token under the name `member`.
reply changed_reply(call const& c, store::stored_token const& made, std::string_view member, token_writer json);
/// Returns 201 with `key`, the token under the name `member`.
reply keyed_reply(call const& c, keyed_token const& made, std::string_view member, token_writer json);

/// Rotates a CLI token or a trigger key: mints a secret of the token's own kind, stores and publishes it. Fails as
/// `token_store::rotate` does.
task<result<keyed_token>> rotate_token(call& c, store::token_scope scope, uuid id);

}  // namespace svc::api
