#include "cli/commands/new_secret.hpp"

#include "cli/commands/named_options.hpp"
#include "cli/console/interrupt.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr std::string_view secret_member = "key";

boost::json::object& credential_in(boost::json::value& whole, std::string_view member) {
  auto* const found = whole.get_object().if_contains(member);
  if (found == nullptr || !found->is_object())
    throw failure(exit_code::unreachable, "bad_answer", "The answer holds no " + std::string(member) + ".");
  return found->get_object();
}

constexpr std::chrono::seconds for_revocation{10};

/// Tries to revoke the credential, even after an interruption or the deadline, which may be why the store failed.
bool was_revoked(context& cx, std::string const& target) {
  clear_interruption();
  auto settings = cx.config();
  settings.timeout = for_revocation;
  try {
    return client(settings, cx.console).send_any({.method = "DELETE", .target = target}).status < 300;
  } catch (failure const&) {
    return false;
  }
}

/// The credential has no use: its secret is lost.
void revoke_unused(context& cx, credential_kind const& kind, std::string const& target, failure const& failure) {
  auto const gone = was_revoked(cx, target);
  auto const word = " The new " + std::string(kind.word);
  if (gone)
    throw failure.retold(failure.what() + word + " was revoked.",
                         "Nobody can use it; try again when the store works.");
  throw failure.retold(failure.what() + word + " could not be revoked, and nobody has its secret.",
                       "Revoke it: svc api DELETE " + target);
}

}  // namespace

void add_secret_options(CLI::App& app, secret_options& given) {
  add_store_options(app, given.store);
  app.add_flag("--secret-only", given.alone, "print the new secret and nothing else, for scripts")
      ->excludes(app.get_option("--write-to"))
      ->excludes(app.get_option("--exec"));
}

void check_secret_options(console const& console, secret_options const& given) {
  check_store(given.store);
  if (given.alone && console.how() != format::text)
    throw bad_usage("--secret-only cannot be combined with another form of output.",
                    "Leave out --json, --quiet and --template.");
  if (console.how() == format::quiet && !given.store.given())
    throw bad_usage("--quiet prints only the id: the new secret would be lost.",
                    "Add --write-to FILE or --exec COMMAND, or use --secret-only instead of --quiet.");
}

secret_answer::secret_answer(std::string_view answer, credential_kind const& kind)
    : kind_(kind), whole_(object_of(answer)) {
  auto const* const found = credential_in(whole_, kind.member).if_contains(secret_member);
  if (found == nullptr || !found->is_string())
    throw failure(exit_code::unreachable, "bad_answer", "The answer holds no new secret.");
  secret_ = secret_string(std::string_view(found->get_string()));
}

std::string secret_answer::text(std::string_view dotted) const {
  return cell_text(member_of(whole_.get_object().at(kind_.member), dotted), cell::text, false);
}

void secret_answer::end_previous() {
  credential_in(whole_, kind_.member)["previous"] = nullptr;
}

void secret_answer::show(console& console, secret_options const& given, bool stored) const {
  if (given.alone) return console.data_line(secret_.reveal());
  auto whole = whole_;
  auto& credential = credential_in(whole, kind_.member);
  std::vector<column> columns(kind_.details.begin(), kind_.details.end());
  if (stored)
    credential.erase(secret_member);
  else
    columns.push_back({"Secret", secret_member});
  show_object(console, credential, columns, &whole);
  console.flush();  // the notes about it follow it
  if (!stored) console.note("Keep the secret now: it is not shown again.");
}

exit_code create_credential(context& cx, credential_kind const& kind, request const& creation,
                            secret_options const& given) {
  check_secret_options(cx.console, given);
  secret_answer const made(answer_to(cx, creation), kind);
  try {
    put_into(given.store, made.secret(), cx.client().deadline());
  } catch (failure const& f) {
    revoke_unused(cx, kind, creation.target + "/" + made.text("id"), f);
  }
  made.show(cx.console, given, given.store.given());
  return exit_code::ok;
}

}  // namespace svc::cli
