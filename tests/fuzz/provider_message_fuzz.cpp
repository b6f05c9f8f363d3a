// Any text as name, address, cause and custom message: each provider's request is JSON or a mail within its limit.
#include "check.hpp"
#include "svc/core/utf8.hpp"
#include "svc/notify/request.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

using namespace svc;
using namespace svc::notify;

namespace {

constexpr timestamp noon{1'795'000'000'000'000};

message telling(std::string_view text, unsigned count, std::uint8_t choice) {
  message out{.project = {.slug = "acme", .name = std::string(text)}};
  for (unsigned i = 0; i < count; ++i) {
    alert one;
    one.type = static_cast<alert_type>((choice + i) % alert_type_count);
    one.ended = (choice & 16U) != 0;
    one.about.name = one.about.address = one.custom_message = text;
    one.outage = outage_facts{.started_at = noon, .end_reason = std::string(text)};
    one.result = result_facts{.code = std::string(text), .message = std::string(text), .location = std::string(text)};
    out.alerts.push_back(std::move(one));
  }
  return out;
}

void check_post(http_post const& post, std::size_t most) {
  boost::json::error_code failed;
  boost::json::parse(post.body, failed);
  check(!failed, "the body is JSON");
  check(is_utf8(post.body), "and UTF-8");
  check(post.body.size() <= most, "within its limit");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto const text = text_of(data + 1, size - 1);
  auto const of = telling(text, data[0] % 3U == 0 ? 60 : data[0] % 3U, data[0] / 4U);
  text_settings const how{.mail_from = "Svc <svc@example.com>"};
  provider_config const all[] = {slack_config{"https://a.example/"},
                                 discord_config{"https://a.example/"},
                                 telegram_config{.bot_token = std::string(text), .chat_id = "1"},
                                 teams_config{"https://a.example/"},
                                 pagerduty_config{.routing_key = "R"},
                                 webhook_config{.url = "https://a.example/"}};
  for (auto const& to : all) {
    bool const teams = type_of(to) == provider_type::teams;
    for (auto const& post : make_posts(to, of, how, noon)) check_post(post, std::size_t{teams ? 24U : 64U} * 1024);
  }
  auto const mail = make_mail("a@example.com", of, how, noon).content;
  check(mail.size() <= std::size_t{256} * 1024, "a mail within its limit");
  check(std::ranges::all_of(mail, [](char c) { return (c >= 0x20 && c < 0x7F) || c == '\r' || c == '\n'; }),
        "in ASCII");
  check(mail.find("\r\n.\r\n") == std::string::npos, "that nothing in it ends");
  return 0;
}
