#include "cli/commands/report_files.hpp"

#include "cli/commands/run_connection.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"
#include "cli/events/junit_report.hpp"

#include <CLI/CLI.hpp>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace svc::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view stdout_name = "-";

/// Written completely or not at all: a CI system may read it at any moment. A file that is none, such as /dev/stderr,
/// is written to as it is. Returns what went wrong, or nothing.
std::string replace_report(std::string const& path, std::string_view text) {
  std::error_code none;
  bool const special = fs::exists(path, none) && !fs::is_regular_file(path, none);
  auto const beside = special ? path : path + ".tmp-" + std::to_string(::getpid());
  errno = 0;
  std::ofstream file(beside, std::ios::binary | std::ios::trunc);
  file << text << std::flush;
  bool done = static_cast<bool>(file);
  file.close();
  if (done && !special) done = ::rename(beside.c_str(), path.c_str()) == 0;
  if (done) return {};
  std::string const reason = errno == 0 ? "it cannot be written" : std::strerror(errno);
  if (!special) ::unlink(beside.c_str());
  return reason;
}

std::string append_report(std::string const& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << text << std::flush;
  if (file) return {};
  return errno == 0 ? "it cannot be written" : std::strerror(errno);
}

void check_writable(std::string const& option, std::string const& path) {
  std::error_code failed;
  auto const directory = fs::path(path).parent_path();
  if (!directory.empty()) fs::create_directories(directory, failed);
  bool const existed = fs::exists(path);
  std::string const wrong = fs::is_directory(path) ? "it is a directory" : append_report(path, "");
  if (!existed && wrong.empty()) fs::remove(path, failed);
  if (wrong.empty()) return;
  throw bad_usage("The file of " + option + ", " + path + ", cannot be written: " + wrong + ".",
                  "Name a file in a directory that you may write to.");
}

}  // namespace

void declare_report_files(CLI::App& command, report_files& files) {
  command
      .add_option("--junit", files.junit,
                  "write the tests as JUnit XML to this file, whose directories are made; - for stdout")
      ->type_name("FILE");
  command.add_option("--summary-markdown", files.markdown, "append a summary in Markdown to this file")
      ->type_name("FILE");
}

void check_report_files(report_files const& files) {
  if (!files.junit.empty() && files.junit != stdout_name) check_writable("--junit", files.junit);
  if (!files.markdown.empty()) check_writable("--summary-markdown", files.markdown);
}

void write_report_files(console& to, report_files const& files, run_result const& result,
                        boost::json::object const& run, std::string_view unknown_because) {
  if (!files.junit.empty()) {
    auto const text = junit_report(result, text_of_member(run, "startedAt"), unknown_because);
    if (files.junit == stdout_name)
      to.data(text);
    else if (auto const wrong = replace_report(files.junit, text); !wrong.empty())
      to.warn("The report " + files.junit + " could not be written: " + wrong + ".");
  }
  if (files.markdown.empty()) return;
  auto text = summary_markdown(result);
  if (!unknown_because.empty()) text += markdown_note(unknown_because);
  if (auto const wrong = append_report(files.markdown, text); !wrong.empty())
    to.warn("The summary " + files.markdown + " could not be written: " + wrong + ".");
}

test_output last_output_of(context& cx, std::string const& run, std::size_t tests) {
  test_output out(tests);
  followed_run whole;
  try {
    run_connection from(cx.client(), run, [] {});
    static_cast<void>(from.read_output(whole, [&out](run_news const& news) { out.take(news); }));
  } catch (failure const& f) {
    if (f.exit() == exit_code::interrupted || f.exit() == exit_code::deadline) throw;
    cx.console.note("The output could not be read: " + harmless(f.what()));
  }
  return out;
}

}  // namespace svc::cli
