#include "cli/commands/scan.hpp"

#include "cli/console/failure.hpp"
#include "cli/console/interrupt.hpp"
#include "cli/settings/environment.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace svc::cli {
namespace {

constexpr std::size_t sniffed = 8UL * 1024;
constexpr std::size_t piece_size = 64UL * 1024;

/// Owns a descriptor.
class scanned_descriptor {
 public:
  explicit scanned_descriptor(int descriptor) : descriptor_(descriptor) {}
  ~scanned_descriptor() { close(); }
  scanned_descriptor(scanned_descriptor const&) = delete;
  scanned_descriptor& operator=(scanned_descriptor const&) = delete;

  int get() const { return descriptor_; }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }
  /// The next bytes; nothing at the end. Throws `std::system_error`.
  std::string_view read(std::array<char, piece_size>& into) const {
    for (;;) {
      throw_if_interrupted();
      auto const got = ::read(descriptor_, into.data(), into.size());
      if (got >= 0) return {into.data(), static_cast<std::size_t>(got)};
      if (errno != EINTR) throw std::system_error(errno, std::generic_category());
    }
  }

 private:
  int descriptor_;
};

bool is_binary(std::string_view beginning) {
  return beginning.substr(0, sniffed).find('\0') != std::string_view::npos;
}

/// `more_flags`: O_NOFOLLOW for entries of a directory.
void scan_file(std::string const& path, int more_flags, scan_result& into) {
  scanned_descriptor const file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | more_flags));
  struct stat about{};
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0) {
    into.unread.push_back(path + ": " + std::strerror(errno));
    return;
  }
  if (!S_ISREG(about.st_mode)) return;
  token_scanner scanner;
  std::array<char, piece_size> buffer;
  try {
    auto piece = file.read(buffer);
    if (is_binary(piece)) return;
    for (; !piece.empty(); piece = file.read(buffer)) scanner.feed(piece);
  } catch (std::system_error const& e) {
    into.unread.push_back(path + ": " + e.code().message());
  }
  for (auto& each : scanner.finish()) into.found.push_back({path, std::move(each)});
}

/// The entries of a directory in the order of their names.
std::vector<std::filesystem::directory_entry> entries_of(std::string const& path, scan_result& into) {
  std::vector<std::filesystem::directory_entry> out;
  std::error_code bad;
  std::filesystem::directory_iterator directory(path, bad);
  for (; !bad && directory != std::filesystem::directory_iterator(); directory.increment(bad))
    out.push_back(*directory);
  if (bad) into.unread.push_back(path + ": " + bad.message());
  std::sort(out.begin(), out.end());
  return out;
}

void scan_directory(std::string const& path, scan_result& into) {
  for (auto const& entry : entries_of(path, into)) {
    throw_if_interrupted();
    std::error_code bad;
    auto const type = entry.symlink_status(bad).type();
    if (type == std::filesystem::file_type::directory) {
      if (entry.path().filename() != ".git") scan_directory(entry.path().string(), into);
    } else if (type == std::filesystem::file_type::regular) {
      scan_file(entry.path().string(), O_NOFOLLOW, into);
    }
  }
}

/// Starts git with its stdout going to `output` and its stderr to `errors`; stdin is ours.
pid_t start_git(int output, int errors) {
  // These options give the diff one form, whatever the user's configuration says.
  static constexpr std::array arguments{"git",
                                        "-c",
                                        "core.quotePath=false",
                                        "diff",
                                        "--cached",
                                        "-U0",
                                        "--no-color",
                                        "--no-ext-diff",
                                        "--no-textconv",
                                        "--no-renames",
                                        "--no-relative",
                                        "--inter-hunk-context=0",
                                        "--submodule=short",
                                        "--src-prefix=a/",
                                        "--dst-prefix=b/",
                                        "--diff-filter=d"};
  std::vector<char*> argv;
  for (char const* const each : arguments) argv.push_back(const_cast<char*>(each));
  argv.push_back(nullptr);
  child_environment variables;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
  pid_t pid = 0;
  auto const failed = ::posix_spawnp(&pid, "git", &actions, nullptr, argv.data(), variables.get());
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    throw failure(exit_code::usage, "git", std::string("git cannot be started: ") + std::strerror(failed) + ".");
  return pid;
}

/// Returns true if a child ended with 0.
bool ended_well(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

void scan_tree(std::string const& path, scan_result& into) {
  std::error_code bad;
  auto const about = std::filesystem::status(path, bad);
  if (about.type() == std::filesystem::file_type::not_found || about.type() == std::filesystem::file_type::none)
    throw bad_usage(path + " cannot be found.");
  if (about.type() == std::filesystem::file_type::directory) return scan_directory(path, into);
  scan_file(path, 0, into);
}

void scan_staged(scan_result& into) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw failure(exit_code::usage, "git", std::string("git cannot be started: ") + std::strerror(errno) + ".");
  scanned_descriptor const output(ends[0]);
  scanned_descriptor input(ends[1]);
  // Outside of a repository git prints its whole usage, of which the first line says why.
  scanned_descriptor const errors(::memfd_create("git", MFD_CLOEXEC));
  auto const pid = start_git(input.get(), errors.get() < 0 ? STDERR_FILENO : errors.get());
  input.close();
  staged_diff diff;
  std::array<char, piece_size> buffer;
  for (auto piece = output.read(buffer); !piece.empty(); piece = output.read(buffer)) diff.feed(piece);
  into.found = diff.finish();
  if (ended_well(pid)) return;
  std::string_view said;
  if (errors.get() >= 0 && ::lseek(errors.get(), 0, SEEK_SET) == 0) said = errors.read(buffer);
  auto const reason = std::string(said.substr(0, said.find('\n')));
  throw failure(exit_code::usage, "git", "git diff --cached failed" + (reason.empty() ? "." : ": " + reason),
                "Run it inside a git repository.");
}

}  // namespace svc::cli
