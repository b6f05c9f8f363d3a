// Checks of the settings of a page.
#include "svc/domain/pages/inputs.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc::pages;

TEST_CASE("slugs have letters, digits and hyphens inside, and no reserved word or UUID") {
  for (std::string const good : {"abc", "a-1", "acme", "0x0", "a--b", "acme-status"}) {
    CAPTURE(good);
    CHECK_FALSE(slug_problem(good));
  }
  CHECK_FALSE(slug_problem(std::string(63, 'a')));
  CHECK(slug_problem(std::string(64, 'a')));
  for (std::string const bad : {"", "ab", "-ab", "ab-", "Abc", "a_b", "a.b", "ä-b", "a b", "api", "app", "admin",
                                "login", "status", "www", "0192a0b0-0000-7000-8000-000000000001"}) {
    CAPTURE(bad);
    CHECK(slug_problem(bad));
  }
}

TEST_CASE("colours have six hexadecimal digits") {
  CHECK_FALSE(colour_problem("#0d6e63"));
  CHECK_FALSE(colour_problem("#0D6E63"));
  for (std::string const bad : {"", "#fff", "0d6e63", "#0d6e6g", "#0d6e6300", "#0d6e63\"", "red"})
    CHECK(colour_problem(bad));
}

TEST_CASE("support addresses are https URLs with a host") {
  for (std::string const good : {"https://a.example", "https://a.example:8443/b?c=d#e", "https://[::1]/"})
    CHECK_FALSE(support_url_problem(good));
  for (std::string const bad :
       {"", "http://a.example", "https://", "https:///a", "https://:80", "https://u:p@a.example", "https://a b",
        "https://a\"b", "javascript:alert(1)", "https://a\n", "https://ä.example", "https://?a"}) {
    CAPTURE(bad);
    CHECK(support_url_problem(bad));
  }
  CHECK_FALSE(support_url_problem("https://" + std::string(2040, 'a')));
  CHECK(support_url_problem("https://" + std::string(2041, 'a')));
}

TEST_CASE("restricted pages have one to 24 ranges") {
  CHECK_FALSE(cidrs_problem(std::vector<std::string>{"10.0.0.0/8", "2001:db8::/32"}));
  CHECK_FALSE(cidrs_problem(std::vector<std::string>(24, "10.0.0.0/8")));
  CHECK(cidrs_problem(std::vector<std::string>(25, "10.0.0.0/8")));
  CHECK(cidrs_problem(std::vector<std::string>{}));
  CHECK(cidrs_problem(std::vector<std::string>{"10.0.0.0"}));
  CHECK(cidrs_problem(std::vector<std::string>{"10.0.0.0/33"}));
}

TEST_CASE("domains of pages are names of others, not addresses and not the service's own") {
  CHECK(page_domain("Status.Acme.Example.", "svc.example") == "status.acme.example");
  CHECK(page_domain("xn--bcher-kva.example", "svc.example") == "xn--bcher-kva.example");
  CHECK(page_domain("notsvc.example", "svc.example") == "notsvc.example");
  for (std::string const bad : {"", ".", "localhost", "svc.example", "SVC.example.", "a.svc.example", "10.0.0.1",
                                "1.0x7f", "a.0", "[::1]", "a..b", "-a.example", "a-.example", "a_b.example",
                                "ä.example", "a.example/b", "a.example:80", "a b.example"}) {
    CAPTURE(bad);
    CHECK_FALSE(page_domain(bad, "svc.example"));
  }
  CHECK_FALSE(page_domain(std::string(64, 'a') + ".example", "svc.example"));
  std::string long_name = "example";
  while (long_name.size() < 254) long_name.insert(0, "a.");
  CHECK_FALSE(page_domain(long_name, "svc.example"));
  CHECK(domain_record("a.example") == "_svc-verify.a.example");
}

TEST_CASE("logos are known by their first bytes and bounded in size") {
  using namespace std::string_literals;
  CHECK(logo_type("\x89PNG\r\n\x1A\n rest"s) == "image/png");
  CHECK(logo_type("\xFF\xD8\xFF\xE0 rest"s) == "image/jpeg");
  CHECK(logo_type("RIFF\x10\0\0\0WEBPVP8 "s) == "image/webp");
  for (auto const& bad : {""s, "\x89PNG"s, "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"s, "GIF89a"s,
                          "RIFF\x10\0\0\0WAVE"s, "RIFF"s, " \x89PNG\r\n\x1A\n"s})
    CHECK_FALSE(logo_type(bad));
  std::string picture = "\xFF\xD8\xFF";
  picture.resize(most_logo_bytes);
  CHECK(logo_type(picture));
  picture += 'a';
  CHECK_FALSE(logo_type(picture));
}

TEST_CASE("forms are decoded by the rules of browsers") {
  CHECK(form_value("email=a%40b.example", "email") == "a@b.example");
  CHECK(form_value("x=1&email=a+b%2B&email=c", "email") == "a b+");
  CHECK(form_value("List-Unsubscribe=One-Click", "List-Unsubscribe") == "One-Click");
  CHECK(form_value("email", "email") == "");
  CHECK(form_value("&&email=&", "email") == "");
  for (std::string const bad : {"", "mail=a", "email=%", "email=%4", "email=%zz", "email=%FF"}) {
    CAPTURE(bad);
    CHECK_FALSE(form_value(bad, "email"));
  }
}
