#include "api/token_changes.hpp"

#include "svc/access/epoch_publisher.hpp"
#include "svc/api/services.hpp"
#include "svc/domain/display_text.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

store::rotation read_rotation(call const& c, minted_token const& minted) {
  store::rotation rotation{.digest = minted.digest, .start = minted.start, .presented = c.secret};
  if (auto const* grace = c.member("graceSeconds")) rotation.grace_seconds = grace->as_int64();
  if (auto const* lifetime = c.member("expiresIn")) rotation.expires_in = lifetime->as_int64();
  if (auto const* end = c.member("endPrevious")) rotation.end_at_first_use = end->as_string() == "first_use";
  return rotation;
}

}  // namespace

result<store::token_editor> editor_of(call const& c, permission needed, bool own_allowed) {
  bool const everybodys = allows(c.caller.owner_role, needed);
  if (!everybodys && !own_allowed) return errc::permission_denied;
  store::token_editor editor{
      .actor = c.actor(), .as = c.caller.owner_role, .own_allowed = own_allowed, .expected = c.expected_versions()};
  editor.actor.permit->roles = roles_with(needed);
  if (!everybodys) editor.only_owner = c.caller.owner_id;
  return editor;
}

result<store::token_edit> read_edit(call const& c) {
  store::token_edit edit;
  if (auto const* enabled = c.member("enabled")) edit.enabled = enabled->as_bool();
  if (auto const* name = c.member("name")) {
    auto const checked = checked_name(name->as_string());
    if (!checked) return checked.error();
    edit.name = *checked;
  }
  return edit;
}

bool only_disables(store::token_edit const& edit) {
  return edit.enabled == false && !edit.name && !edit.rate && !edit.cidrs;
}

result<token_request> read_new_token(call const& c, token_kind kind, store::token_scope scope) {
  auto name = checked_name(c.member("name")->as_string());
  if (!name) return name.error();
  minted_token minted = mint_token(kind);
  token_request out{.token = {.kind = kind,
                              .scope = scope,
                              .owner = c.caller.owner_id,
                              .name = std::move(*name),
                              .start = std::move(minted.start),
                              .digest = minted.digest},
                    .secret = std::move(minted.key)};
  auto const* expires_in = c.member("expiresIn");
  if (expires_in != nullptr && !expires_in->is_null()) out.token.expires_in = expires_in->as_int64();
  return out;
}

task<result<keyed_token>> create_token(call& c, token_request asked) {
  sha256_digest const digest = asked.token.digest;
  auto made = co_await c.use.stores.tokens.create(std::move(asked.token), c.actor(), c.until);
  if (!made.outcome) co_return made.outcome.error();
  co_await c.use.changes.announce({digest});
  co_return keyed_token{std::move(*made.outcome), std::move(asked.secret)};
}

reply changed_reply(call const& c, store::stored_token const& made, std::string_view member, token_writer json) {
  return shown_reply(c, made.version, [&](http::json_text& out) {
    out.member("success", true).open(member);
    json(out, made);
    out.close();
  });
}

reply keyed_reply(call const& c, keyed_token const& made, std::string_view member, token_writer json) {
  auto out = shown_reply(c, made.token.version, [&](http::json_text& shown) {
    shown.member("success", true).open(member);
    json(shown, made.token);
    shown.passing_member("key", made.key.reveal()).close();
  });
  out.status = 201;
  out.secret = true;
  return out;
}

task<result<keyed_token>> rotate_token(call& c, store::token_scope scope, uuid id) {
  // The kind, which never changes, gives the secret its prefix; all else is read under the token's lock.
  auto found = co_await c.use.stores.tokens.get(scope, id, c.until);
  if (!found.outcome) {
    co_await c.use.changes.publish(std::move(found.touched));
    co_return found.outcome.error();
  }
  minted_token minted = mint_token(found.outcome->kind);
  auto done = co_await c.use.stores.tokens.rotate(scope, id, read_rotation(c, minted), c.actor(), c.until);
  // This applies also after a refusal, which may reveal somebody else's change.
  co_await c.use.changes.publish(std::move(done.touched));
  if (!done.outcome) co_return done.outcome.error();
  co_await c.use.changes.announce({minted.digest});
  co_return keyed_token{std::move(*done.outcome), std::move(minted.key)};
}

}  // namespace svc::api
