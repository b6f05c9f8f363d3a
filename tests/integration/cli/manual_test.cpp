#include "integration/cli/svc_process.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace svc::test;

namespace {

svc_result by_tool(std::string const& program, std::vector<std::string> arguments) {
  svc_process process({.arguments = std::move(arguments)}, program);
  return process.wait();
}

}  // namespace

TEST_CASE("mandoc finds nothing to say about any manual page") {
  temporary_directory const directory;
  REQUIRE(run_svc({.arguments = {"manual", directory.path()}}).code == 0);
  std::vector<std::string> names;
  for (auto const& entry : std::filesystem::directory_iterator(directory.path())) {
    names.push_back(entry.path().filename());
    CAPTURE(names.back());
    auto const lint = by_tool("/usr/bin/mandoc", {"-T", "lint", "-W", "style", entry.path()});
    CHECK(lint.out + lint.err == "");
    CHECK(by_tool("/usr/bin/mandoc", {"-T", "utf8", entry.path()}).out.find("svc") != std::string::npos);
  }
  CHECK(std::count(names.begin(), names.end(), "svc.1") == 1);
  CHECK(std::count(names.begin(), names.end(), "svc-job.1") == 1);
}

TEST_CASE("two builds of one source give the same pages: their date is SOURCE_DATE_EPOCH's") {
  temporary_directory const directory;
  REQUIRE(run_svc({.arguments = {"manual", directory.path()}, .environment = {"SOURCE_DATE_EPOCH=86400"}}).code == 0);
  auto const page = by_tool("/usr/bin/mandoc", {"-T", "ascii", directory.path() + "/svc.1"});
  CHECK(page.out.find("1970-01-02") != std::string::npos);
}

TEST_CASE("pages that cannot be written end with exit code 3 and their path") {
  auto const result = run_svc({.arguments = {"manual", "/dev/null/pages"}});
  CHECK(result.code == 3);
  CHECK(result.err.find("/dev/null/pages/svc.1") != std::string::npos);
}
