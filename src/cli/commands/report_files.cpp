#include "cli/commands/report_files.hpp"

#include "cli/commands/run_connection.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"
#include "cli/events/run_report.hpp"
#include "cli/settings/files.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view stdout_name = "-";

/// True for an existing file that is neither regular nor a directory, such as /dev/stderr or a named pipe.
bool is_special(std::string const& path) {
  std::error_code failed;
  auto const type = fs::status(path, failed).type();
  return type != fs::file_type::not_found && type != fs::file_type::none && type != fs::file_type::regular &&
         type != fs::file_type::directory;
}

/// Returns what went wrong, or nothing.
std::string append_report(std::string const& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << text << std::flush;
  if (file) return {};
  return errno == 0 ? "it cannot be written" : std::strerror(errno);
}

/// Writes the file completely or not at all, because a CI system may read it at any moment. A special file is written
/// to as it is. Returns what went wrong, or nothing.
std::string replace_report(std::string const& path, std::string_view text) {
  if (is_special(path)) return append_report(path, text);
  try {
    replace_readable_file(path, text);
  } catch (failure const& f) {
    std::string wrong = f.what();
    if (wrong.ends_with('.')) wrong.pop_back();
    return wrong;
  }
  return {};
}

/// Removes the report of an earlier run, so that a command that fails leaves no report that another run has passed.
/// The directory must allow what `replace_report` will do. Returns what went wrong, or nothing.
std::string make_room(std::string const& path) {
  auto const beside = path + ".tmp-" + std::to_string(::getpid());
  auto const wrong = append_report(beside, "");
  ::unlink(beside.c_str());
  if (!wrong.empty()) return wrong;
  std::error_code failed;
  fs::remove(path, failed);
  return failed ? failed.message() : std::string();
}

/// A file that is appended to keeps its content, and is removed again if it is new.
std::string try_to_append(std::string const& path) {
  std::error_code failed;
  bool const existed = fs::exists(path, failed);
  auto wrong = append_report(path, "");
  if (!existed && wrong.empty()) fs::remove(path, failed);
  return wrong;
}

/// `attempt`: returns why the file cannot be written, or nothing. Special files are not tried, because opening a
/// named pipe waits for its reader.
void check_writable(std::string const& option, std::string const& path, std::string (*attempt)(std::string const&)) {
  if (is_special(path)) return;
  std::error_code failed;
  auto const directory = fs::path(path).parent_path();
  if (!directory.empty()) fs::create_directories(directory, failed);
  auto const wrong = fs::is_directory(path, failed) ? "it is a directory" : attempt(path);
  if (wrong.empty()) return;
  throw bad_usage("The file of " + option + ", " + path + ", cannot be written: " + wrong + ".",
                  "Name a file in a directory that you may write to.");
}

/// Appends to the file that GitHub names by a variable.
void append_to_ci_file(console& console, char const* variable, std::string const& text) {
  auto const* const path = std::getenv(variable);
  if (path == nullptr || *path == '\0') return;
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file << text << std::flush;
  if (!file) console.warn("The file that " + std::string(variable) + " names cannot be written.");
}

}  // namespace

void declare_report_files(CLI::App& command, report_files& files) {
  command
      .add_option("--junit", files.junit,
                  "write the tests as JUnit XML to this file (missing directories are made); - for stdout")
      ->type_name("FILE");
  command
      .add_option("--summary-markdown", files.markdown,
                  "append a summary in Markdown to this file (missing directories are made)")
      ->type_name("FILE");
}

void check_report_files(report_files const& files) {
  if (!files.junit.empty() && files.junit != stdout_name) check_writable("--junit", files.junit, make_room);
  if (!files.markdown.empty()) check_writable("--summary-markdown", files.markdown, try_to_append);
}

void write_report_files(console& console, report_files const& files, run_result const& result,
                        boost::json::object const& run, std::string_view unknown_because) {
  if (!files.junit.empty()) {
    auto const text = junit_report(result, text_of_member(run, "startedAt"), unknown_because);
    if (files.junit == stdout_name)
      console.data(text);
    else if (auto const wrong = replace_report(files.junit, text); !wrong.empty())
      console.warn("The report " + files.junit + " could not be written: " + wrong + ".");
  }
  if (files.markdown.empty()) return;
  auto text = summary_markdown(result);
  if (!unknown_because.empty()) text += markdown_note(unknown_because);
  if (auto const wrong = append_report(files.markdown, text); !wrong.empty())
    console.warn("The summary " + files.markdown + " could not be written: " + wrong + ".");
}

test_output last_output_of(context& cx, std::string const& run, std::size_t tests) {
  test_output out(tests);
  followed_run whole;
  try {
    run_connection connection(cx.client(), run, [] {});
    static_cast<void>(connection.read_output(whole, [&out](run_news const& news) { out.take(news); }));
  } catch (failure const& f) {
    if (f.exit() == exit_code::interrupted || f.exit() == exit_code::deadline) throw;
    cx.console.note("The output could not be read: " + harmless(f.what()));
  }
  return out;
}

void report_to_github(console& console, ci_log const& ci, std::string const& run, run_result const& result) {
  std::string errors;
  for (auto const& test : result.tests) {
    if (!test.broken()) continue;
    auto message = test.details;
    for (auto const& line : test.last_lines) message += '\n' + without_colours(line);
    errors += ci.error(test.title + ": " + test.status, message);
  }
  if (errors.empty() && !result.passed()) errors = ci.error("Run " + run + ": " + result.status, result.details);
  console.beside(errors);
  append_to_ci_file(console, "GITHUB_STEP_SUMMARY", summary_markdown(result));
  set_github_outputs(console, run, result.status);
}

void set_github_outputs(console& console, std::string const& run, std::string_view status) {
  append_to_ci_file(console, "GITHUB_OUTPUT", "run-id=" + run + "\nstatus=" + harmless(status) + "\n");
}

}  // namespace svc::cli
