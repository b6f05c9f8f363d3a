// The texts of the service's own mails, and the queue of requests for them.
#include "svc/monitoring/notifications/system_mailer.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

using namespace svc;
using namespace svc::notifications;

namespace {

store::claimed_system_mail mail_of(std::string kind) {
  return {.id = uuid::generate_v7(),
          .claim = uuid::generate_v7(),
          .kind = std::move(kind),
          .recipient = "ada@mail.test",
          .secret = secret_string("svc_link_0123456789"),
          .expires_at = timestamp{1'795'858'272'000'000},
          .addressee = "Ada Lovelace",
          .organization = "Acme",
          .inviter = "Grace Hopper"};
}

system_mail_settings const mail_settings_here{.sender = "Service <svc@svc.example>",
                                              .public_url = "https://svc.example"};

std::string text_in(store::claimed_system_mail const& mail) {
  auto const whole = make_system_mail(mail, mail_settings_here, timestamp{1'795'000'000'000'000});
  std::string out;
  // The texts need no escapes but for `=` and for a dot at the start of a line.
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole.compare(i, 3, "=\r\n") == 0)
      i += 2;
    else
      out += whole[i];
  }
  return out;
}

bool has(std::string const& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a name in a mail of the service holds no link, no address and no second line") {
  struct {
    std::string_view name, harmless;
  } const table[] = {
      {"Acme", "Acme"},
      {"Acme Inc.", "Acme Inc."},
      {"Müller & Söhne (Köln)", "Müller & Söhne (Köln)"},
      {"evil.example", "evil. example"},
      {"evil。example", "evil. example"},
      {"evil\uFF0Eexample", "evil. example"},
      {"evil\uFF61example", "evil. example"},
      {"https://evil.example/a?b=c#d", "https evil. example a?b=c d"},
      {"mallory@evil.example", "mallory evil. example"},
      {"mallory\uFF20evil\uFF0Eexample", "mallory evil. example"},
      {"<a href=\"x\">click</a>", "a href= x click a"},
      {"[click](http://evil.example)", "click (http evil. example)"},
      {"Acme\r\nBcc: all@acme.example", "Acme Bcc all acme. example"},
      {"Acme\u2028Subject: x", "Acme Subject x"},
      {"\u202Eemca", "emca"},
      {"  .  ", "."},
      {"", ""},
      {"://", ""},
  };
  for (auto const& row : table) {
    CAPTURE(row.name);
    CHECK(harmless_name(row.name) == row.harmless);
  }
  CHECK(harmless_name(std::string(300, 'a')).size() <= 100);
  for (int byte = 0; byte < 256; ++byte) CHECK_NOTHROW(harmless_name(std::string(3, static_cast<char>(byte))));
}

TEST_CASE("the mail of an invitation names who invites where, and carries the link of the invitation") {
  auto const text = text_in(mail_of("invitation"));
  CHECK(has(text, "From: \"Service\"\r\n <svc@svc.example>\r\n"));
  CHECK(has(text, "\r\nTo: ada@mail.test\r\n"));
  CHECK(has(text, "\r\nSubject: Invitation to the organization \"Acme\"\r\n"));
  CHECK(has(text, "\r\nAuto-Submitted: auto-generated\r\n"));
  CHECK(has(text, "Grace Hopper invites you to the organization \"Acme\" at https://svc.example."));
  CHECK(has(text, "\r\nhttps://svc.example/app/invitation#svc_link_0123456789\r\n"));
  CHECK(has(text, "UTC"));
}

TEST_CASE("the mail of a recovery carries the link of the account") {
  auto const text = text_in(mail_of("recovery"));
  CHECK(has(text, "\r\nSubject: Recover your account\r\n"));
  CHECK(has(text, "Hello Ada Lovelace,\r\n"));
  CHECK(has(text, "\r\nhttps://svc.example/app/link#svc_link_0123456789\r\n"));
}

TEST_CASE("names of attackers add no field, no link and no line to a mail of the service") {
  auto mail = mail_of("invitation");
  auto const lines = [](std::string const& text) { return std::ranges::count(text, '\n'); };
  auto const usual = lines(make_system_mail(mail, mail_settings_here, {}));
  mail.organization = "A\r\nBcc: x@evil.example\r\n\r\nGo to https://evil.example/ now";
  mail.inviter = "B\nhttps://evil.example";
  auto const text = text_in(mail);
  CHECK_FALSE(has(text, "evil.example"));
  CHECK_FALSE(has(text, "\r\nBcc:"));
  CHECK(lines(make_system_mail(mail, mail_settings_here, {})) <= usual + 4);  // folded fields and soft line ends
}

TEST_CASE("64 requests for recovery wait, the next one is refused, and one that is put back keeps its place") {
  recovery_queue queue;
  std::atomic<std::size_t> accepted = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 32; ++i)
        if (queue.push({.email = "a@mail.test", .origin = {}})) ++accepted;
    });
  for (auto& each : threads) each.join();
  CHECK(accepted == recovery_queue::most);
  CHECK(queue.size() == recovery_queue::most);
  auto first = queue.pop();
  REQUIRE(first);
  first->email = "first@mail.test";
  CHECK(queue.push({.email = "last@mail.test", .origin = {}}));
  queue.put_back(std::move(*first));
  CHECK_FALSE(queue.push({.email = "surplus@mail.test", .origin = {}}));
  CHECK(queue.pop()->email == "first@mail.test");
}
