#include "cli/commands/context.hpp"
#include "cli/console/show.hpp"
#include "cli/settings/config_file.hpp"
#include "cli/settings/credentials.hpp"
#include "cli/settings/files.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/array.hpp>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace svc::cli {
namespace {

constexpr column whoami_columns[] = {{"User", "user.name"},
                                     {"Role", "role"},
                                     {"Organization", "organization.slug"},
                                     {"Project", "project.slug"},
                                     {"Token", "name"},
                                     {"Kind", "kind"},
                                     {"Expires", "expiresAt", cell::time},
                                     {"Address", "address"},
                                     {"Token from", "tokenSource"}};

/// Prints whoami's answer. `--json` prints only the answer; people also see the address and the source of the token.
void show_whoami(console& console, boost::json::value const& whoami, std::string const& address,
                 std::string const& token_source) {
  auto shown = whoami.as_object();
  shown["address"] = address;
  shown["tokenSource"] = token_source;
  show_object(console, shown, whoami_columns, &whoami);
}

/// Returns the command line's settings without the environment's credentials, because login and logout do not concern
/// those credentials.
settings settings_without_credentials(global_options const& given, bool needs_url) {
  auto sources = load_sources(given);
  sources.variables.token.reset();
  sources.variables.trigger_key.reset();
  credential_file const file(sources.variables.config_directory);
  return settings_from(sources, [&](std::string const& address) { return file.find(address); }, needs_url);
}

/// Reads the token from stdin, without the line end.
secret_string token_of_stdin() {
  // The buffer is larger than any token; a longer text cannot be a token.
  std::array<char, 512> text{};
  auto size = std::fread(text.data(), 1, text.size(), stdin);
  while (size > 0 && std::string_view(" \t\r\n").find(text[size - 1]) != std::string_view::npos) --size;
  secret_string out(std::string_view(text.data(), size));
  wipe(text.data(), text.size());
  return out;
}

/// Returns the token that `--token` refers to, after a check of its form. `given` is the option's value, or empty
/// without the option.
secret_string token_to_store(std::string const& given, settings const& settings, console& with_user) {
  if (!given.empty() && given != "-") {
    with_user.warn(
        "a token among the arguments is seen in the list of processes and stays in the shell's history; "
        "--token - reads it from stdin.");
    return checked_token(given, "--token");
  }
  if (with_user.in_is_terminal()) {
    auto const typed = with_user.ask_hidden("Token for " + settings.url.text);
    return checked_token(typed.reveal(), "The text that was entered");
  }
  if (given.empty())
    throw bad_usage("There is no terminal to ask for the token.", "svc login --token - reads it from stdin.");
  return checked_token(token_of_stdin().reveal(), "stdin");
}

void refuse_unconfirmed(settings const& settings) {
  if (settings.url_confirmed) return;
  throw failure(exit_code::usage, "unconfirmed_url",
                settings.url.source + " names " + settings.url.text + ", and none of your own settings does.",
                "If you trust that address: svc login --url " + settings.url.text);
}

/// Makes the address of `--url` the default for later commands. An existing file of settings belongs to the user, so
/// it stays unchanged.
void remember_address(context& cx, settings const& settings) {
  if (cx.options.url.empty() || settings.config_directory.empty()) return;
  auto const path = settings.config_directory + "/config.toml";
  if (auto const file = load_config(path, config_origin::user)) {
    if (!file->url) cx.console.note("Later commands need --url, SERVICE_URL, or url in " + path + ".");
    return;
  }
  // A JSON string is a basic string of TOML.
  auto text = "url = " + json_text(boost::json::value(settings.url.text), false) + "\n";
  if (!cx.options.ca_file.empty())
    text +=
        "cacert = " + json_text(boost::json::value(std::filesystem::absolute(cx.options.ca_file).string()), false) +
        "\n";
  replace_private_file(path, text);
  cx.console.note("Later commands use this address, unless another is given: " + path + " says so.");
}

exit_code log_in(context& cx, std::string const& given) {
  auto settings = settings_without_credentials(cx.options, true);
  refuse_unconfirmed(settings);
  settings.token = token_to_store(given, settings, cx.console);
  settings.token_source = "login";
  auto const whoami = client(settings, cx.console).fetch(whoami_request);
  auto const facts = facts_of(whoami);
  if (!facts) throw not_whoami(settings);
  if (auto const wrong = misplacement(settings, *facts); !wrong.empty()) throw misplaced(wrong);
  credential_file const file(settings.config_directory);
  file.store(settings.url.text, *settings.token);
  facts_cache(settings.cache_directory).remember(settings.url.text, *settings.token, *facts, system_now());
  show_whoami(cx.console, whoami, settings.url.text, file.path());
  cx.console.flush();
  cx.console.note("Logged in to " + settings.url.text + ".");
  remember_address(cx, settings);
  if (auto const warning = expiry_warning(*facts, system_now()); !warning.empty()) cx.console.warn(warning);
  if (read_environment().token)
    cx.console.warn(
        "SERVICE_TOKEN is set and takes precedence over the stored token; unset it to use the stored one.");
  return exit_code::ok;
}

exit_code log_out(context& cx, bool all) {
  auto const settings = settings_without_credentials(cx.options, !all);
  credential_file const file(settings.config_directory);
  boost::json::array gone;
  for (auto const& address : all ? file.addresses() : std::vector<std::string>{settings.url.text})
    if (file.erase(address)) gone.emplace_back(address);
  if (cx.console.how() == format::json)
    cx.console.data_line(json_text(boost::json::object{{"loggedOut", gone}}, cx.console.out_is_terminal()));
  for (auto const& address : gone) cx.console.note("Logged out of " + std::string(address.as_string()) + ".");
  cx.console.note(gone.empty() ? "No token was stored, so nothing was deleted."
                               : "The token itself is still valid. To end it for everyone, revoke it with another "
                                 "token: svc token revoke.");
  if (read_environment().token) cx.console.note("SERVICE_TOKEN is still set, and is used.");
  return exit_code::ok;
}

exit_code who_am_i(context& cx) {
  // The client is unchecked, because this command explains why another command was refused.
  auto const whoami = cx.client_without_check().fetch(whoami_request);
  cx.learn(whoami);
  auto const facts = facts_of(whoami);
  if (!facts) throw not_whoami(cx.config());
  show_whoami(cx.console, whoami, cx.config().url.text, cx.config().token_source);
  cx.console.flush();
  if (auto const wrong = misplacement(cx.config(), *facts); !wrong.empty()) cx.console.warn(wrong);
  return exit_code::ok;
}

}  // namespace

void add_login_commands(CLI::App& root, context& cx) {
  auto* const login = root.add_subcommand("login", "Check a token and store it for this address");
  auto const token = std::make_shared<std::string>();
  login->add_option("--token", *token, "the token, or - to read it from stdin; without it you are asked")
      ->type_name("TOKEN");
  login->footer(
      "The token is stored only after the service accepted it, in ~/.config/svc/credentials.json (mode 0600),\n"
      "only for this address. Trigger keys are not stored: set SERVICE_TRIGGER_KEY where the pipeline runs.\n"
      "  svc login --url https://ci.example.com\n"
      "  pass show ci-token | svc login --token -");
  login->callback([&cx, token] { cx.action = [&cx, token] { return log_in(cx, *token); }; });

  auto* const logout = root.add_subcommand("logout", "Delete the stored token of this address");
  auto const all = std::make_shared<bool>(false);
  logout->add_flag("--all", *all, "the tokens of all addresses");
  logout->footer(
      "The token itself stays valid; to end it, use svc token revoke before you log out.\n"
      "  svc logout --url https://ci.example.com");
  logout->callback([&cx, all] { cx.action = [&cx, all] { return log_out(cx, *all); }; });

  auto* const whoami = root.add_subcommand("whoami", "Show the owner, organization and project of the token in use");
  whoami->footer(
      "  svc whoami\n"
      "  svc whoami --template '{organization.slug}/{project.slug} as {role}'");
  whoami->callback([&cx] { cx.action = [&cx] { return who_am_i(cx); }; });
}

}  // namespace svc::cli
