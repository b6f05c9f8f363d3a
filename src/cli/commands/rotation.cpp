#include "cli/commands/rotation.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/commands/named_options.hpp"
#include "cli/settings/credentials.hpp"
#include "cli/settings/environment.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

namespace svc::cli {
namespace {

bool is_stored(rotation const& rotation) {
  return rotation.is_login || rotation.given.secret.store.given();
}

boost::json::object rotation_body(rotation const& rotation) {
  auto const& given = rotation.given;
  boost::json::object out;
  // The old secret must work until the new one is stored; the confirmation ends the old secret soon enough.
  if (!given.grace.empty()) out["graceSeconds"] = duration_argument(given.grace, "--grace");
  if (is_stored(rotation) && !given.grace.empty() && out["graceSeconds"] == 0)
    throw bad_usage("With --grace 0 the old secret would end before the new one is stored.",
                    "Leave it out: the old secret then ends when the new one is stored and first used.");
  if (!given.expires_in.empty()) out["expiresIn"] = duration_argument(given.expires_in, "--expires-in");
  out["endPrevious"] = !given.end_previous.empty() ? given.end_previous : is_stored(rotation) ? "first_use" : "grace";
  return out;
}

std::string old_one_works(secret_answer const& made) {
  auto const until = made.text("previous.expiresAt");
  return until == "-" ? std::string(" The old secret has ended.") : " The old secret works until " + until + ".";
}

failure with_advice(failure const& f, std::string const& more, std::string hint) {
  return f.retold(f.what() + more, std::move(hint));
}

/// A rotation is not idempotent, so it is not sent again by itself; but a second one is harmless.
std::string rotated(context& cx, rotation const& rotation) {
  request const r{.method = "POST",
                  .target = rotation.target + "/rotate",
                  .body = boost::json::serialize(rotation_body(rotation))};
  try {
    return answer_to(cx, r);
  } catch (failure const& f) {
    bool const answered = f.more().contains("status");
    if (answered || (f.exit() != exit_code::unreachable && f.exit() != exit_code::deadline)) throw;
    throw with_advice(f,
                      " If the service rotated the " + std::string(rotation.kind.word) +
                          " nevertheless, its new secret is lost; the old one works until its grace period ends.",
                      "Rotate again: at most two secrets are valid, and this ends the unused one.");
  }
}

void store_secret(context& cx, rotation const& rotation, secret_answer const& made) {
  try {
    put_into(rotation.given.secret.store, made.secret(), cx.client().deadline());
    if (rotation.is_login)
      credential_file(read_environment().config_directory).store(cx.config().url.text, made.secret());
  } catch (failure const& f) {
    throw with_advice(f, old_one_works(made),
                      "Nobody uses the new secret. Rotate again when the store works: that ends the unused secret.");
  }
}

/// By whoami, which does nothing else.
void use_once(context& cx, secret_answer const& made) {
  auto settings = cx.config();
  settings.token = made.secret();
  if (settings.timeout) settings.timeout = cx.client().deadline().left();
  client fresh(settings, cx.console);
  try {
    fresh.fetch(whoami_request);
  } catch (failure const& f) {
    throw with_advice(f, " The new secret is stored but was not used yet." + old_one_works(made),
                      "Its first use ends the old one: svc whoami with the new one.");
  }
}

}  // namespace

void add_rotation_options(CLI::App& app, rotation_options& given, bool confirmed) {
  add_secret_options(app, given.secret);
  app.add_option("--grace", given.grace, "how long the old secret works: 24h, up to 7d; 0 ends it at once")
      ->type_name("DURATION");
  app.add_option("--end-previous", given.end_previous,
                 confirmed
                     ? "first_use also ends the old secret when the new one is first used; --write-to and --exec "
                       "choose it, and use the new secret once"
                     : "first_use also ends the old secret when the new one is first used; --write-to and --exec "
                       "choose it")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"grace", "first_use"}));
  app.add_option("--expires-in", given.expires_in, "new lifetime from now: 90d, 12h; without it the old expiry stays")
      ->type_name("DURATION");
}

exit_code rotate(context& cx, rotation const& rotation) {
  // The login's file is a store, whatever the format of the output.
  if (!rotation.is_login) check_secret_options(cx.console, rotation.given.secret);
  check_store(rotation.given.secret.store);
  secret_answer made(rotated(cx, rotation), rotation.kind);
  store_secret(cx, rotation, made);
  bool const confirms = is_stored(rotation) && rotation.can_confirm;
  if (confirms) use_once(cx, made);
  bool const old_one_ended = confirms && rotation.given.end_previous != "grace";
  if (old_one_ended) made.end_previous();
  made.show(cx.console, rotation.given.secret, is_stored(rotation) && !rotation.given.secret.alone);
  if (old_one_ended)
    cx.console.note("The new secret is stored and was used; the old one has ended.");
  else
    cx.console.note(old_one_works(made).substr(1));
  if (rotation.is_login && read_environment().token)
    cx.console.note(
        "SERVICE_TOKEN still has the old secret and takes precedence over the stored one: unset SERVICE_TOKEN.");
  return exit_code::ok;
}

}  // namespace svc::cli
