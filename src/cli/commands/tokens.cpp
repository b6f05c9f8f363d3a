#include "cli/commands/arguments.hpp"
#include "cli/commands/resource.hpp"
#include "cli/commands/rotation.hpp"
#include "cli/settings/credentials.hpp"
#include "cli/settings/environment.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

namespace svc::cli {
namespace {

constexpr column token_details[] = {{"ID", "id"},
                                    {"Name", "name"},
                                    {"Begins", "start"},
                                    {"Enabled", "enabled", cell::boolean},
                                    {"Expires", "expiresAt", cell::time},
                                    {"Created", "createdAt", cell::time},
                                    {"By", "createdBy.name"},
                                    {"Last used", "lastUsedAt", cell::time},
                                    {"From", "lastUsedIp"},
                                    {"Old secret", "previous.start"},
                                    {"Works until", "previous.expiresAt", cell::time}};
constexpr credential_kind token_kind_of_answers{"token", "token", token_details};
constexpr auto self = "self";

resource const& cli_tokens() {
  static resource const out{.group = "token",
                            .text = "token",
                            .many = "CLI tokens",
                            .path = "/api/cli-tokens",
                            .name_member = "name",
                            .order = "oldest first",
                            .row = credential_row,
                            .details = token_details};
  return out;
}

std::string own_token_id(context& cx) {
  auto const whoami = cx.client().fetch(whoami_request);
  auto const* const id = member_of(whoami, "id");
  if (id == nullptr || !id->is_string()) throw not_whoami(cx.config());
  return std::string(id->get_string());
}

std::string token_id(context& cx, std::string const& given) {
  return given == self ? own_token_id(cx) : id_of(cx, cli_tokens(), given);
}

std::string token_target(std::string const& id) {
  return std::string(cli_tokens().path) + "/" + percent_encoded(id);
}

/// Returns true if the token in use is the one that `svc login` stored for this address.
bool uses_login(context& cx) {
  auto const& settings = cx.config();
  auto const stored = credential_file(read_environment().config_directory).find(settings.url.text);
  return stored && settings.token && stored->reveal() == settings.token->reveal();
}

/// Asks before the token in use stops working. Without a terminal, only `--yes` lets that happen, because a script
/// that locks itself out cannot undo it. Returns false if the answer is no.
bool may_lock_out(context& cx, std::string const& verb, std::string const& given) {
  auto const sentence = "Token " + given + " is the one that svc uses now; every later command needs another one.";
  if (cx.console.can_ask()) return confirmed(cx, sentence + " " + verb + " it?");
  throw failure(exit_code::usage, "token_in_use", sentence + " Nothing was changed.",
                "Add --yes if that is what you want, and have another token ready for svc login.");
}

CLI::Option* add_token_argument(CLI::App& app, std::string& given) {
  return app.add_option("TOKEN", given, "its id or name; self is the one in use")->required();
}

exit_code change_token(context& cx, std::string const& given, boost::json::object const& patch) {
  request const r{
      .method = "PATCH", .target = token_target(token_id(cx, given)), .body = boost::json::serialize(patch)};
  return send_and_show(cx, r, token_details, token_kind_of_answers.member);
}

void add_token_get(CLI::App& token, context& cx) {
  auto const given = std::make_shared<std::string>();
  auto* const get = add_command(token, cx, "get", "Show a token", "self", [&cx, given] {
    return send_and_show(cx, {.method = "GET", .target = token_target(token_id(cx, *given))}, token_details);
  });
  add_token_argument(*get, *given);
}

void add_token_create(CLI::App& token, context& cx) {
  struct arguments {
    std::string name, expires_in;
    secret_options secret;
  };
  auto const given = std::make_shared<arguments>();
  auto* const create = add_command(token, cx, "create", "Create a token with your own rights", "", [&cx, given] {
    boost::json::object body{{"name", given->name}};
    if (!given->expires_in.empty()) body["expiresIn"] = duration_argument(given->expires_in, "--expires-in");
    request const creation{
        .method = "POST", .target = std::string(cli_tokens().path), .body = boost::json::serialize(body)};
    return create_credential(cx, token_kind_of_answers, creation, given->secret);
  });
  create->add_option("NAME", given->name, "what it is for; unique in the project")->required();
  create->add_option("--expires-in", given->expires_in, "lifetime: 90d, 12h; without it the token does not expire")
      ->type_name("DURATION");
  add_secret_options(*create, given->secret);
  create->footer(
      "The secret is only in this answer: it is printed once, or passed to a store and not printed.\n"
      "Examples:\n"
      "  svc token create ci --expires-in 90d\n"
      "  svc token create ci --exec 'gh secret set SERVICE_TOKEN'");
}

void add_token_enable(CLI::App& token, context& cx) {
  auto const given = std::make_shared<std::string>();
  auto* const command = add_command(token, cx, "enable", "Enable a disabled token again", "ci",
                                    [&cx, given] { return change_token(cx, *given, {{"enabled", true}}); });
  add_token_argument(*command, *given);
}

exit_code disable_token(context& cx, std::string const& given, bool sure) {
  auto const id = token_id(cx, given);
  if (!sure && own_token_id(cx) == id && !may_lock_out(cx, "Disable", given)) return exit_code::ok;
  return change_token(cx, id, {{"enabled", false}});
}

void add_token_rename(CLI::App& token, context& cx) {
  auto const given = std::make_shared<std::pair<std::string, std::string>>();
  auto* const rename =
      add_command(token, cx, "rename", "Give a token another name", "ci 'ci of the shop'",
                  [&cx, given] { return change_token(cx, given->first, {{"name", given->second}}); });
  add_token_argument(*rename, given->first);
  rename->add_option("NAME", given->second, "the new name")->required();
}

void add_token_rotate(CLI::App& token, context& cx) {
  struct arguments {
    std::string which;
    rotation_options options;
  };
  auto const given = std::make_shared<arguments>();
  auto* const command = add_command(token, cx, "rotate", "Give your token a new secret", "", [&cx, given] {
    auto const id = token_id(cx, given->which);
    return rotate(cx, {.target = token_target(id),
                       .kind = token_kind_of_answers,
                       .given = given->options,
                       .is_login = uses_login(cx) && own_token_id(cx) == id,
                       .can_confirm = true});
  });
  add_token_argument(*command, given->which);
  add_rotation_options(*command, given->options, true);
  command->footer(
      "With a store, the new secret is stored, then used once, and that ends the old one: nobody is locked out\n"
      "if a step fails. The token that svc login stored is replaced there too. Without a store the new secret is\n"
      "printed once, and the old one works for 24 hours.\n"
      "Examples:\n"
      "  svc token rotate self\n"
      "  svc token rotate ci --expires-in 90d --exec 'gh secret set SERVICE_TOKEN'\n"
      "  svc token rotate ci --write-to /etc/ci/service-token");
}

exit_code revoke_token(context& cx, std::string const& given, bool sure) {
  auto const id = token_id(cx, given);
  bool const in_use = own_token_id(cx) == id;
  bool const was_login = in_use && uses_login(cx);
  bool const agreed =
      sure || (in_use ? may_lock_out(cx, "Revoke", given) : confirmed(cx, "Revoke token " + given + "?"));
  if (!agreed) return exit_code::ok;
  cx.client().send({.method = "DELETE", .target = token_target(id)});
  if (was_login) credential_file(read_environment().config_directory).erase(cx.config().url.text);
  cx.console.note("Revoked token " + given + (was_login ? ", and removed it from svc login's file." : "."));
  if (in_use) cx.console.note("It was the token in use. Log in with another one: svc login");
  return exit_code::ok;
}

/// Adds a command that ends the rights of a token.
void add_token_end(CLI::App& token, context& cx, char const* name, char const* help,
                   exit_code (*end)(context& cx, std::string const& given, bool sure)) {
  auto const which = std::make_shared<std::string>();
  auto const sure = std::make_shared<bool>(false);
  auto* const command =
      add_command(token, cx, name, help, "ci", [&cx, which, sure, end] { return end(cx, *which, *sure); });
  add_token_argument(*command, *which);
  command->add_flag("-y,--yes", *sure, "do not ask; required to end the token in use without a terminal");
}

}  // namespace

void add_token_commands(CLI::App& root, context& cx) {
  auto* const token = root.add_subcommand("token", "CLI tokens: credentials of the project");
  token->require_subcommand(1);
  add_list(*token, cx, cli_tokens());
  add_token_get(*token, cx);
  add_token_create(*token, cx);
  add_token_enable(*token, cx);
  add_token_end(*token, cx, "disable", "Disable a token until it is enabled again", disable_token);
  add_token_rename(*token, cx);
  add_token_rotate(*token, cx);
  add_token_end(*token, cx, "revoke", "End a token for good", revoke_token);
}

}  // namespace svc::cli
