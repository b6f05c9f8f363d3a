#include "svc-runner/isolation/bubblewrap.hpp"

#include "svc-runner/supervision/supervision.hpp"

#include <filesystem>

namespace svc::runner {
namespace {

using texts = std::vector<std::string>;

void add(texts& texts, std::initializer_list<std::string_view> more) {
  for (auto const each : more) texts.emplace_back(each);
}

/// A merged /usr has symbolic links where older systems have directories.
void add_system(texts& texts) {
  add(texts, {"--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"});
  for (std::string const name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    std::error_code none;
    auto const target = std::filesystem::read_symlink(name, none);
    if (!none) {
      add(texts, {"--symlink", target.string(), name});
    } else {
      add(texts, {"--ro-bind-try", name, name});
    }
  }
  // In Debian, links in /etc point to it for editors, awk and others.
  add(texts, {"--ro-bind-try", "/var/lib/dpkg/alternatives", "/var/lib/dpkg/alternatives"});
}

/// With the network, names are resolved by the file that /etc/resolv.conf points to, which may lie outside /etc.
void add_resolver(texts& texts) {
  std::error_code none;
  auto const file = std::filesystem::canonical("/etc/resolv.conf", none).string();
  if (!none && !file.starts_with("/etc/")) add(texts, {"--ro-bind-try", file, file});
}

bool is_below(std::string const& path, std::string const& directory) {
  return path == directory || path.starts_with(directory + "/");
}

bool visible(std::string const& path, sandbox_view const& view) {
  if (is_below(path, "/usr") || is_below(path, "/etc")) return true;
  for (auto const& each : view.read_only)
    if (is_below(path, each)) return true;
  return false;
}

}  // namespace

std::vector<std::string> bubblewrap_options(sandbox_view const& view, environment_list const& environment) {
  texts out;
  add(out, {"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"});
  if (!view.network) add(out, {"--unshare-net"});
  if (view.no_more_namespaces) add(out, {"--disable-userns"});
  add(out, {"--uid", "1000", "--gid", "1000", "--hostname", "svc-runner", "--die-with-parent", "--new-session"});
  add_system(out);
  if (view.network) add_resolver(out);
  auto const size = std::to_string(view.tmp_mb * 1024 * 1024);
  add(out, {"--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", size, "--tmpfs", "/dev/shm"});
  add(out, {"--remount-ro", "/dev", "--perms", "1777", "--size", size, "--tmpfs", "/tmp"});
  // After /tmp, because mounting /tmp later would hide paths below it.
  for (auto const& each : view.read_only) add(out, {"--ro-bind", each, each});
  // /dev/null cannot be opened through a mount that forbids devices, so reading it is an error.
  for (auto const& file : view.hidden)
    if (visible(file, view)) add(out, {"--ro-bind", "/dev/null", file});
  add(out, {"--symlink", "/tmp", "/var/tmp", "--dir", "/run", "--bind", view.scratch, sandbox_work, "--chdir",
            sandbox_work});
  // The rest of the root file system is made by bubblewrap, in memory.
  add(out, {"--remount-ro", "/", "--clearenv"});
  if (view.filter) add(out, {"--seccomp", std::to_string(supervision::filter_descriptor)});
  for (auto const& [name, value] : environment) add(out, {"--setenv", name, value});
  return out;
}

std::vector<std::string> bubblewrap_command(sandbox_view const& view, std::vector<std::string> const& command) {
  texts out;
  if (view.processes > 0) {
    // The limit is set inside, because since Linux 5.14 it counts only the processes inside.
    auto const most = std::to_string(view.processes);
    add(out, {"/bin/sh", "-c"});
    out.push_back("ulimit -p " + most + " 2>/dev/null || ulimit -u " + most + "; exec \"$@\"");
    add(out, {"svc-runner"});
  }
  out.insert(out.end(), command.begin(), command.end());
  return out;
}

}  // namespace svc::runner
