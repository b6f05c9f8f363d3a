#include "cli/console/console.hpp"
#include "cli/console/failure.hpp"
#include "cli/console/interrupt.hpp"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace svc::cli {
namespace {

/// Hides typed text from the screen as long as it lives.
class hidden_typing {
 public:
  hidden_typing() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    auto hidden = before_;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    changed_ = ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0;
  }
  ~hidden_typing() {
    if (changed_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
  }
  hidden_typing(hidden_typing const&) = delete;
  hidden_typing& operator=(hidden_typing const&) = delete;

 private:
  termios before_{};
  bool changed_ = false;
};

}  // namespace

std::string console::read_typed_line() {
  std::string out;
  for (char c = 0;;) {
    throw_if_interrupted();
    pollfd ready{STDIN_FILENO, POLLIN, 0};
    if (::poll(&ready, 1, 100) <= 0) continue;
    auto const got = ::read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1) throw bad_usage("The input ended before the question was answered.");
    if (c == '\n') return out;
    out += c;
  }
}

secret_string console::ask_hidden(std::string_view prompt) {
  if (!in_is_terminal()) throw bad_usage("There is no terminal for the question.");
  std::string typed;
  {
    // This is first, because text that is typed right after the question must neither be shown nor lost.
    hidden_typing const hidden;
    beside(std::string(prompt) += ": ");
    typed = read_typed_line();
  }
  beside("\n");
  return secret_string(std::move(typed));
}

bool console::ask_yes(std::string_view question) {
  if (!in_is_terminal()) throw bad_usage("There is no terminal for the question.");
  beside(std::string(question) += " [y/N] ");
  auto const typed = read_typed_line();
  return typed == "y" || typed == "Y" || typed == "yes";
}

}  // namespace svc::cli
