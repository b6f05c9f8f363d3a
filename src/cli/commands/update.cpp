#include "cli/commands/resource.hpp"
#include "cli/settings/environment.hpp"
#include "cli/settings/files.hpp"
#include "svc/core/build_info.hpp"
#include "svc/core/hash.hpp"

#include <CLI/CLI.hpp>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

namespace svc::cli {
namespace {

#if defined(__x86_64__)
constexpr std::string_view own_architecture = "amd64";
#elif defined(__aarch64__)
constexpr std::string_view own_architecture = "arm64";
#else
constexpr std::string_view own_architecture = "unknown";
#endif

/// The limit of the service, which reads no larger program.
constexpr std::size_t largest_program = 64UL * 1024 * 1024;
constexpr std::size_t digest_length = 64;

constexpr column update_columns[] = {
    {"Program", "path"}, {"Replaced", "replaced", cell::boolean}, {"SHA-256", "sha256"}};

std::string update_digest(std::string_view bytes) {
  return to_hex(byte_view(sha256(bytes)));
}

/// True below a directory of CMake's or in a working copy of sources, where the next build would replace the program.
bool is_built_here(std::filesystem::path const& program) {
  std::error_code failed;
  auto const has = [&](std::filesystem::path const& directory, char const* name) {
    return std::filesystem::exists(directory / name, failed);
  };
  for (auto path = program.parent_path(); path != path.root_path(); path = path.parent_path())
    if (has(path, "CMakeCache.txt") || (has(path, ".git") && has(path, "CMakeLists.txt"))) return true;
  return false;
}

/// Returns the installation that would replace the program, or an empty text if it belongs only to its user. Such
/// programs are next to the service's other programs, or were installed together with their manual page.
std::string owner_of(std::filesystem::path const& program) {
  std::error_code failed;
  auto const directory = program.parent_path();
  for (auto const* const other : {"svcd", "svc-runner"})
    if (std::filesystem::exists(directory / other, failed)) return "a build or package with " + std::string(other);
  for (auto const* const page : {"svc.1", "svc.1.gz"})
    if (std::filesystem::exists(directory.parent_path() / "share/man/man1" / page, failed))
      return "an installation with manual pages, as make install-cli makes it";
  return {};
}

/// Asks on a terminal before the program is replaced. Without a terminal, a program that belongs to something else
/// stays. Returns false if the answer is no.
bool may_replace(context& cx, std::string const& path) {
  auto const owner = owner_of(path);
  if (cx.console.can_ask())
    return confirmed(cx, (owner.empty() ? "" : path + " belongs to " + owner + ". ") + "Replace " + path +
                             " by the service's svc?");
  if (owner.empty()) return true;
  throw failure(exit_code::usage, "program_of_others", path + " belongs to " + owner + "; nothing was replaced.",
                "Add --yes to replace it anyway, or update the installation that it belongs to.");
}

std::string own_program() {
  std::error_code failed;
  auto const path = std::filesystem::read_symlink("/proc/self/exe", failed).string();
  if (failed || !std::filesystem::exists(path, failed))
    throw failure(exit_code::usage, "no_program", "svc cannot find the file that it was started from.",
                  "Start it again, and do not replace it in the meantime.");
  if (directory_of(path) == "/usr/bin" || directory_of(path) == "/bin")
    throw failure(exit_code::usage, "packaged_program", path + " belongs to a package of this system.",
                  "Update it with the system's tools: apt-get install --only-upgrade svc");
  if (is_built_here(path))
    throw failure(exit_code::usage, "built_program", path + " was built here, and its next build replaces it.",
                  "Build it again, or install the service's svc with its install.sh and run svc update of that one.");
  return path;
}

/// A working copy must not choose the program that its reader runs from then on.
void check_confirmed(settings const& settings) {
  if (settings.url_confirmed) return;
  throw failure(exit_code::usage, "unconfirmed_url",
                settings.url.source + " names " + settings.url.text +
                    ", and none of your own settings does: no program is installed from there.",
                "If you trust that address: set SERVICE_URL, pass --url, or log in to it first.");
}

failure spoilt_download(std::string const& sentence) {
  return {
      exit_code::unreachable, "bad_download", sentence + " Nothing was replaced.",
      "If the service is being upgraded, try again in a minute. If it happens again, something between you and the "
      "service changes downloads: show this to its operator."};
}

/// The digest in a line of sha256sum.
std::string announced_digest(std::string const& line) {
  auto const digest = line.substr(0, line.find(' '));
  bool const hex = digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (digest.size() != digest_length || !hex)
    throw spoilt_download("The service's answer is not a SHA-256 of its client.");
  return digest;
}

/// Runs `svc --version` of the new file. Returns its exit code; -1 if it did not start.
int run_once(std::string const& program) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (auto const& [descriptor, mode] : {std::pair{STDIN_FILENO, O_RDONLY}, {STDOUT_FILENO, O_WRONLY}})
    posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", mode, 0);
  std::string name = program, option = "--version";
  std::array<char*, 3> arguments{name.data(), option.data(), nullptr};
  child_environment variables;
  pid_t pid = 0;
  int const failed = ::posix_spawn(&pid, program.c_str(), &files, nullptr, arguments.data(), variables.get());
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return -1;
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void try_out(std::string const& program) {
  if (run_once(program) == 0) return;
  throw failure(exit_code::refused, "program_does_not_start",
                "The service's svc does not start on this system; nothing was replaced.",
                "Its message is above: a newer system, or the library that it names, is needed.");
}

void replace_own(std::string const& path, std::string const& bytes) {
  try {
    replace_program(path, bytes, try_out);
  } catch (failure const& f) {
    if (f.code() != "file") throw;
    throw f.retold(f.what(), "Nothing was replaced. Free some space, or run this as the user who may write to " +
                                 directory_of(path) + ".");
  }
}

exit_code show_update(context& cx, std::string const& path, std::string const& digest, bool replaced) {
  boost::json::object const facts{{"path", path}, {"replaced", replaced}, {"sha256", digest}};
  show_object(cx.console, facts, update_columns, nullptr, "path");
  cx.console.note(replaced ? "svc is now the service's version." : "svc is already the service's version.");
  return exit_code::ok;
}

exit_code update(context& cx, bool sure) {
  check_confirmed(cx.config());
  auto const path = own_program();
  auto const target = "/cli/svc-linux-" + std::string(own_architecture);
  auto& service = cx.client_without_check();
  auto const announced = announced_digest(
      service.send({.method = "GET", .target = target + ".sha256", .context = credential::none}).body);
  auto const own = read_regular_file(path, largest_program);
  if (own && update_digest(*own) == announced) return show_update(cx, path, announced, false);
  if (!sure && !may_replace(cx, path)) return exit_code::ok;
  auto const got = service.send({.method = "GET", .target = target, .context = credential::none}).body;
  if (update_digest(got) != announced)
    throw spoilt_download("The downloaded svc is not the one that the service announced (its SHA-256 differs).");
  replace_own(path, got);
  return show_update(cx, path, announced, true);
}

}  // namespace

void add_update_command(CLI::App& root, context& cx) {
  auto const sure = std::make_shared<bool>(false);
  auto* const command =
      add_command(root, cx, "update", "Replace this program by the service's svc, after checking its SHA-256", "",
                  [&cx, sure] { return update(cx, *sure); });
  command->add_flag("-y,--yes", *sure, "do not ask; also replace a program that a package or a build has installed");
}

}  // namespace svc::cli
