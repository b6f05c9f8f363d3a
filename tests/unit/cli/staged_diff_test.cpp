#include "cli/commands/staged_diff.hpp"

#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

using namespace svc::cli;

namespace {

std::string staged_tokens(std::string_view diff, std::size_t piece = 0) {
  staged_diff reader;
  if (piece == 0) piece = diff.size() + 1;
  for (std::size_t position = 0; position < diff.size(); position += piece) reader.feed(diff.substr(position, piece));
  std::string out;
  for (auto const& each : reader.finish())
    out += each.file + ":" + std::to_string(each.token.line) + ":" + std::to_string(each.token.column) + "\n";
  return out;
}

}  // namespace

TEST_CASE("names in a diff") {
  struct {
    char const *header, *file;
  } const rows[] = {
      {"b/src/main.cpp", "src/main.cpp"},
      {"b/with space\t", "with space"},
      {"b/ümlaut", "ümlaut"},
      {"\"b/a\\\"b\\\\c\"", "a\"b\\c"},
      {"\"b/a\\tb\\nc\"", "a\tb\nc"},
      {"\"b/\\303\\274\"", "ü"},
      {"\"b/cut\\", "cut\\"},
      {"\"b/cut\\30", "cut30"},
      {"/dev/null", "/dev/null"},
      {"", ""},
  };
  for (auto const& row : rows) CHECK(file_of_header(row.header) == row.file);
}

TEST_CASE("tokens are found in the added lines of a diff, with the lines of the new file") {
  std::string const token(svc::mint_token(svc::token_kind::cli).key.reveal());
  auto const diff =
      "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n"
      "@@ -3,2 +3 @@ near " +
      token + "\n-" + token + "\n-old\n+new " + token +
      "\n"
      "@@ -9,0 +9,3 @@\n+one\n+++ b/imitated\n+" +
      token + "\n@@ -20,0 +23 @@\n+" + token +
      "\n"
      "diff --git a/y y b/y y\nnew file mode 100644\n--- /dev/null\n+++ b/y y\t\n"
      "@@ -0,0 +1 @@\n+token=" +
      token +
      "\n\\ No newline at end of file\n"
      "diff --git a/z b/z\nBinary files a/z and b/z differ\n"
      "diff --git a/w b/w\n--- a/w\n+++ b/w\n@@ -1 +1,2 @@\n context\n+" +
      token + "\n";
  auto const expected = "x:3:5\nx:11:1\nx:23:1\ny y:1:7\nw:2:1\n";
  CHECK(staged_tokens(diff) == expected);
  for (std::size_t const piece : {1, 2, 7, 64}) CHECK(staged_tokens(diff, piece) == expected);
  // The last line may lack its end.
  CHECK(staged_tokens("+++ b/x\n@@ -0,0 +1 @@\n+" + token) == "x:1:1\n");
}

TEST_CASE("a text that is not a diff has no added lines") {
  for (char const* const text :
       {"", "\n\n", "@@", "@@ -1 +1 @@", "@@ -x +y @@\n+a", "@@ -1,99999999999999999999 +1,-1 @@\n+", "+++ ",
        "@@ -0,0 +18446744073709551615,18446744073709551615 @@\n+a\n"})
    CHECK(staged_tokens(text).empty());
}
