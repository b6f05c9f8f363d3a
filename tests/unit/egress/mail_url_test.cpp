#include "svc/egress/mail/mail_client.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc;
using namespace svc::egress;

TEST_CASE("smtp.url") {
  struct {
    std::string_view text;
    bool secure;
    std::string_view host;
    std::uint16_t port;
    mail_tls usual;
  } const table[] = {
      {"smtp://mail.example.com", false, "mail.example.com", 587, mail_tls::required},
      {"smtps://mail.example.com", true, "mail.example.com", 465, mail_tls::required},
      {"SMTP://mail.example.com:25", false, "mail.example.com", 25, mail_tls::required},
      {"smtp://10.0.0.1:2525", false, "10.0.0.1", 2525, mail_tls::required},
      {"smtp://[fd00::1]", false, "fd00::1", 587, mail_tls::required},
      {"smtp://[::1]:25", false, "::1", 25, mail_tls::off},
      {"smtp://127.0.0.9", false, "127.0.0.9", 587, mail_tls::off},
      {"smtp://localhost:25", false, "localhost", 25, mail_tls::off},
  };
  for (auto const& row : table) {
    CAPTURE(row.text);
    auto const read = parse_mail_url(row.text);
    REQUIRE(read.has_value());
    CHECK(read->secure == row.secure);
    CHECK(read->host.name == row.host);
    CHECK(read->port == row.port);
    CHECK(usual_tls(*read) == row.usual);
  }
  for (std::string const bad :
       {"", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://a:0", "smtp://a:65536", "smtp://a:x",
        "smtp://u:p@a", "smtp://a/path", "smtp://a b", "smtp://0x7f.1", "smtp:a"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_mail_url(bad).has_value());
  }
}
