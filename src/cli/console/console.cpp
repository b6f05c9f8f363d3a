#include "cli/console/console.hpp"

#include "cli/console/failure.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"
#include "svc/core/numbers.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <boost/json/object.hpp>

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace svc::cli {
namespace {

constexpr std::size_t most_kept = 1 << 16;
constexpr auto progress_pause = std::chrono::milliseconds(100);
/// The columns of a terminal that does not report its size.
constexpr int usual_columns = 80;

std::string_view variable_of_environment(char const* name) {
  auto const* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

/// Returns 0, or the error number.
int write_all(int last, std::string_view bytes) {
  while (!bytes.empty()) {
    auto const written = ::write(last, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int terminal_columns(int count, int wanted) {
  winsize size{};
  if (wanted > 0) return wanted;
  return ::ioctl(count, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual_columns;
}

}  // namespace

surroundings surroundings::of_process() {
  bool const dumb = variable_of_environment("TERM") == "dumb";
  return {.out_terminal = ::isatty(STDOUT_FILENO) == 1,
          .err_terminal = ::isatty(STDERR_FILENO) == 1,
          .in_terminal = ::isatty(STDIN_FILENO) == 1,
          .colour_refused = dumb || !variable_of_environment("NO_COLOR").empty(),
          .dumb = dumb,
          .columns_wanted = parse_number<int>(variable_of_environment("COLUMNS")).value_or(0)};
}

console::console(surroundings const& around, int out, int err) : around_(around), out_(out), err_(err) {}

void console::choose(format format, std::string template_text, bool colour_wanted, bool colour_refused) {
  format_ = format;
  template_ = std::move(template_text);
  if (format == format::templated) expanded(template_, boost::json::object());
  bool const refused = colour_refused || around_.colour_refused;
  colour_out_ = colour_wanted || (around_.out_terminal && !refused);
  colour_err_ = colour_wanted || (around_.err_terminal && !refused);
}

int console::width() const {
  return around_.out_terminal ? terminal_columns(out_, around_.columns_wanted) : 0;
}

void console::data(std::string_view bytes) {
  if (reader_gone_) return;
  if (around_.out_terminal) clear_progress();
  kept_ += bytes;
  if (around_.out_terminal || kept_.size() >= most_kept) flush();
}
void console::data_line(std::string_view line) {
  data(std::string(line) += '\n');
}

void console::flush() {
  auto const failed = write_all(out_, kept_);
  kept_.clear();
  if (failed == 0) return;
  if (failed != EPIPE)
    throw failure(exit_code::unreachable, "write_failed",
                  "The output cannot be written: " + std::generic_category().message(failed) + ".");
  reader_gone_ = true;
  if (!outlives_reader_) throw failure(exit_code::ok, "reader_gone", "");
}

void console::note(std::string_view sentence) {
  if (format_ != format::quiet) beside(std::string(sentence) += '\n');
}
void console::warn(std::string_view sentence) {
  beside("warning: " + std::string(sentence) + '\n');
}
void console::beside(std::string_view bytes) {
  clear_progress();
  write_all(err_, bytes);
}

void console::progress(std::string_view line) {
  if (!around_.err_terminal || around_.dumb || format_ == format::quiet) return;
  if (line.empty()) return clear_progress();
  auto const now = std::chrono::steady_clock::now();
  if (progress_shown_ && now - progress_drawn_ < progress_pause) return;
  progress_drawn_ = now;
  progress_shown_ = true;
  // The last column stays free: some terminals wrap as soon as a character occupies it.
  auto const columns = static_cast<std::size_t>(terminal_columns(err_, around_.columns_wanted) - 1);
  write_all(err_, "\r" + shortened(line, columns) + "\x1b[K");
}

void console::clear_progress() {
  if (!progress_shown_) return;
  progress_shown_ = false;
  write_all(err_, "\r\x1b[K");
}

}  // namespace svc::cli
