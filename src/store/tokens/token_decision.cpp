#include "store/tokens/token_decision.hpp"

#include "svc/core/ip_address.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace svc::store {

namespace {

/// Returns true if disabling the token binds its owner: a token that an administrator disables for another person can
/// be enabled again only by an administrator. For their own tokens, administrators are like any owner.
bool binds_owner(stored_token const& token, token_editor const& editor) {
  return is_administrator(editor.as) && editor.actor.user && *editor.actor.user != token.owner;
}

result<> plan_switch(stored_token const& token, bool enabled, token_editor const& editor, token_plan& plan) {
  if (enabled && token.owner_left)
    return error(
        errc::permission_denied,
        "The token's owner was removed from the organization. It cannot be enabled again; create a new one.");
  if (enabled && token.disabled_by && !is_administrator(editor.as)) return errc::disabled_by_administrator;
  plan.enabled = enabled;
  if (enabled)
    plan.disabled_by.reset();
  else if (binds_owner(token, editor) && !token.disabled_by)
    plan.disabled_by = editor.actor.user;
  return {};
}

boost::json::value rate_json(std::optional<window_limit> const& rate) {
  if (!rate) return nullptr;
  return {{"limit", rate->limit}, {"windowSeconds", rate->seconds}};
}

boost::json::value cidrs_json(std::optional<std::vector<std::string>> const& cidrs) {
  if (!cidrs) return nullptr;
  return boost::json::array(cidrs->begin(), cidrs->end());
}

void describe(stored_token const& token, token_plan& plan) {
  boost::json::object object{{"name", token.name}};
  plan.verb = "updated";
  if (plan.enabled != token.enabled || plan.disabled_by != token.disabled_by) {
    plan.verb = plan.enabled ? "enabled" : "disabled";
    object["enabled"] = plan.enabled;
  }
  if (plan.name != token.name) object["newName"] = plan.name;
  if (plan.rate != token.rate) object["rateLimit"] = rate_json(plan.rate);
  if (plan.allowed_cidrs != token.allowed_cidrs) object["allowedCidrs"] = cidrs_json(plan.allowed_cidrs);
  plan.changes = object.size() > 1;
  plan.details = boost::json::serialize(object);
}

bool is_owner(stored_token const& token, token_editor const& editor) {
  return editor.actor.user && *editor.actor.user == token.owner;
}

bool empowers(stored_token const& token, token_plan const& plan, token_edit const& edit) {
  if (plan.enabled && !token.enabled) return true;
  if (edit.rate && widens(token.rate, plan.rate, edit.rate->base)) return true;
  return widens(token.allowed_cidrs, plan.allowed_cidrs);
}

}  // namespace

token_state state_of(token_facts const& facts) {
  if (facts.revoked) return token_state::revoked;
  if (facts.secret_dead) return token_state::secret_rotated;
  if (!facts.enabled) return token_state::disabled;
  if (facts.owner_disabled) return token_state::owner_disabled;
  if (facts.owner_removed) return token_state::owner_removed;
  if (facts.owner_role == role::none) return token_state::owner_without_role;
  if (facts.project_archived) return token_state::project_archived;
  return token_state::usable;
}

std::optional<window_limit> rate_edit::apply(std::optional<window_limit> const& target) const {
  if (reset) return std::nullopt;
  window_limit const source = target.value_or(base);
  return window_limit{limit.value_or(source.limit), seconds.value_or(source.seconds)};
}

namespace {

bool faster(window_limit const& limit, window_limit const& than) {
  return std::uint64_t{limit.limit} * than.seconds > std::uint64_t{than.limit} * limit.seconds;
}

result<> check_rate(rate_edit const& edit, std::optional<window_limit> const& before,
                    std::optional<window_limit> const& after) {
  if (!after || (before && !faster(*after, *before))) return {};
  return check_key_limit(*after, edit.most_a_minute);
}

}  // namespace

result<> check_access(stored_token const& token, token_editor const& editor) {
  if (token.revoked) return errc::not_found;
  if (editor.only_owner && *editor.only_owner != token.owner) return errc::permission_denied;
  if (!editor.expected.allows(token.version)) return errc::precondition_failed;
  return {};
}

audit_actor writer_of(stored_token const& token, token_editor const& editor, role least) {
  audit_actor out = editor.actor;
  if (!out.permit) return out;
  if (editor.own_allowed && out.user == token.owner && least == role::none) {
    out.permit->roles = roles_with(std::nullopt);
    return out;
  }
  auto const enough = roles_from(least);
  std::erase_if(out.permit->roles,
                [&](std::string const& name) { return std::ranges::find(enough, name) == enough.end(); });
  return out;
}

role least_role(stored_token const& token, role owner, token_plan const& plan, token_editor const& editor) {
  bool const binds = plan.disabled_by != token.disabled_by;
  bool const lends = plan.empowers && !is_owner(token, editor);
  return std::max(binds ? role::project_admin : role::none, lends ? owner : role::none);
}

bool widens(std::optional<window_limit> const& before, std::optional<window_limit> const& after, window_limit base) {
  window_limit const limit = before.value_or(base), window_limit = after.value_or(base);
  return window_limit.limit > limit.limit || window_limit.seconds < limit.seconds;
}

bool widens(std::optional<std::vector<std::string>> const& before,
            std::optional<std::vector<std::string>> const& after) {
  if (!before) return false;
  if (!after) return true;
  std::vector<cidr> allowed;
  for (auto const& text : *before)
    if (auto const range = cidr::parse(text)) allowed.push_back(*range);
  return std::ranges::any_of(*after, [&](std::string const& text) {
    auto const range = cidr::parse(text);
    return range && std::ranges::none_of(allowed, [&](cidr const& cidr) { return cidr.contains(*range); });
  });
}

result<token_plan> plan_edit(stored_token const& token, role owner, token_edit const& edit,
                             token_editor const& editor) {
  if (auto ok = check_access(token, editor); !ok) return ok.error();
  token_plan plan{.enabled = token.enabled,
                  .disabled_by = token.disabled_by,
                  .name = token.name,
                  .rate = token.rate,
                  .allowed_cidrs = token.allowed_cidrs};
  if (edit.enabled)
    if (auto ok = plan_switch(token, *edit.enabled, editor, plan); !ok) return ok.error();
  if (edit.name) plan.name = *edit.name;
  if (edit.rate) {
    plan.rate = edit.rate->apply(token.rate);
    if (auto ok = check_rate(*edit.rate, token.rate, plan.rate); !ok) return ok.error();
  }
  if (edit.cidrs) plan.allowed_cidrs = edit.cidrs->texts;
  plan.empowers = empowers(token, plan, edit);
  if (plan.empowers && !is_owner(token, editor) && !may_empower_credential(editor.as, owner))
    return error(errc::permission_denied,
                 "Only the token's owner, or somebody whose role is at least the owner's, can enable it or widen its "
                 "limits.");
  describe(token, plan);
  return plan;
}

}  // namespace svc::store
