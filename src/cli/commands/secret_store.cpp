#include "cli/commands/secret_store.hpp"

#include "cli/console/failure.hpp"
#include "cli/console/interrupt.hpp"
#include "cli/settings/environment.hpp"
#include "cli/settings/files.hpp"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

extern char** environ;

namespace svc::cli {
namespace {

constexpr int most_links = 8;
constexpr std::chrono::milliseconds between_looks{20};
/// The time that a terminated command has to end.
constexpr std::chrono::seconds for_its_end{2};

failure unusable_store(std::string const& path, std::string const& reason) {
  return {exit_code::usage, "store", path + " " + reason, "No new secret was made."};
}

/// Returns the target of the user's own links; `rename` would replace the links instead of following them.
std::string store_target(std::string path) {
  for (int i = 0; i < most_links; ++i) {
    struct stat about{};
    if (::lstat(path.c_str(), &about) != 0) {
      if (errno == ENOENT) return path;
      throw unusable_store(path, std::string("cannot be examined: ") + std::strerror(errno) + ".");
    }
    if (S_ISREG(about.st_mode)) return path;
    if (!S_ISLNK(about.st_mode)) throw unusable_store(path, "is not a regular file.");
    if (about.st_uid != ::geteuid()) throw unusable_store(path, "is a symbolic link of another user.");
    std::error_code error;
    auto const next = std::filesystem::read_symlink(path, error);
    if (error) throw unusable_store(path, "cannot be read: " + error.message() + ".");
    path = next.is_absolute() ? next.string() : directory_of(path) + "/" + next.string();
  }
  throw unusable_store(path, "is reached by too many symbolic links.");
}

failure not_stored(std::string const& reason, exit_code exit = exit_code::refused) {
  return {exit, "not_stored", "The new secret could not be stored: " + reason};
}

void put_into_file(std::string const& path, secret_string const& secret) {
  try {
    replace_private_file(store_target(path), secret.reveal());
  } catch (failure const& f) {
    throw not_stored(f.what());
  }
}

/// The user's command, in our process group, so that Ctrl-C reaches it too.
class store_command {
 public:
  explicit store_command(std::string const& text) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw not_stored(std::string(std::strerror(errno)) + ".");
    input_ = ends[1];
    int const failed = spawn(text, ends[0]);
    ::close(ends[0]);
    if (failed != 0) {
      ::close(input_);
      throw not_stored(std::string("/bin/sh cannot be run: ") + std::strerror(failed) + ".");
    }
  }
  ~store_command() { close_input(); }
  store_command(store_command const&) = delete;
  store_command& operator=(store_command const&) = delete;

  /// Writes the secret to the command's stdin. A secret is shorter than the amount that a pipe accepts without
  /// waiting. A command that does not read it reports by its exit code whether that matters.
  void give(secret_string const& secret) {
    [[maybe_unused]] auto const put = ::write(input_, secret.reveal().data(), secret.reveal().size());
    close_input();
  }

  /// Returns the command's wait status.
  int wait(total_deadline const& until) const {
    std::optional<std::chrono::steady_clock::time_point> notified;
    for (;;) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) return status;
      auto const now = std::chrono::steady_clock::now();
      if (!notified && (until.over() || interrupted())) {
        ::kill(pid_, SIGTERM);
        notified = now;
      }
      if (notified && now - *notified > for_its_end) ::kill(pid_, SIGKILL);
      std::this_thread::sleep_for(between_looks);
    }
  }

 private:
  int spawn(std::string const& text, int input) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    // The command gets the usual SIGPIPE, which a shell's pipelines rely on; the client ignores that signal.
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    std::string shell = "sh", option = "-c", command = text;
    child_environment variables;
    std::array<char*, 4> arguments{shell.data(), option.data(), command.data(), nullptr};
    int const failed = ::posix_spawn(&pid_, "/bin/sh", &files, &attributes, arguments.data(), variables.get());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed;
  }
  void close_input() {
    if (input_ >= 0) ::close(input_);
    input_ = -1;
  }

  pid_t pid_ = 0;
  int input_ = -1;
};

void put_into_command(std::string const& text, secret_string const& secret, total_deadline const& until) {
  store_command command(text);
  command.give(secret);
  int const status = command.wait(until);
  auto const exit = interrupted() ? exit_code::interrupted : until.over() ? exit_code::deadline : exit_code::refused;
  if (WIFSIGNALED(status))
    throw not_stored("the command of --exec was ended by signal " + std::to_string(WTERMSIG(status)) + ".", exit);
  if (WEXITSTATUS(status) != 0)
    throw not_stored("the command of --exec ended with " + std::to_string(WEXITSTATUS(status)) + ".");
}

}  // namespace

void add_store_options(CLI::App& app, secret_store& store) {
  auto* const file =
      app.add_option(
             "--write-to", store.file,
             "write the new secret to this file (mode 0600; missing directories are made) instead of printing it")
          ->type_name("FILE");
  app.add_option("--exec", store.command,
                 "run this by /bin/sh and write the new secret to its stdin instead of printing it; exit code 0 says "
                 "that it is stored")
      ->type_name("COMMAND")
      ->excludes(file);
}

void check_store(secret_store const& store) {
  if (store.file.empty()) return;
  auto const target = store_target(store.file);
  auto const directory = directory_of(target);
  if (::access(directory.c_str(), W_OK | X_OK) != 0)
    throw unusable_store(directory, std::string("cannot hold the file: ") + std::strerror(errno) + ".");
}

void put_into(secret_store const& store, secret_string const& secret, total_deadline const& until) {
  if (!store.file.empty()) put_into_file(store.file, secret);
  if (!store.command.empty()) put_into_command(store.command, secret, until);
}

}  // namespace svc::cli
