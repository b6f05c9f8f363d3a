#include "app/dev/terminal_log.hpp"

#include "svc/core/thread_name.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace svc::app::dev {
namespace {

/// A line that is longer is no line of a log; it is passed on in parts.
constexpr std::size_t longest_line = 64UL * 1024;

/// Ends the copying. No line contains it, because logs escape it.
constexpr char end_mark = '\0';

[[noreturn]] void fail_on(std::string const& subject) {
  throw std::system_error(errno, std::generic_category(), subject);
}

void write_whole(int last, std::string_view text) {
  while (!text.empty()) {
    auto const written = ::write(last, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

bool is_for_terminal(std::string_view line) {
  if (!line.starts_with("{\"time\":\"")) return true;
  return line.find(R"("level":"warn")") != line.npos || line.find(R"("level":"error")") != line.npos;
}

bool terminal_log::wanted() {
  return ::isatty(STDERR_FILENO) == 1;
}

terminal_log::terminal_log(std::string const& path) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (file_ < 0) fail_on(path);
  std::array<int, 2> ends{};
  terminal_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
  if (terminal_ < 0 || ::pipe2(ends.data(), O_CLOEXEC) != 0) fail_on("standard error");
  pipe_ = ends[0];
  ::dup2(ends[1], STDERR_FILENO);
  ::close(ends[1]);
  thread_ = std::thread(&terminal_log::copy_lines, this);
}

terminal_log::~terminal_log() {
  // The stream would not end while a child holds its standard error.
  write_whole(STDERR_FILENO, std::string_view(&end_mark, 1));
  ::dup2(terminal_, STDERR_FILENO);
  thread_.join();
  for (int const each : {file_, terminal_, pipe_}) ::close(each);
}

void terminal_log::copy_lines() const {
  name_this_thread("terminal");
  std::string waiting;
  std::array<char, 16 * 1024> part{};
  for (bool ended = false; !ended;) {
    auto const got = ::read(pipe_, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    auto const text = std::string_view(part.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    ended = got <= 0 || text.find(end_mark) != text.npos;
    waiting.append(text.substr(0, text.find(end_mark)));
    std::size_t begin = 0;
    for (auto end = waiting.find('\n'); end != waiting.npos; end = waiting.find('\n', begin)) {
      copy_line(std::string_view(waiting).substr(begin, end + 1 - begin));
      begin = end + 1;
    }
    waiting.erase(0, begin);
    if (waiting.size() < longest_line) continue;
    copy_line(waiting);
    waiting.clear();
  }
  copy_line(waiting);
}

void terminal_log::copy_line(std::string_view line) const {
  write_whole(file_, line);
  if (is_for_terminal(line)) write_whole(terminal_, line);
}

}  // namespace svc::app::dev
