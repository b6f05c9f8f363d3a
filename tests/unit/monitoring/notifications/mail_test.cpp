#include "monitoring/notifications/mime.hpp"
#include "unit/monitoring/notifications/messages.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

using namespace svc;
using namespace svc::notifications;

namespace {

std::string head_of(std::string const& mail) {
  return mail.substr(0, mail.find("\r\n\r\n") + 2);
}

}  // namespace

TEST_CASE("addresses that mail is sent to, and those that cannot be written to a server") {
  for (auto const good : {"ops@example.org", "a.b+c@x", "o'neil@example.co.uk", "x_y@a-b.example"}) {
    CAPTURE(good);
    CHECK(is_mail_address(good));
  }
  for (std::string const bad : {"",
                                "@",
                                "a@",
                                "@b",
                                "a b@x",
                                "a@b@c",
                                "a>@x",
                                "<a@x>",
                                "a@x>",
                                "\"a\"@x",
                                "a@x\r\nRCPT TO:<b@x>",
                                ".a@x",
                                "a.@x",
                                "a..b@x",
                                "ä@x",
                                "a@ö.example",
                                "a@x_y",
                                "a@-x",
                                "a@x.",
                                "a@b..c",
                                "a,b@x",
                                "a\\b@x"}) {
    CAPTURE(bad);
    CHECK_FALSE(is_mail_address(bad));
  }
  CHECK(is_mail_address(std::string(64, 'a') + "@x"));
  CHECK_FALSE(is_mail_address(std::string(65, 'a') + "@x"));
}

TEST_CASE("smtp.from: an address, or a name with one") {
  struct {
    std::string_view text, name, address;
  } const table[] = {{"a@x", "", "a@x"},
                     {" Alerts <a@x> ", "Alerts", "a@x"},
                     {"\"Acme, Inc.\" <a@x>", "Acme, Inc.", "a@x"},
                     {"<a@x>", "", "a@x"},
                     {"Wächter <a@x>", "Wächter", "a@x"}};
  for (auto const& row : table) {
    CAPTURE(row.text);
    auto const box = parse_mailbox(row.text);
    REQUIRE(box.has_value());
    CHECK(box->name == row.name);
    CHECK(box->address == row.address);
  }
  for (auto const bad :
       {"", "a", "a@x>", "A <a@x", "A\r\nBcc: <a@x>", "A <<a@x>", "A \"b <a@x>", "A <b>", "\xff <a@x>"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_mailbox(bad).has_value());
  }
  CHECK(address_of_sender("Wächter <a@x>").value() == "a@x");
}

TEST_CASE("encoded words: whole characters, 75 characters each at most, and nothing that only looks like one") {
  CHECK(encoded_words("[DOWN] shop") == "[DOWN] shop");
  CHECK(encoded_words("Zürich") == "=?UTF-8?B?WsO8cmljaA==?=");
  CHECK(encoded_words("=?UTF-8?Q?x?=").starts_with("=?UTF-8?B?"));
  std::string text;
  for (int i = 0; i < 60; ++i) text += "😀";
  auto const out = encoded_words(text);
  std::istringstream lines(out);
  std::string decoded;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.starts_with(' ')) line.erase(0, 1);
    CHECK(line.size() <= 75);
    auto const part = from_base64(line.substr(10, line.size() - 12));
    REQUIRE(part);
    CHECK(part->size() % 4 == 0);
    decoded += as_text(*part);
  }
  CHECK(decoded == text);
}

TEST_CASE("quoted-printable (RFC 2045 6.7)") {
  struct {
    std::string_view text, wanted;
  } const table[] = {
      {"a=b", "a=3Db"},  {"ü", "=C3=BC"}, {"a \nb", "a=20\r\nb"}, {"a b ", "a b=20"}, {".\n..a", "=2E\r\n=2E.a"},
      {"a\tb", "a=09b"}, {"", ""},
  };
  for (auto const& row : table) {
    CAPTURE(row.text);
    CHECK(quoted_printable(row.text) == row.wanted);
  }
  auto const folded = quoted_printable(std::string(200, 'x') + std::string(200, '=') + "\n" + std::string(300, '.'));
  std::istringstream lines(folded);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 77);
    CHECK_FALSE(line.starts_with('.'));
  }
}

TEST_CASE("a mail: ids, thread, both parts, ASCII lines of a length that SMTP takes, no field from a name") {
  auto alert = failure_of_monitor(1, hostile_name);
  alert.custom_message = hostile_name;
  auto const message = message_of({alert});
  auto const mail = make_mail("ops@example.org", message, with_link, ten_o_clock);
  CHECK(mail.recipient == "ops@example.org");
  auto const head = head_of(mail.content);
  CHECK(holds(head, "From: =?UTF-8?B?V8OkY2h0ZXI=?=\r\n <alerts@svc.example>\r\n"));
  CHECK(holds(head, "\r\nTo: ops@example.org\r\n"));
  CHECK(holds(head, "\r\nDate: Wed, 18 Nov 2026 11:06:40 +0000\r\n"));
  CHECK(holds(head, "\r\nMessage-ID: <" + message.id.to_string() + "@svc.example>\r\n"));
  CHECK(holds(head, "\r\nReferences: <thread." + alert.thread.to_string() + "@svc.example>\r\n"));
  CHECK(holds(head, "\r\nAuto-Submitted: auto-generated\r\n"));
  CHECK_FALSE(holds(head, "Bcc:"));
  CHECK(holds(mail.content, "Content-Type: text/plain; charset=utf-8\r\n"));
  CHECK(holds(mail.content, "Content-Type: text/html; charset=utf-8\r\n"));
  CHECK(std::ranges::all_of(mail.content, [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\r' || c == '\n'; }));
  for (std::size_t position = 0, end = 0; end != std::string::npos; position = end + 2) {
    end = mail.content.find("\r\n", position);
    auto const line = mail.content.substr(position, end - position);
    CHECK(line.size() <= 100);
    CHECK(line.find('\n') == std::string::npos);
    CHECK_FALSE(line.starts_with('.'));
  }
  auto const html = mail.content.substr(mail.content.find("text/html"));
  CHECK_FALSE(holds(html, "<!channel>"));
  CHECK_FALSE(holds(html, "<a href=3D\"https://evil"));
  CHECK(holds(html, "&lt;!channel&gt;"));
}

TEST_CASE("mails of one outage are a thread, a digest of several is not") {
  auto const failure = failure_of_monitor(1);
  auto const head = [](message const& message) {
    return head_of(make_mail("a@x", message, with_link, ten_o_clock).content);
  };
  auto const thread = "References: <thread." + failure.thread.to_string();
  CHECK(holds(head(message_of({failure})), thread));
  CHECK(holds(head(message_of({recovery_of(failure, std::chrono::seconds(9))})), thread));
  CHECK(holds(head(message_of({recovery_of(failure, std::chrono::seconds(9))})), "Subject: [UP] shop\r\n"));
  CHECK_FALSE(holds(head(storm(2)), "References:"));
}

TEST_CASE("a mail is at most 256 KiB") {
  auto big = storm(3000, std::string(255, '='));
  for (auto& alert : big.alerts) alert.result->message = std::string(100'000, '=');
  CHECK(make_mail("a@x", big, with_link, ten_o_clock).content.size() <= 256 * 1024);
}
