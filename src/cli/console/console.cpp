#include "cli/console/console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace svc::cli {

console::console() : out_terminal_(::isatty(STDOUT_FILENO) == 1), err_terminal_(::isatty(STDERR_FILENO) == 1) {}

void console::choose(format how, std::string template_text, bool colour_wanted, bool colour_refused) {
  how_ = how;
  template_ = std::move(template_text);
  colour_out_ = colour_wanted || (out_terminal_ && !colour_refused);
  colour_err_ = colour_wanted || (err_terminal_ && !colour_refused);
}

bool console::in_is_terminal() const {
  return ::isatty(STDIN_FILENO) == 1;
}

int console::width() const {
  winsize size{};
  return out_terminal_ && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void console::data(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
}
void console::data_line(std::string_view line) {
  data(std::string(line) + "\n");
}
void console::note(std::string_view sentence) {
  if (how_ != format::quiet) beside(std::string(sentence) + "\n");
}
void console::warn(std::string_view sentence) {
  beside("warning: " + std::string(sentence) + "\n");
}
void console::beside(std::string_view bytes) {
  std::fwrite(bytes.data(), 1, bytes.size(), stderr);
}
void console::progress(std::string_view /*line*/) {}
void console::clear_progress() {}

}  // namespace svc::cli
