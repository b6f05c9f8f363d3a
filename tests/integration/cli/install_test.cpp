#include "integration/cli/svc_process.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <set>

using namespace svc::test;

namespace {

svc_result by_program(std::string const& program, std::vector<std::string> arguments,
                      std::vector<std::string> environment = {}) {
  svc_process process({.arguments = std::move(arguments), .environment = std::move(environment)}, program);
  return process.wait();
}

/// The build that the tested client is of.
std::string build_directory() {
  return std::filesystem::path(client_binary()).parent_path().parent_path();
}

}  // namespace

TEST_CASE("the component cli is one stripped program, its manual and its completions, and nothing else") {
  temporary_directory const directory;
  auto const installed =
      by_program("/usr/bin/cmake", {"--install", build_directory(), "--component", "cli", "--prefix", "/opt/svc"},
                 {"DESTDIR=" + directory.path()});
  INFO((installed.out + installed.err));
  REQUIRE(installed.code == 0);
  auto const root = directory.path() + "/opt/svc/";
  std::set<std::string> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(directory.path()))
    if (entry.is_regular_file()) files.insert(entry.path().string().substr(root.size()));
  for (auto const* const expected : {"bin/svc", "share/man/man1/svc.1", "share/man/man1/svc-job.1",
                                     "share/man/man1/svc-run.1", "share/bash-completion/completions/svc",
                                     "share/zsh/site-functions/_svc", "share/fish/vendor_completions.d/svc.fish"}) {
    CAPTURE(expected);
    CHECK(files.contains(expected));
  }
  for (auto const& file : files) {
    CAPTURE(file);
    bool const known = file == "bin/svc" || file.starts_with("share/man/man1/svc") ||
                       file.starts_with("share/bash-completion/") || file.starts_with("share/zsh/") ||
                       file.starts_with("share/fish/");
    CHECK(known);
    struct stat about{};
    REQUIRE(::stat((root + file).c_str(), &about) == 0);
    CHECK((about.st_mode & 0777U) == (file == "bin/svc" ? 0755U : 0644U));
  }
  auto const sections = by_program("/usr/bin/readelf", {"-S", "--wide", root + "bin/svc"});
  CHECK(sections.out.find(".text") != std::string::npos);
  CHECK(sections.out.find(".symtab") == std::string::npos);
  CHECK(sections.out.find(".debug_") == std::string::npos);
  CHECK(by_program(root + "bin/svc", {"--version"}).out.starts_with("svc "));
}

TEST_CASE("the client needs only libc, libcurl and OpenSSL 3, and no symbol newer than glibc 2.36") {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  MESSAGE("not checked under sanitizers, which bring libraries of their own");
  return;
#endif
#endif
  std::string const checker = std::string(SVC_TOOLS_DIRECTORY) + "/check_client.sh";
  auto const checked = by_program(checker, {client_binary()});
  INFO((checked.out + checked.err));
  CHECK(checked.code == 0);
  CHECK(checked.out.find("libcurl.so.4") != std::string::npos);
  // The service needs more, and the checker says so.
  auto const service = by_program(checker, {std::filesystem::path(client_binary()).replace_filename("svcd")});
  CHECK(service.code == 1);
  CHECK(service.err.find("needs libpq.so.5") != std::string::npos);
  CHECK(service.err.find("needs GLIBCXX_3.4 of a library") != std::string::npos);
  CHECK(service.err.find("are allowed") != std::string::npos);
}
