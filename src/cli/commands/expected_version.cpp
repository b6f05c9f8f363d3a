// Versions of objects on the command line: `get --etag` prints one, `update --if-match` requires it.
#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {

exit_code print_etag(context& cx, std::string const& target) {
  auto const got = cx.client().send({.method = "GET", .target = target});
  auto const* const etag = got.field("etag");
  if (etag == nullptr)
    throw failure(exit_code::unreachable, "not_the_service", "The answer has no ETag.",
                  "A proxy may have removed it.");
  cx.console.data_line(*etag);
  return exit_code::ok;
}

void add_etag_flag(CLI::App& get, bool& only_etag) {
  get.add_flag("--etag", only_etag, "print its ETag and nothing else, for --if-match of update");
}

void add_if_match(CLI::App& update, std::optional<std::string>& etag) {
  update
      .add_option("--if-match", etag,
                  "refuse if it has changed since get --etag printed this; without it the last change wins")
      ->type_name("ETAG");
}

void require_version(request& change, std::optional<std::string> const& etag) {
  if (!etag) return;
  if (etag->empty())
    throw bad_usage("--if-match must not be empty; nothing was changed.",
                    "Is the variable set? get --etag prints the ETag.");
  bool const quoted = etag->ends_with('"') || *etag == "*";
  change.fields.emplace_back("If-Match", quoted ? *etag : "\"" + *etag + "\"");
}

failure explain_version(resource const& r, std::string const& given, failure const& refusal) {
  if (refusal.code() != "precondition_failed") return refusal;
  auto const get = "svc " + std::string(r.group) + " get " + given;
  return refusal.retold("Somebody has changed the " + std::string(r.text) +
                            " since the ETag of --if-match was printed; nothing was changed.",
                        get + " shows it as it is now, " + get + " --etag prints its ETag.");
}

}  // namespace svc::cli
