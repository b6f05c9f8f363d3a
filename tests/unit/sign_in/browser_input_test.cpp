#include "svc/sign_in/browser_input.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc::sign_in;

TEST_CASE("e-mail addresses have one spelling, and other texts are refused") {
  std::string const label(63, 'a'), local(64, 'l');
  struct {
    std::string text, normalised;
  } const rows[] = {
      {"ada@example.org", "ada@example.org"},
      {"Ada.Lovelace@Example.ORG", "ada.lovelace@example.org"},
      {" \t\r\nada@example.org\n ", "ada@example.org"},
      {"a@b", "a@b"},
      {"ada+ci@sub.example.org", "ada+ci@sub.example.org"},
      {"o'brien@example.org", "o'brien@example.org"},
      {"J\xC3\x96rg@b\xC3\xBC"
       "cher.example",
       "j\xC3\x96rg@b\xC3\xBC"
       "cher.example"},
      {local + "@example.org", local + "@example.org"},
      {local + "l@example.org", ""},
      {"a@" + label + ".org", "a@" + label + ".org"},
      {"a@" + label + "a.org", ""},
      {"a@" + label + "." + label + "." + label + "." + std::string(60, 'b'),
       "a@" + label + "." + label + "." + label + "." + std::string(60, 'b')},
      {"a@" + label + "." + label + "." + label + "." + std::string(61, 'b'), ""},
      {"", ""},
      // An override of direction, and a space that nobody sees.
      {"ada\xE2\x80\xAE@example.org", ""},
      {"ada@exam\xE2\x80\x8Bple.org", ""},
      {"ada", ""},
      {"@example.org", ""},
      {"ada@", ""},
      {"ada@@example.org", ""},
      {"ada@example..org", ""},
      {"ada@example.org.", ""},
      {"ada@.example.org", ""},
      {"ada@-example.org", ""},
      {"ada@exam_ple.org", ""},
      {"ada lovelace@example.org", ""},
      {"ada@example.org, eve@example.org", ""},
      {"Ada <ada@example.org>", ""},
      {"ada@[192.0.2.1]", ""},
      {std::string("a\0b@example.org", 15), ""},
      {"ada\xff@example.org", ""},
      {"\xE2\x84\xAA"
       "ate@example.org",
       ""},
      {"ada@\xC4\xB0.example", ""},
      {"ada@example.org\r\nBcc: eve@example.org", ""},
  };
  for (auto const& row : rows) {
    CAPTURE(row.text);
    CHECK(normalised_email(row.text).value_or("") == row.normalised);
  }
}

TEST_CASE("spellings of one address share a digest, and a text of a wrong form has one as well") {
  CHECK(email_digest("Ada@Example.org ") == email_digest("ada@example.org"));
  CHECK(email_digest("ada@example.org") != email_digest("ada@example.com"));
  CHECK(email_digest(" NOT an address") == email_digest("not an address"));
  CHECK(email_digest("") == svc::sha256(""));
  CHECK(domain_of("ada@example.org") == "example.org");
  CHECK(domain_of("none").empty());
}

TEST_CASE("a sign-in returns to pages of this service only") {
  struct {
    std::string path;
    bool allowed;
  } const rows[] = {
      {"/app/", true},
      {"/app/projects/1?tab=runs&q=%2F#top", true},
      {"/app/a.b/..c/...", true},
      {"/app/?next=../../x", true},
      {"/app/" + std::string(longest_return_path - 5, 'a'), true},
      {"/app/" + std::string(longest_return_path - 4, 'a'), false},
      {"", false},
      {"/", false},
      {"/app", false},
      {"app/", false},
      {"//app/", false},
      {"/application/", false},
      {"/APP/", false},
      {"https://evil.example/app/", false},
      {"/app//evil.example", false},
      {"/app/x?u=https://evil.example", false},
      {"/app/\\evil.example", false},
      {"/app/../dashboard/v1/sign-out", false},
      {"/app/..", false},
      {"/app/./x", false},
      {"/app/x/%2e%2E/%2e./y", false},
      {"/app/%2e", false},
      {"/app/\t/evil.example", false},
      {"/app/\n", false},
      {"/app/ x", false},
      {"/app/\xc3\xa4", false},
      {"/app/\x7f", false},
      {std::string("/app/\0", 6), false},
      {" /app/", false},
  };
  for (auto const& row : rows) {
    CAPTURE(row.path);
    CHECK(is_return_path(row.path) == row.allowed);
  }
}
