#include "svc/http/site/page_bundle.hpp"

#include "support/sample_pages.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace svc::site {
namespace {

using support::sample_pages;

TEST_CASE("a bundle has the files of its folder in all their forms") {
  auto const made = make_bundle(sample_pages());
  REQUIRE(made.problem.empty());
  auto const& bundle = *made.bundle;
  CHECK(bundle.name() == "0123456789abcdef");
  CHECK(bundle.boot().content_type == "text/javascript; charset=utf-8");
  CHECK(*bundle.boot().brotli == "brotli of boot of 0123456789abcdef");
  struct {
    char const *name, *content_type;
    bool gzip, brotli;
  } const files[] = {
      {"main-AB12CD34.js", "text/javascript; charset=utf-8", true, true},
      {"main-EF56AB78.css", "text/css; charset=utf-8", true, false},
      {"mark-0A1B2C3D.svg", "image/svg+xml", false, false},
  };
  for (auto const& each : files) {
    CAPTURE(each.name);
    auto const* const file = bundle.asset(each.name);
    REQUIRE(file != nullptr);
    CHECK(file->content_type == each.content_type);
    CHECK((file->gzip != nullptr) == each.gzip);
    CHECK((file->brotli != nullptr) == each.brotli);
    CHECK(file->tag.size() == 32);
  }
  CHECK(bundle.asset("main-AB12CD34.js")->tag != bundle.asset("mark-0A1B2C3D.svg")->tag);
  // A compressed form is no file of its own.
  for (auto const* const name : {"main-AB12CD34.js.br", "main-AB12CD34.js.gz", "other-AB12CD34.js", "", ".."})
    CHECK(bundle.asset(name) == nullptr);
  CHECK(
      bundle.index("N==", "dark").starts_with("<!doctype html>\n<html data-theme=\"dark\">\n<meta nonce=\"N==\">\n"));
  CHECK(bundle.index("N==", "dark").find("{{") == std::string::npos);
}

TEST_CASE("files that are no bundle are refused with a sentence that names the fault") {
  struct {
    char const* name;
    std::string path;
    std::string content;
    char const* problem;  ///< empty: none
  } const cases[] = {
      {"as it is", "notes.txt", "left out", ""},
      {"no manifest", "manifest.json", "-", "no manifest.json"},
      {"no index page", "index.html", "-", "no index.html"},
      {"no boot.js", "boot.js", "-", "no boot.js"},
      {"no entry", "assets/main-AB12CD34.js", "-", "names an entry that is not in assets"},
      {"a manifest that is no JSON", "manifest.json", "{", "does not name the bundle"},
      {"a manifest without a name", "manifest.json", R"({"entry":"assets/main-AB12CD34.js"})",
       "does not name the bundle"},
      {"a short name", "manifest.json", R"({"bundle":"1234567","entry":"assets/main-AB12CD34.js"})",
       "does not name the bundle"},
      {"a name that would leave its quotes", "manifest.json",
       R"({"bundle":"12345678\"","entry":"assets/main-AB12CD34.js"})", "does not name the bundle"},
      {"an entry elsewhere", "manifest.json", R"({"bundle":"12345678","entry":"boot.js"})",
       "names an entry that is not in assets"},
      {"another placeholder", "index.html", "{{nonce}} {{entry}}", "a placeholder other than"},
      {"an open placeholder", "index.html", "{{nonce", "a placeholder other than"},
      {"no placeholder", "index.html", "<p>", ""},
      {"a full index page", "index.html", "{{nonce}}{{theme}}" + std::string(2048 - 24 - 6, 'x'), ""},
      {"a larger index page", "index.html", "{{nonce}}{{theme}}" + std::string(2048 - 24 - 6 + 1, 'x'),
       "has 2049 bytes"},
      {"a short hash", "assets/a-AB12CD3.js", "", "a-AB12CD3.js is not named"},
      {"no hash", "assets/main.js", "", "main.js is not named"},
      {"no name", "assets/-AB12CD34.js", "", "-AB12CD34.js is not named"},
      {"an unknown type", "assets/font-AB12CD34.woff2", "", "font-AB12CD34.woff2 is not named"},
      {"a space", "assets/a b-AB12CD34.js", "", "is not named"},
      {"a folder below", "assets/a/b-AB12CD34.js", "", "is not named"},
      {"a long name", "assets/" + std::string(128, 'a') + "-AB12CD34.js", "", "is not named"},
      {"as many bytes as there may be", "padding", std::string(largest_bundle, 'x'), "at most 3145728 are allowed"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    bundle_files files = sample_pages();
    if (c.content == "-")
      files.erase(c.path);
    else
      files[c.path] = c.content;
    auto const made = make_bundle(std::move(files));
    CAPTURE(made.problem);
    CHECK((made.bundle != nullptr) == made.problem.empty());
    CHECK((*c.problem == '\0') == made.problem.empty());
    CHECK(made.problem.find(c.problem) != std::string::npos);
  }
}

TEST_CASE("all encodings count for the size of a bundle, to the byte") {
  bundle_files files = sample_pages();
  std::size_t total = 0;
  for (auto const& [path, bytes] : files) total += bytes.size();
  files["assets/fill-AB12CD34.txt.br"] = std::string(largest_bundle - total, 'x');
  CHECK(make_bundle(files).problem.empty());
  files["assets/fill-AB12CD34.txt.br"] += 'x';
  CHECK(make_bundle(files).problem.find("3145729 bytes") != std::string::npos);
}

TEST_CASE("the embedded files make a bundle, and the version names it") {
  auto files = embedded_files();
  CHECK(files.empty() == embedded_name().empty());
  if (files.empty()) {
    MESSAGE("this build has no pages");
    return;
  }
  auto const made = make_bundle(std::move(files));
  CHECK(made.problem == "");
  REQUIRE(made.bundle);
  CHECK(made.bundle->name() == embedded_name());
}

}  // namespace
}  // namespace svc::site
