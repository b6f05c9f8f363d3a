#include "cli/commands/context.hpp"
#include "cli/commands/semantic_version.hpp"
#include "cli/console/show.hpp"
#include "svc/core/build_info.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column version_columns[] = {{"Client", "client"},
                                      {"Commit", "commit"},
                                      {"Service", "service"},
                                      {"Contract", "contract"},
                                      {"Relation", "relation"}};

std::string version_member(boost::json::value const& value, std::string_view dotted, std::string const& subject) {
  auto const* const found = member_of(value, dotted);
  if (found == nullptr || !found->is_string())
    throw failure(exit_code::unreachable, "bad_answer", "The " + subject + " names no version.",
                  "Check the address of the service with svc doctor.");
  return std::string(found->get_string());
}

semantic_version parsed_version(std::string const& text, std::string const& subject) {
  if (auto const version = semantic_version::parse(text)) return *version;
  throw failure(exit_code::unreachable, "bad_answer",
                "The " + subject + "'s version '" + text + "' is not a semantic version.");
}

/// The meaning of the comparison for the user; `older` and `newer` refer to the service.
struct version_relation {
  std::string_view word;
  std::string sentence;
  bool compatible;
};

version_relation relation_of(semantic_version const& client, semantic_version const& service) {
  bool const fits = compatible(client, service);
  if (service == client) return {"same", "The service has this client's version.", true};
  bool const older = service < client;
  std::string sentence = older ? "The service is older than this client" : "The service is newer than this client";
  if (fits) return {older ? "older" : "newer", sentence + ", and they are compatible.", true};
  sentence += older ? ", and may not know the client's requests: install the service's version of svc."
                    : ", and may send answers that the client does not know: install a newer svc.";
  return {older ? "older" : "newer", sentence, false};
}

exit_code check_version(context& cx) {
  auto const health =
      cx.client_without_check().fetch({.method = "GET", .target = "/api/health", .context = credential::none});
  auto const contract = cx.client_without_check().fetch(
      {.method = "GET", .target = "/openapi/openapi.json", .context = credential::none});
  auto const service = version_member(health, "version", "service's health");
  auto const described = version_member(contract, "info.version", "service's contract");
  auto const& own = this_build();
  auto const mine = parsed_version(std::string(own.version), "client");
  // Only the contract decides the form of requests and answers; the service's program may have another version.
  auto const relation = relation_of(mine, parsed_version(described, "contract"));
  parsed_version(service, "service");
  boost::json::object const facts{{"client", own.version},     {"commit", own.commit},
                                  {"service", service},        {"contract", described},
                                  {"relation", relation.word}, {"compatible", relation.compatible}};
  show_object(cx.console, facts, version_columns);
  cx.console.flush();
  if (!relation.compatible) throw failure(exit_code::refused, "incompatible_version", relation.sentence);
  cx.console.note(relation.sentence);
  return exit_code::ok;
}

exit_code show_version(context& cx) {
  auto const& own = this_build();
  if (cx.console.how() == format::text) {
    cx.console.data_line(version_text("svc"));
    return exit_code::ok;
  }
  show_object(cx.console, {{"client", own.version}, {"commit", own.commit}}, version_columns, nullptr, "client");
  return exit_code::ok;
}

}  // namespace

void add_version_command(CLI::App& root, context& cx) {
  auto* const version =
      root.add_subcommand("version", "Show the client's version, and compare it with the service's");
  auto const check = std::make_shared<bool>(false);
  version->add_flag("--check", *check, "ask the service for its version; exit 1 if they are not compatible");
  version->footer("Example:\n  svc version --check");
  version->callback(
      [&cx, check] { cx.action = [&cx, check] { return *check ? check_version(cx) : show_version(cx); }; });
}

}  // namespace svc::cli
