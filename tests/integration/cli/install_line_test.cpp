// Tests the one line that installs the client from its service, as a user pastes it. Each fault ends with an
// instruction, and leaves no files.
#include "integration/cli/svc_process.hpp"

#include "svc/core/hash.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

using namespace svc::test;

namespace {

namespace fs = std::filesystem;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool client_is_sanitized = true;
#else
constexpr bool client_is_sanitized = false;
#endif
#endif

std::string bytes_of_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

/// Returns the client that the service hands out.
std::string served_client() {
  return fs::path(client_binary()).parent_path().parent_path().string() + "/lib/svcd/cli/svc-linux-" +
         (std::string_view(SVC_ARCHITECTURE) == "x86_64" ? "amd64" : "arm64");
}

/// A service that hands out a client, or a replacement from a test.
struct install_fixture {
  temporary_directory data;
  dev_service service{data.path()};
  std::string url = service.text("url"), authority = service.text("caFile");

  static install_fixture& shared() {
    static install_fixture fixture;
    return fixture;
  }
  std::string line(std::string const& options = {}) const {
    return "curl -fsSL --cacert '" + authority + "' '" + url + "/cli/install.sh' | sh" +
           (options.empty() ? "" : " -s -- " + options);
  }
};

/// A new user of a machine.
struct new_user {
  temporary_directory home;
  std::vector<std::string> variables{"SERVICE_CACERT=" + install_fixture::shared().authority};
  std::string search = "/usr/bin:/bin";

  svc_result shell(std::string const& script) const {
    auto environment = variables;
    environment.push_back("PATH=" + search);
    svc_process process({.arguments = {"-c", script},
                         .environment = std::move(environment),
                         .directory = home.path(),
                         .home = home.path()},
                        "/bin/sh");
    return process.wait(std::chrono::seconds(120));
  }
  /// All files and directories below the home directory.
  std::set<std::string> tree() const {
    std::set<std::string> out;
    for (auto const& entry : fs::recursive_directory_iterator(home.path()))
      out.insert(entry.path().string().substr(home.path().size() + 1));
    return out;
  }
  /// Adds a program that hides the system's program of that name.
  void stub(std::string const& name, std::string const& script) {
    fs::create_directories(home.path() + "/stubs");
    home.write("stubs/" + name, script);
    fs::permissions(home.path() + "/stubs/" + name, fs::perms::owner_all);
    search = home.path() + "/stubs:/usr/bin:/bin";
  }
};

std::string script_of_service() {
  auto const& fixture = install_fixture::shared();
  new_user const user;
  auto const got = user.shell("curl -fsSL --cacert '" + fixture.authority + "' '" + fixture.url + "/cli/install.sh'");
  REQUIRE(got.code == 0);
  return got.out;
}

/// Returns the script with another list of clients.
std::string announcing(std::string script, std::string const& architecture, std::string const& size,
                       std::string const& digest) {
  auto const begin = script.find("\nclients='") + 10;
  auto const end = script.find('\'', begin);
  return script.replace(begin, end - begin, architecture + " " + size + " " + digest);
}

std::string this_architecture() {
  return fs::path(served_client()).filename().string().substr(std::string("svc-linux-").size());
}

}  // namespace

TEST_CASE("the one line installs the service's client without root, and later commands know the service") {
  if (client_is_sanitized) {
    MESSAGE("no client is served by a sanitized build");
    return;
  }
  auto const& fixture = install_fixture::shared();
  new_user const user;
  auto const installed = user.shell(fixture.line("--dir \"$HOME/.local/bin\""));
  CAPTURE(installed.out);
  CAPTURE(installed.err);
  REQUIRE(installed.code == 0);
  auto const program = user.home.path() + "/.local/bin/svc";
  CHECK((bytes_of_file(program) == bytes_of_file(served_client())));
  CHECK(fs::status(program).permissions() == fs::perms(0755));
  CHECK(installed.out.find("export PATH=\"" + user.home.path() + "/.local/bin:$PATH\"") != std::string::npos);
  CHECK(user.tree() == std::set<std::string>{".config", ".config/svc", ".config/svc/config.toml", ".local",
                                             ".local/bin", ".local/bin/svc"});
  CHECK(bytes_of_file(user.home.path() + "/.config/svc/config.toml") ==
        "url = \"" + fixture.url + "\"\ncacert = \"" + fixture.authority + "\"\n");
  CHECK(fs::status(user.home.path() + "/.config/svc/config.toml").permissions() == fs::perms(0600));
  // These commands name neither an address nor an authority.
  auto const token = fixture.service.text("token");
  auto const used =
      user.shell("unset SERVICE_CACERT; printf '%s\\n' " + token +
                 " | .local/bin/svc login --token - && .local/bin/svc whoami && .local/bin/svc version --check");
  CAPTURE(used.err);
  CHECK(used.code == 0);
}

TEST_CASE("a second line replaces the client and keeps the user's configuration") {
  if (client_is_sanitized) return;
  auto const& fixture = install_fixture::shared();
  new_user const user;
  fs::create_directories(user.home.path() + "/.config/svc");
  fs::create_directories(user.home.path() + "/bin");
  user.home.write(".config/svc/config.toml", "url = \"https://another.example.org\"\n");
  user.home.write("bin/svc", "an old one");
  auto const installed = user.shell(fixture.line("--dir=bin"));
  CAPTURE(installed.err);
  CHECK(installed.code == 0);
  CHECK((bytes_of_file(user.home.path() + "/bin/svc") == bytes_of_file(served_client())));
  CHECK(bytes_of_file(user.home.path() + "/.config/svc/config.toml") == "url = \"https://another.example.org\"\n");
  CHECK(installed.out.find("svc --url " + fixture.url) != std::string::npos);
}

TEST_CASE("in GitHub Actions later steps find the client") {
  if (client_is_sanitized) return;
  new_user user;
  user.variables.push_back("GITHUB_PATH=" + user.home.path() + "/path");
  CHECK(user.shell(install_fixture::shared().line("--dir \"$HOME/.local/bin\"")).code == 0);
  CHECK(bytes_of_file(user.home.path() + "/path") == user.home.path() + "/.local/bin\n");
}

TEST_CASE("the line works with each shell and without curl") {
  if (client_is_sanitized) return;
  for (std::string const shell : {"dash", "bash --posix", "busybox sh"}) {
    CAPTURE(shell);
    new_user user;
    if (user.shell("command -v " + shell.substr(0, shell.find(' '))).code != 0) continue;
    user.home.write("install.sh", script_of_service());
    CHECK(user.shell(shell + " install.sh --dir bin").code == 0);
    CHECK(fs::exists(user.home.path() + "/bin/svc"));
  }
  new_user user;
  user.home.write("install.sh", script_of_service());
  fs::create_directories(user.home.path() + "/tools");
  for (std::string const tool : {"sh", "id", "uname", "dirname", "mkdir", "mktemp", "wget", "wc", "sha256sum", "cut",
                                 "chmod", "mv", "rm", "rmdir", "grep", "pwd", "getconf"})
    user.shell("ln -s \"$(command -v " + tool + ")\" tools/");
  user.search = user.home.path() + "/tools";
  auto const installed = user.shell("sh install.sh --dir bin");
  CAPTURE(installed.err);
  CHECK(installed.code == 0);
}

TEST_CASE("each fault of an installation ends with advice, and leaves no files") {
  if (client_is_sanitized) return;
  auto const script = script_of_service();
  auto const architecture = this_architecture();
  auto const client = bytes_of_file(served_client());
  auto const size = std::to_string(client.size()), digest = svc::to_hex(svc::byte_view(svc::sha256(client)));
  // The stub writes this instead of the client.
  auto const delivers = [](std::string const& command) {
    return "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\n" + command + "\n";
  };
  auto const prints = [](std::string const& sentence) {
    return "#!/bin/sh\necho \"" + sentence + "\" >&2\nexit 1\n";
  };
  auto const announces = [&](std::string const& bytes) {
    return announcing(script, architecture, std::to_string(bytes.size()),
                      svc::to_hex(svc::byte_view(svc::sha256(bytes))));
  };
  auto const old_glibc = prints("svc: /lib/libc.so.6: version \\`GLIBC_2.36' not found (required by svc)");
  auto const no_curl =
      prints("svc: error while loading shared libraries: libcurl.so.4: cannot open shared object file");
  auto const no_ssl =
      prints("svc: error while loading shared libraries: libcrypto.so.3: cannot open shared object file");
  auto const no_loader = std::string("#!/nowhere/ld-linux\n");
  struct row {
    std::string name, script, curl, says, advises;
    std::string options = "--dir \"$HOME/a/b\"";
    std::string glibc{};  ///< version that getconf prints; empty: this system's
  };
  row const rows[] = {
      {"a tampered binary", script, delivers("head -c " + size + " /dev/zero > \"$2\""),
       "is not the one that the service announced", "show this to its operator"},
      {"a wrong checksum", announcing(script, architecture, size, std::string(64, '0')), "",
       "is not the one that the service announced", "Expected 0000"},
      {"a download that is cut without an error", script, delivers("head -c 1000 /dev/zero > \"$2\""),
       "1000 of " + size + " bytes arrived", "Run this once more"},
      {"a connection that breaks", script, delivers("exit 18"), "ended before all of svc", "Run this once more"},
      {"a full disk", script, delivers("exit 23"), "the disk is full", "Free some space"},
      {"an untrusted certificate", script, delivers("exit 60"), "cannot be verified", "SERVICE_CACERT=FILE"},
      {"a service that is away", script, delivers("exit 7"), "curl ended with 7", "Run this once more"},
      {"an old glibc", announces(old_glibc), delivers("cp \"$HOME/replacement\" \"$2\""), "needs glibc 2.36",
       "Debian 12"},
      {"an old glibc and no OpenSSL 3", announces(no_ssl), delivers("cp \"$HOME/replacement\" \"$2\""),
       "this system has glibc 2.31", "Debian 12", "--dir a", "glibc 2.31"},
      {"no libcurl", announces(no_curl), delivers("cp \"$HOME/replacement\" \"$2\""), "needs libcurl",
       "apt-get install libcurl4"},
      {"no OpenSSL 3", announces(no_ssl), delivers("cp \"$HOME/replacement\" \"$2\""), "needs OpenSSL 3",
       "apt-get install libssl3"},
      {"no glibc at all", announces(no_loader), delivers("cp \"$HOME/replacement\" \"$2\""), "needs glibc, which",
       "Use an image of Debian"},
      {"another processor", announcing(script, "vax", size, digest), "", "has no svc for " + architecture,
       "Ask its operator"},
      {"an unknown option", script, "", "Unknown argument: --prefix", "--dir DIRECTORY", "--prefix /x"},
      {"a directory without a name", script, "", "--dir needs a directory", "", "--dir"},
      {"a file where the directory should be", script, "", "Cannot make the directory", "Choose one",
       "--dir \"$HOME/install.sh/bin\""},
      {"a script that arrives incomplete", script.substr(0, script.rfind("main")), "", "", ""},
  };
  for (auto const& r : rows) {
    CAPTURE(r.name);
    new_user user;
    user.home.write("install.sh", r.script);
    for (auto const* const replacement : {&old_glibc, &no_curl, &no_ssl, &no_loader})
      if (r.script == announces(*replacement)) user.home.write("replacement", *replacement);
    if (!r.glibc.empty()) user.stub("getconf", "#!/bin/sh\necho " + r.glibc + "\n");
    if (!r.curl.empty()) user.stub("curl", r.curl);
    auto const before = user.tree();
    auto const result = user.shell("sh install.sh " + r.options);
    CAPTURE(result.out);
    CAPTURE(result.err);
    CHECK(result.code == (r.says.empty() ? 0 : 1));
    CHECK(result.err.find(r.says) != std::string::npos);
    CHECK(result.err.find(r.advises) != std::string::npos);
    CHECK(user.tree() == before);
    CHECK(result.out.empty());
  }
}

TEST_CASE("a disk that is really full, and a directory that may not be written to") {
  if (client_is_sanitized || !can_mount()) return;
  auto const script = script_of_service();
  new_user user;
  user.home.write("install.sh", script);
  fs::create_directories(user.home.path() + "/small");
  auto const before = user.tree();
  // Half of the client fits. The mount is in its own namespace, which ends with the shell.
  auto const full = user.shell(
      "unshare -m sh -c 'mount -t tmpfs -o size=1m small small && sh install.sh --dir small; code=$?; ls -A small; "
      "exit $code'");
  CAPTURE(full.err);
  CHECK(full.code == 1);
  CHECK(full.err.find("the disk is full") != std::string::npos);
  CHECK(full.out.empty());
  auto const fixed = user.shell(
      "unshare -m sh -c 'mount -t tmpfs -o ro small small && sh install.sh --dir small; code=$?; ls -A small; exit "
      "$code'");
  CAPTURE(fixed.err);
  CHECK(fixed.code == 1);
  CHECK(fixed.err.find("--dir DIRECTORY") != std::string::npos);
  CHECK(fixed.out.empty());
  CHECK(user.tree() == before);
  // Another user may not write to any of the directories.
  fs::create_directories(user.home.path() + "/closed");
  fs::permissions(user.home.path(), fs::perms(0755));
  auto const refused = user.shell("setpriv --reuid 65534 --regid 65534 --clear-groups sh install.sh --dir closed");
  CAPTURE(refused.err);
  CHECK(refused.code == 1);
  CHECK(refused.err.find("You may not write to") != std::string::npos);
  auto const deeper = user.shell("setpriv --reuid 65534 --regid 65534 --clear-groups sh install.sh --dir closed/a/b");
  CHECK(deeper.code == 1);
  CHECK(deeper.err.find("Cannot make the directory") != std::string::npos);
  CHECK(fs::is_empty(user.home.path() + "/closed"));
}

TEST_CASE("an interrupted installation leaves no files") {
  if (client_is_sanitized) return;
  for (std::string const signal : {"INT", "TERM", "HUP"}) {
    CAPTURE(signal);
    new_user user;
    user.home.write("install.sh", script_of_service());
    user.stub("curl", "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\nhead -c 1000 /dev/zero > \"$2\"\nkill -" +
                          signal + " $PPID\nexit 0\n");
    auto const before = user.tree();
    CHECK(user.shell("sh install.sh --dir a/b").code > 128);
    CHECK(user.tree() == before);
  }
}
