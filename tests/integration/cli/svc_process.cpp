#include "integration/cli/svc_process.hpp"

#include <fcntl.h>
#include <pty.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace svc::test {
namespace {

constexpr std::chrono::seconds for_last_words{5};

void require_call(bool good, char const* subject) {
  if (!good) throw std::runtime_error(std::string(subject) + " failed");
}

std::string name_of(std::string_view variable) {
  return std::string(variable.substr(0, variable.find('=')));
}

/// Returns the environment of a child. Variables of the test come first, so that they win.
std::vector<std::string> clean_environment(invocation const& invocation, std::string const& home) {
  std::vector<std::string> out = invocation.environment;
  auto const add = [&](std::string const& variable) {
    bool const given = std::any_of(invocation.environment.begin(), invocation.environment.end(),
                                   [&](auto const& v) { return name_of(v) == name_of(variable); });
    if (!given) out.push_back(variable);
  };
  add("PATH=/usr/local/bin:/usr/bin:/bin");
  add("LANG=C.UTF-8");
  add("TZ=UTC");
  if (invocation.terminal) add("TERM=xterm-256color");
  add("HOME=" + home);
  add("XDG_CONFIG_HOME=" + home + "/.config");
  add("XDG_CACHE_HOME=" + home + "/.cache");
  add("XDG_STATE_HOME=" + home + "/.local/state");
  add("XDG_RUNTIME_DIR=" + home);
  for (auto const* const name :
       {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS", "TEST_MUTATION", "TEST_MUTATION_REACHED"})
    if (auto const* const value = std::getenv(name)) add(std::string(name) + "=" + value);
  return out;
}

std::vector<char*> terminated(std::vector<std::string>& texts) {
  std::vector<char*> out;
  std::transform(texts.begin(), texts.end(), std::back_inserter(out), [](auto& text) { return text.data(); });
  out.push_back(nullptr);
  return out;
}

/// Opens the child's side of stdin. `ours` becomes the descriptor that the test writes to, or -1.
int open_input(std::optional<std::string> const& text, int& ours) {
  if (!text) {
    int ends[2];
    require_call(::pipe2(ends, O_CLOEXEC) == 0, "pipe");
    ours = ends[1];
    return ends[0];
  }
  int const file = ::memfd_create("stdin", MFD_CLOEXEC);
  require_call(file >= 0 && ::write(file, text->data(), text->size()) == static_cast<ssize_t>(text->size()), "stdin");
  ::lseek(file, 0, SEEK_SET);
  return file;
}

}  // namespace

bool can_mount() {
  return ::geteuid() == 0 && std::system("unshare -m sh -c 'mount -t tmpfs none /mnt' >/dev/null 2>&1") == 0;
}

std::string client_binary() {
  if (char const* const chosen = std::getenv("SVC_CLI_BIN"); chosen != nullptr && *chosen != '\0') return chosen;
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "svc").string();
}

svc_process::svc_process(invocation const& invocation, std::string const& program) {
  if (invocation.home.empty()) own_home_.emplace();
  started_ = std::chrono::steady_clock::now();
  start(invocation, program);
}

void svc_process::start(invocation const& invocation, std::string const& program) {
  auto const home = own_home_ ? own_home_->path() : invocation.home;
  auto const directory = invocation.directory.empty() ? home : invocation.directory;
  std::vector<std::string> words{program};
  words.insert(words.end(), invocation.arguments.begin(), invocation.arguments.end());
  auto variables = clean_environment(invocation, home);
  auto const argv = terminated(words), envp = terminated(variables);
  bool const typed = invocation.terminal && !invocation.input;  // stdin is the terminal
  int const count = typed ? -1 : open_input(invocation.input, input_);
  int out[2] = {-1, -1}, err[2] = {-1, -1}, master = -1;
  winsize size{};
  if (invocation.terminal) {
    size.ws_col = static_cast<unsigned short>(invocation.terminal->columns);
    size.ws_row = static_cast<unsigned short>(invocation.terminal->rows);
  }
  require_call(::pipe2(out, O_CLOEXEC) == 0 && ::pipe2(err, O_CLOEXEC) == 0, "pipe");
  pid_ = invocation.terminal ? ::forkpty(&master, nullptr, nullptr, &size) : ::fork();
  require_call(pid_ >= 0, "fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int const number : {SIGPIPE, SIGINT, SIGTERM}) ::signal(number, SIG_DFL);
    if (count >= 0) ::dup2(count, STDIN_FILENO);
    if (!invocation.terminal) ::dup2(out[1], STDOUT_FILENO);
    if (!invocation.terminal) ::dup2(err[1], STDERR_FILENO);
    if (::chdir(directory.c_str()) == 0) ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  for (int const descriptor : {count, out[1], err[1]})
    if (descriptor >= 0) ::close(descriptor);
  if (invocation.terminal) {
    ::close(out[0]);
    ::fcntl(master, F_SETFD, FD_CLOEXEC);
    if (typed) input_ = ::fcntl(master, F_DUPFD_CLOEXEC, 0);
  }
  out_.emplace(invocation.terminal ? master : out[0]);
  err_.emplace(err[0]);
}

svc_process::~svc_process() {
  close_input();
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void svc_process::write(std::string_view bytes) const {
  require_call(::write(input_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "write to stdin");
}

void svc_process::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

void svc_process::signal(int number) const {
  if (pid_ != 0) ::kill(pid_, number);
}

svc_result svc_process::wait(std::chrono::seconds patience) {
  if (!process_watch(pid_).ended_within(patience))
    throw std::runtime_error("svc does not end: " + out_->text() + err_->text());
  svc_result result;
  result.elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - started_);
  int status = 0;
  rusage used{};
  ::wait4(pid_, &status, 0, &used);
  pid_ = 0;
  // The last output may still be in the pipes.
  auto const never = [](std::string const&) { return false; };
  out_->wait_line(never, for_last_words);
  err_->wait_line(never, for_last_words);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = out_->text();
  result.err = err_->text();
  result.max_rss_kib = used.ru_maxrss;
  return result;
}

svc_result run_svc(invocation const& invocation) {
  return svc_process(invocation).wait();
}

std::vector<std::string> environment_of(dev_service const& service, std::vector<std::string> const& more) {
  std::vector<std::string> out{"SERVICE_URL=" + service.text("url"), "SERVICE_CACERT=" + service.text("caFile"),
                               "SERVICE_TOKEN=" + service.text("token")};
  // If a variable has two values, a process sees the first.
  out.insert(out.begin(), more.begin(), more.end());
  return out;
}

}  // namespace svc::test
