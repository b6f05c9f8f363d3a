// Tests the attempts of scripts to leave their sandbox: files of this machine, its memory, other runners, the kernel.
#include "workshop.hpp"

#include <doctest/doctest.h>

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>

using namespace svc::test;
namespace fs = std::filesystem;

namespace {

/// Replaces npx and k6: the last argument is a shell script. Playwright's modules only require a name.
class stand_in_tools {
 public:
  stand_in_tools() {
    for (auto const* name : {"npx", "k6", "chromium"}) {
      auto const file = directory_.write(
          name, "#!/bin/sh\nfor last; do :; done\ncase \"$last\" in --version) exit 0 ;; esac\nexec sh \"$last\"\n");
      fs::permissions(file, fs::perms::all);
    }
    fs::create_directories(directory_.path() + "/modules/@playwright/test");
    std::ofstream(directory_.path() + "/modules/@playwright/test/package.json") << "{}";
    fs::permissions(directory_.path(), fs::perms::all);
  }
  workshop::options options(workshop::options way) const {
    way.lines +=
        "\nlabels = ['command', 'playwright', 'k6']\nplaywright.modules = '" + directory_.path() + "/modules'\n";
    way.environment = {"PATH=" + directory_.path() + ":/usr/local/bin:/usr/bin:/bin",
                       "SVC_RUNNER_SANDBOX_READ_ONLY=" + directory_.path()};
    return way;
  }

 private:
  temporary_directory directory_;
};

/// A directory that a script must not write to, and a file that it must not read.
struct target {
  target() {
    fs::permissions(directory.path(), fs::perms::all);
    directory.write("secret", "the runner's own secret\n");
    fs::permissions(directory.path() + "/secret", fs::perms::owner_read);
    fs::create_directory(directory.path() + "/host");
    // Everybody may write here, so that only the runner's checks are tested.
    fs::permissions(directory.path() + "/host", fs::perms::all);
  }
  temporary_directory directory;
};

std::string system_calls(std::vector<std::pair<std::string, std::string>> const& calls) {
  std::string out;
  for (auto const& [name, arguments] : calls)
    out += "$! = 0; my $" + name + " = syscall(" + arguments + "); print \"" + name + " \", ($" + name +
           " < 0 ? 0 + $! : 'done'), \"\\n\";\n";
  return "cat > p.pl <<'P'\n" + out + "P\nperl p.pl\n";
}

}  // namespace

TEST_CASE("no file of a run is written outside its directory, whatever its first test did") {
  stand_in_tools const tools;
  // DIRECTORY is replaced by the target's directory.
  struct {
    char const *name, *attack;
  } const attacks[] = {
      {"the directory becomes a link", "mv tests away; ln -s DIRECTORY/host tests"},
      {"the next file is a link",
       "for f in test-2.sh test-2.js tests/test-2.spec.ts; do "
       "rm -f $f; ln -s DIRECTORY/host/$f $f; done"},
      {"a racer",
       "mkdir -p tests; ln -s DIRECTORY/host link; (while :; do mv tests t; mv link tests; mv tests link; "
       "mv t tests; done) & sleep 0.2"},
  };
  for (auto const& way : {workshop::options{.sandbox = "auto"}, workshop::options{.sandbox = "none"}}) {
    CAPTURE(name_of(way));
    workshop shop(tools.options(way));
    for (auto const* type : {"command", "playwright", "k6"})
      for (auto const& each : attacks) {
        CAPTURE(type);
        CAPTURE(each.name);
        target const aim;
        std::string attack = each.attack;
        for (auto position = attack.find("DIRECTORY"); position != std::string::npos;
             position = attack.find("DIRECTORY"))
          attack.replace(position, 9, aim.directory.path());
        std::string run;
        shop.run_to_end({attack + " 2>/dev/null\nexit 0", "echo payload"}, {{"jobType", type}}, &run);
        CHECK(fs::is_empty(aim.directory.path() + "/host"));
        CHECK(processes_left(run) == 0);
      }
    CHECK(shop.scratch_is_empty());
  }
}

TEST_CASE("files that a script leaves for the runner are read as the script would") {
  stand_in_tools const tools;
  struct {
    char const *name, *attack, *details;
  } const attacks[] = {
      {"a file", "echo said > $f", "said"},
      {"a link", "ln -s $t $f", "exit code 1"},
      {"a hard link", "ln $t $f || ln /etc/hostname $f", "exit code 1"},
      {"a pipe", "mkfifo $f", "exit code 1"},
      {"a device", "mknod $f c 0 0", "exit code 1"},
      {"a directory", "mkdir $f", "exit code 1"},
      {"a link to a place of the kernel's", "ln -s /proc/self/environ $f", "exit code 1"},
      {"a racer", "echo x > x; (while :; do ln -sf $t $f; mv x $f; mv $f x; done) & sleep 0.1", ""},
  };
  for (auto const& way : {workshop::options{.sandbox = "auto"}, workshop::options{.sandbox = "none"}}) {
    CAPTURE(name_of(way));
    workshop shop(tools.options(way));
    target const aim;
    for (auto const& each : attacks) {
      CAPTURE(each.name);
      auto const end = shop.run_to_end({"f=svc-runner-failures.txt; t=" + aim.directory.path() + "/secret\n" +
                                        each.attack + " 2>/dev/null\nexit 1\n"},
                                       {{"jobType", "playwright"}});
      CHECK(status_of(end) == "failed");
      auto const details = details_of(end);
      CHECK(details.find("secret") == std::string::npos);
      if (*each.details != '\0') CHECK(details == each.details);
    }
    CHECK(shop.scratch_is_empty());
  }
}

TEST_CASE("two runners of one machine have different users, and the start of one does not affect the other's runs") {
  if (!is_root()) return not_shown("users of their own, because the tests are not root");
  std::string const refuses_user = "awk '/^Uid/{print \"user\",$2}' /proc/self/status";
  for (std::string const mode : {"none", "auto"}) {
    CAPTURE(mode);
    workshop first({.sandbox = mode});
    boost::json::object const own{{"key", "OWN"}, {"value", "private-to-the-first"}, {"isSecret", false}};
    auto const running = first.run({refuses_user + "; echo begun; sleep 1000"},
                                   {{"timeoutSeconds", 60}, {"variables", boost::json::array{own}}});
    first.service().wait_line(running, "begun");
    workshop second({.sandbox = mode});
    std::string theirs;
    second.run_to_end({refuses_user + "\ncat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | "
                                      "grep -c private-to-the-first; kill -9 -1; true"},
                      {}, &theirs);
    auto const seen = second.service().all(theirs);
    CAPTURE(seen);
    CHECK(seen.find("\n0\n") != std::string::npos);
    CHECK(!first.service().completed(running));
    first.service().cancel(running);
    CHECK(status_of(first.service().completion(running)) == "cancelled");
    // Inside bubblewrap everybody is user 1000.
    if (mode == "none") CHECK(seen.find(first.service().lines(running).front() + "\n") == std::string::npos);
  }
}

TEST_CASE("a run's disk is bounded") {
  for (auto way : ways()) {
    CAPTURE(name_of(way));
    way.lines = "[limits]\ndisk_mb = 16\nmemory_mb = 256";
    workshop shop(way);
    if (shop.isolation().find("disk 16 MiB") == std::string::npos) {
      CHECK(shop.runner().err().text().find("nothing bounds a run's directory") != std::string::npos);
      not_shown("a bounded directory: " + shop.isolation());
      continue;
    }
    auto paths = std::string(". ");
    if (shop.sandboxed()) paths += "/tmp /dev/shm ";
    std::string run;
    auto const end =
        shop.run_to_end({"for d in " + paths +
                             "; do head -c 64M /dev/zero > $d/full 2>/dev/null; "
                             "echo $(($(wc -c < $d/full) <= 16777216)) $d; rm $d/full; done\n"
                             "i=0; while [ $i -lt 5000 ] && true 2>/dev/null > f$i; do i=$((i+1)); done; "
                             "echo files $((i < 4200)); rm -f f*\n"
                             "echo kept > kept",
                         "cat kept; " + std::string(shop.sandboxed() ? "true 2>/dev/null > /dev/full-of-it "
                                                                       "|| echo no /dev"
                                                                     : "")},
                        {{"timeoutSeconds", 30}}, &run);
    auto const all = shop.service().all(run);
    CAPTURE(all);
    CHECK(status_of(end) != "error");
    CHECK(all.find("1 .\n") != std::string::npos);
    CHECK(all.find("files 1\n") != std::string::npos);
    CHECK(all.find("kept\n") != std::string::npos);
    if (shop.sandboxed())
      for (auto const* said : {"1 /tmp\n", "1 /dev/shm\n", "no /dev\n"}) CHECK(all.find(said) != std::string::npos);
    CHECK(shop.scratch_is_empty());
  }
}

TEST_CASE("a script that fills memory with files is ended by the memory limit") {
  workshop shop({.lines = "[limits]\ndisk_mb = 512\nmemory_mb = 32"});
  if (shop.isolation().find("(memory") == std::string::npos || shop.isolation().find("disk") == std::string::npos)
    return not_shown("files that count as memory: " + shop.isolation());
  std::string run;
  shop.run_to_end({"head -c 200M /dev/zero > full; wc -c < full"}, {{"timeoutSeconds", 30}}, &run);
  auto const all = shop.service().all(run);
  CHECK(all.find("209715200") == std::string::npos);
  CHECK(all.find("the memory limit of 32 MiB ended a process") != std::string::npos);
  CHECK(shop.scratch_is_empty());
}

TEST_CASE("no script has the keys of the user who started the runner") {
  // The key is in this thread's session keyring, which its children inherit; its user may see it in any case.
  REQUIRE(::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) >= 0);
  REQUIRE(::syscall(SYS_add_key, "user", "svc-runner-test", "value", 5, KEY_SPEC_SESSION_KEYRING) >= 0);
  for (auto const& way : ways()) {
    if (way.as_nobody || !is_root()) continue;
    CAPTURE(name_of(way));
    workshop shop(way);
    std::string run;
    shop.run_to_end({"grep svc-runner-test /proc/keys; echo looked"}, {}, &run);
    CHECK(shop.service().all(run) == "looked\n");
  }
}

TEST_CASE("the kernel gives scripts nothing that outlives them or that they do not require") {
  auto const number = [](long count) { return std::to_string(count); };
  auto const script = system_calls({
      // "user", "name", "value", 5, KEY_SPEC_USER_KEYRING
      {"add_key", number(SYS_add_key) + ", my $a = 'user', my $b = 'name', my $c = 'value', 5, -4"},
      {"request_key", number(SYS_request_key) + ", my $d = 'user', my $e = 'name', 0, 0"},
      {"userfaultfd", number(SYS_userfaultfd) + ", 1"},
      {"io_uring_setup", number(SYS_io_uring_setup) + ", 1, my $f = \"\\0\" x 120"},
      {"perf_event_open", number(SYS_perf_event_open) + ", my $g = \"\\0\" x 120, 0, -1, -1, 0"},
      {"clone3", number(SYS_clone3) + ", 0, 0"},
      {"getpid", number(SYS_getpid)},
  });
  for (auto const& way : ways()) {
    CAPTURE(name_of(way));
    workshop shop(way);
    REQUIRE(shop.isolation().find("seccomp") != std::string::npos);
    std::string run;
    auto const end = shop.run_to_end(
        {script, "grep -E 'Seccomp:|NoNewPrivs:' /proc/self/status; (exit 3); [ $? = 3 ] && echo forks"}, {}, &run);
    auto const all = shop.service().all(run);
    CAPTURE(all);
    CHECK(status_of(end) == "passed");
    for (auto const* said : {"add_key 1\n", "request_key 1\n", "userfaultfd 1\n", "io_uring_setup 1\n",
                             "perf_event_open 1\n", "clone3 38\n", "getpid done\n", "forks\n", "NoNewPrivs:\t1\n"})
      CHECK(all.find(said) != std::string::npos);
    CHECK(all.find("Seccomp:\t2\n") != std::string::npos);
  }
}
