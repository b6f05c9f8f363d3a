#include "cli/program.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/commands/context.hpp"
#include "cli/console/failure.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/interrupt.hpp"
#include "cli/manual/reference.hpp"
#include "svc/core/build_info.hpp"
#include "svc/core/command_line.hpp"
#include "svc/domain/token.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <exception>
#include <span>
#include <sstream>
#include <system_error>

namespace svc::cli {
namespace {

/// Makes seconds of `--timeout`, which may have a unit or a fraction. Returns the problem of the text; empty if it is
/// valid.
std::string read_timeout(std::string& text) {
  auto const whole = seconds_spelled(text);
  auto const number = whole ? std::to_string(*whole) : text;
  double seconds = 0;
  auto const [stop, failed] = std::from_chars(number.data(), number.data() + number.size(), seconds);
  bool const read = failed == std::errc{} && stop == number.data() + number.size();
  if (!read || seconds < 0.001 || seconds > 604800)
    return "must be from 1 ms to 7 days, as 90 (seconds), 0.5, 30m or 2h";
  text = number;
  return {};
}

void add_global_options(CLI::App& root, global_options& options) {
  root.add_option("--url", options.url, "address of the service [SERVICE_URL]")->type_name("URL");
  root.add_option("--org", options.organization, "organization that the token must belong to [SERVICE_ORG]")
      ->type_name("SLUG");
  root.add_option("--project", options.project, "project that the token must belong to [SERVICE_PROJECT]")
      ->type_name("SLUG");
  root.add_option("--cacert", options.ca_file, "trust the certificates in this PEM file [SERVICE_CACERT]")
      ->type_name("FILE");
  root.add_option("--timeout", options.timeout_seconds,
                  "the time for the whole command, 90 (seconds) or 30m; then exit 5")
      ->type_name("DURATION")
      ->transform(CLI::Validator(read_timeout, ""));
  auto* const json = root.add_flag("--json", options.json, "print the API's answer");
  auto* const quiet = root.add_flag("-q,--quiet", options.quiet, "print ids only");
  auto* const text =
      root.add_option("--template", options.template_text, "print '{member} {other.member}' of each row")
          ->type_name("TEXT");
  json->excludes(quiet);
  json->excludes(text);
  quiet->excludes(text);
  root.add_flag("--wide", options.wide, "show all columns of a table, also beyond the terminal's width");
  root.add_option("--color", options.colour, "auto, always or never; NO_COLOR counts as never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  root.add_flag("-v,--verbose", options.verbose, "show requests and answers on stderr, without secrets");
}

/// Data that a failed command has written before belongs to its reader too. That it cannot be written says nothing
/// new.
void flush_after_failure(console& console) {
  try {
    console.flush();
  } catch (failure const&) {
    return;
  }
}

/// The same sentence for people and for programs, on stderr.
int print_failure(console& console, bool json, failure const& f) {
  flush_after_failure(console);
  if (f.exit() == exit_code::ok) return 0;
  if (json) {
    boost::json::object out{
        {"error", without_tokens(f.what())}, {"code", f.code()}, {"exitCode", static_cast<int>(f.exit())}};
    if (!f.hint().empty()) out["hint"] = f.hint();
    for (auto const& [name, value] : f.more()) out[name] = value;
    console.beside(boost::json::serialize(out) + "\n");
  } else {
    console.progress("");
    console.beside("svc: " + harmless(without_tokens(f.what())) + "\n");
    if (!f.hint().empty()) console.beside("     " + harmless(f.hint(), false, true) + "\n");
  }
  return static_cast<int>(f.exit());
}

/// `--json` must hold for errors of the command line itself, which end its parsing.
bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--json") return true;
  return false;
}

void add_command_help(CLI::App& root, context& cx) {
  auto const words = std::make_shared<std::vector<std::string>>();
  auto* const help = add_help_command(root, *words);
  help->footer("Example:\n  svc help job trigger");
  help->callback([&root, &cx, words] {
    cx.action = [&root, &cx, words] {
      auto const answer = help_of(root, *words);
      if (answer.text.empty()) throw bad_usage(answer.problem.sentence, answer.problem.hint);
      cx.console.data(answer.text);
      return exit_code::ok;
    };
  });
}

int parse_and_run(CLI::App& root, context& cx, int argc, char** argv) {
  try {
    root.parse(argc, argv);
  } catch (CLI::ParseError const& e) {
    std::ostringstream out, err;
    if (root.exit(e, out, err) == 0) {
      cx.console.data(out.str());
      return 0;
    }
    auto wrong = explain_usage(root, e);
    // The tag's color has another name, because every command has --color.
    if (wrong.sentence.starts_with("--color must be") && root.got_subcommand("tag"))
      wrong.hint = "--color is about this output. The color of a tag is --hex '#1f883d'.";
    throw bad_usage(wrong.sentence, wrong.hint);
  }
  auto& o = cx.options;
  auto const format = o.json                    ? format::json
                      : o.quiet                 ? format::quiet
                      : o.template_text.empty() ? format::text
                                                : format::templated;
  cx.console.choose(format, o.template_text, o.colour == "always", o.colour == "never");
  cx.console.keep_everything(o.wide);
  if (!cx.action) throw bad_usage("svc needs a command.", "svc help lists them.");
  auto const code = cx.action();
  cx.warn_of_expiry();
  return static_cast<int>(code);
}

std::string reference_table(std::string_view title, std::span<reference_row const> rows) {
  std::size_t width = 0;
  for (auto const& row : rows) width = std::max(width, row.name.size());
  std::string out = std::string(title) + ":\n";
  for (auto const& row : rows)
    ((out += "  ") += row.name).append(width - row.name.size() + 2, ' ').append(row.meaning) += '\n';
  return out;
}

/// Returns the end of `svc --help`: the first steps and all three tables.
std::string reference_text() {
  return std::string(first_steps) + "\n" + reference_table("Environment", environment_reference) + "\n" +
         reference_table("Files", file_reference) + "\n" + reference_table("Exit codes", exit_reference);
}

}  // namespace

void build_tree(CLI::App& root, context& cx) {
  root.description("Runs the jobs of a service from pipelines and terminals.");
  root.set_version_flag("--version", version_text("svc"));
  root.require_subcommand(0, 1);
  root.fallthrough();
  root.formatter(plain_help("Options of every command (--json, --timeout, ...): svc --help"));
  add_global_options(root, cx.options);
  add_login_commands(root, cx);
  add_job_commands(root, cx);
  add_run_commands(root, cx);
  add_test_commands(root, cx);
  add_variable_commands(root, cx);
  add_tag_commands(root, cx);
  add_monitor_commands(root, cx);
  add_window_commands(root, cx);
  add_page_commands(root, cx);
  add_incident_commands(root, cx);
  add_outage_commands(root, cx);
  add_alert_commands(root, cx);
  add_provider_commands(root, cx);
  add_token_commands(root, cx);
  add_audit_command(root, cx);
  add_usage_command(root, cx);
  add_api_command(root, cx);
  add_health_command(root, cx);
  add_doctor_command(root, cx);
  add_completion_command(root, cx);
  add_version_command(root, cx);
  add_update_command(root, cx);
  add_manual_command(root, cx);
  add_command_help(root, cx);
  // Last, because commands begin with a copy of it.
  root.footer(reference_text());
}

int run_program(int argc, char** argv) {
  take_signals();
  context cx;
  bool const json = asks_for_json(argc, argv);
  try {
    CLI::App root("", "svc");
    build_tree(root, cx);
    auto const code = parse_and_run(root, cx, argc, argv);
    cx.console.flush();
    return code;
  } catch (failure const& f) {
    return print_failure(cx.console, json, f);
  } catch (std::exception const& e) {
    return print_failure(cx.console, json, failure(exit_code::usage, "internal", e.what()));
  }
}

}  // namespace svc::cli
