// Measures how quickly the client starts, and how little memory it needs. Times are minima of runs that alternate
// with those of curl, so that a busy machine slows both.
#include "integration/cli/svc_process.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>

using namespace svc::test;
using std::chrono::microseconds;

extern char** environ;

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif
#endif

constexpr int most_rounds = 200;
constexpr int rounds_at_a_time = 20;
constexpr double most_of_curl = 1.3;
constexpr long most_kib = 20L * 1024;

/// Returns the time of one run. Its output is discarded; the exit code must be 0.
microseconds time_of_run(std::vector<std::string> words) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  std::transform(words.begin(), words.end(), std::back_inserter(arguments), [](auto& word) { return word.data(); });
  arguments.push_back(nullptr);
  pid_t pid = 0;
  auto const begun = std::chrono::steady_clock::now();
  int const failed = ::posix_spawn(&pid, words.front().c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  REQUIRE(failed == 0);
  int status = 0;
  REQUIRE(::waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
  return std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - begun);
}

}  // namespace

TEST_CASE("the client starts in at most 1.3 times the time of curl --version") {
  if (is_sanitized) {
    MESSAGE("not measured under sanitizers");
    return;
  }
  struct measured {
    std::vector<std::string> words;
    microseconds least = microseconds::max();
  };
  std::array<measured, 4> runs{{{{"/usr/bin/curl", "--version"}},
                                {{client_binary(), "--version"}},
                                {{client_binary(), "job", "trigger", "--help"}},
                                {{client_binary(), "version"}}}};
  auto const slowest = [&] { return std::max({runs[1].least, runs[2].least, runs[3].least}); };
  auto const ratio = [&] {
    return static_cast<double>(slowest().count()) / static_cast<double>(runs[0].least.count());
  };
  // More rounds only make the minima more exact.
  for (int round = 0; round < most_rounds && (round < rounds_at_a_time || ratio() > most_of_curl); ++round)
    for (auto& run : runs) run.least = std::min(run.least, time_of_run(run.words));
  MESSAGE("curl " << runs[0].least.count() << " us, svc --version " << runs[1].least.count()
                  << " us, job trigger --help " << runs[2].least.count() << " us, version " << runs[3].least.count()
                  << " us");
  CHECK(ratio() <= most_of_curl);
}

TEST_CASE("a request needs at most 20 MiB of memory") {
  temporary_directory const directory;
  dev_service const service(directory.path());
  auto const result = run_svc({.arguments = {"job", "list"}, .environment = environment_of(service)});
  INFO(result.err);
  CHECK(result.code == 0);
  MESSAGE("job list: " << result.max_rss_kib << " KiB");
  if (!is_sanitized) CHECK(result.max_rss_kib <= most_kib);
}
