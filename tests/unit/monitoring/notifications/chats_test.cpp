#include "monitoring/notifications/text.hpp"
#include "unit/monitoring/notifications/messages.hpp"

#include <doctest/doctest.h>

#include <boost/json/serialize.hpp>

#include <algorithm>

using namespace svc;
using namespace svc::notifications;

namespace {

provider_config const slack = slack_config{.webhook_url = "https://hooks.example/s", .channel = "#alerts"};
provider_config const discord = discord_config{.webhook_url = "https://discord.example/d"};
provider_config const telegram = telegram_config{.bot_token = "12:ab/../c", .chat_id = "-100", .thread_id = 7};
provider_config const teams = teams_config{.webhook_url = "https://teams.example/t"};
provider_config const ntfy =
    ntfy_config{.server = "https://ntfy.example", .topic = "t", .token = secret_string("tk_a")};
provider_config const pagerduty = pagerduty_config{.routing_key = "R0", .eu = true, .severity = "error"};

std::string string_at(boost::json::value const& value, std::string_view pointer) {
  return std::string(value.at_pointer(pointer).as_string());
}

message hostile() {
  auto alert = failure_of_monitor(1, hostile_name);
  alert.custom_message = hostile_name;
  alert.result->message = hostile_name;
  alert.about.address = "https://shop.example/?" + hostile_name;
  return message_of({alert});
}

}  // namespace

TEST_CASE("slack: plain text in blocks, escaped, one link, nothing of a name is a mention") {
  auto const post = one_post(slack, hostile());
  CHECK(post.method == "POST");
  CHECK(post.url == "https://hooks.example/s");
  auto const body = body_of(post);
  CHECK(string_at(body, "/channel") == "#alerts");
  CHECK(body.at("mrkdwn") == boost::json::value(false));
  CHECK(body.at("link_names") == boost::json::value(false));
  CHECK_FALSE(holds(string_at(body, "/text"), "<"));
  auto const& blocks = body.at("blocks").as_array();
  CHECK(string_at(body, "/blocks/0/type") == "header");
  for (std::size_t i = 0; i + 1 < blocks.size(); ++i) {
    auto const text = string_at(blocks[i], "/text/text");
    CHECK(string_at(blocks[i], "/text/type") == "plain_text");
    CHECK_FALSE(holds(text, "<"));
    CHECK_FALSE(holds(text, ">"));
  }
  CHECK(holds(string_at(blocks[1], "/text/text"), "&lt;!channel&gt; @everyone"));
  CHECK(string_at(blocks[blocks.size() - 1], "/text/text") ==
        "<https://dash.example/monitors/" + id_of(2).to_string() + "?a=1&amp;b=2|Open>");
}

TEST_CASE("discord: an embed without mentions, each mark of a name escaped") {
  auto const post = one_post(discord, hostile());
  CHECK(post.url == "https://discord.example/d?wait=true");
  CHECK(one_post(discord_config{.webhook_url = "https://d.example/?thread_id=1"}, hostile()).url ==
        "https://d.example/?thread_id=1&wait=true");
  auto const body = body_of(post);
  CHECK(body.at_pointer("/allowed_mentions/parse").as_array().empty());
  CHECK_FALSE(body.as_object().contains("content"));
  for (auto const pointer : {"/embeds/0/title", "/embeds/0/description"}) {
    auto const text = string_at(body, pointer);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\\') {
        ++i;
        continue;
      }
      CHECK_FALSE(holds("*_~`|<>@#[]():{}!&", std::string_view(text).substr(i, 1)));
    }
    CHECK(holds(text, "\\<\\!channel\\> \\@everyone"));
  }
  CHECK(holds(string_at(body, "/embeds/0/url"), "https://dash.example/monitors/"));
}

TEST_CASE("telegram: HTML in which names are code, where nothing becomes a mention or a link") {
  auto const post = one_post(telegram, hostile());
  CHECK(post.url == "https://api.telegram.org/bot12:ab%2F..%2Fc/sendMessage");
  auto const body = body_of(post);
  CHECK(string_at(body, "/chat_id") == "-100");
  CHECK(body.at("message_thread_id") == boost::json::value(7));
  CHECK(string_at(body, "/parse_mode") == "HTML");
  CHECK(body.at_pointer("/link_preview_options/is_disabled") == boost::json::value(true));
  auto text = string_at(body, "/text");
  for (std::string_view const tag : {"<b><code>", "</code></b>\n<code>", "</code>\n<a href=\"", "\">Open</a>"}) {
    auto const sv = text.find(tag);
    REQUIRE(sv != std::string::npos);
    text.erase(sv, tag.size());
  }
  CHECK_FALSE(holds(text, "<"));
  CHECK_FALSE(holds(text, ">"));
  CHECK_FALSE(holds(text, "\""));
  CHECK(holds(text, "&lt;!channel&gt; @everyone"));
}

TEST_CASE("teams: an adaptive card whose texts know no Markdown") {
  auto const body = body_of(one_post(teams, hostile()));
  CHECK(string_at(body, "/type") == "message");
  CHECK(string_at(body, "/attachments/0/contentType") == "application/vnd.microsoft.card.adaptive");
  auto const& card = body.at_pointer("/attachments/0/content");
  CHECK(string_at(card, "/version") == "1.4");
  for (auto const& block : card.at("body").as_array()) {
    CHECK(string_at(block, "/type") == "RichTextBlock");
    CHECK(string_at(block, "/inlines/0/type") == "TextRun");
  }
  CHECK(holds(string_at(card, "/body/0/inlines/0/text"), "<!channel> @everyone"));
  CHECK_FALSE(card.as_object().at("msteams").as_object().contains("entities"));
  CHECK(string_at(card, "/actions/0/type") == "Action.OpenUrl");
  CHECK_FALSE(
      body_of(one_post(teams, hostile(), {})).at_pointer("/attachments/0/content").as_object().contains("actions"));
}

TEST_CASE("pagerduty: one incident for an outage, triggered, acknowledged and resolved") {
  auto const failure = failure_of_monitor(1);
  auto seen = failure;
  seen.type = alert_type::outage_acknowledged;
  auto const posts = make_posts(
      pagerduty, message_of({failure, seen, recovery_of(failure, std::chrono::seconds(60))}), with_link, ten_o_clock);
  REQUIRE(posts.size() == 3);
  std::string const wanted[] = {"trigger", "acknowledge", "resolve"};
  for (std::size_t i = 0; i < posts.size(); ++i) {
    auto const body = body_of(posts[i]);
    CHECK(posts[i].url == "https://events.eu.pagerduty.com/v2/enqueue");
    CHECK(string_at(body, "/routing_key") == "R0");
    CHECK(string_at(body, "/event_action") == wanted[i]);
    CHECK(string_at(body, "/dedup_key") == failure.outage->id.to_string());
    CHECK(string_at(body, "/links/0/href").starts_with("https://dash.example/"));
  }
  CHECK(string_at(body_of(posts[0]), "/payload/severity") == "error");
  CHECK(string_at(body_of(posts[2]), "/payload/severity") == "info");
  CHECK(one_post(pagerduty_config{.routing_key = "R"}, message_of({failure})).url ==
        "https://events.pagerduty.com/v2/enqueue");
}

TEST_CASE("pagerduty: a certificate's incident is that of its fingerprint, and a test leaves none") {
  auto alert = failure_of_monitor(1);
  alert.type = alert_type::ssl_expiring;
  alert.certificate = certificate_facts{.fingerprint = "abcd", .days_remaining = 3};
  CHECK(string_at(body_of(one_post(pagerduty, message_of({alert}))), "/dedup_key") ==
        alert.thread.to_string() + "/abcd");

  auto test = message_of({test_alert(id_of(7), ten_o_clock)});
  test.test = true;
  auto const posts = make_posts(pagerduty, test, with_link, ten_o_clock);
  REQUIRE(posts.size() == 2);
  CHECK(string_at(body_of(posts[0]), "/payload/severity") == "info");
  CHECK(string_at(body_of(posts[0]), "/event_action") == "trigger");
  CHECK(string_at(body_of(posts[1]), "/event_action") == "resolve");
  CHECK(string_at(body_of(posts[0]), "/dedup_key") == string_at(body_of(posts[1]), "/dedup_key"));
}

TEST_CASE("ntfy: plain text with title, priority, tag and link, and the token as bearer") {
  auto const post = one_post(ntfy, hostile());
  CHECK(post.method == "POST");
  CHECK(post.url == "https://ntfy.example/");
  REQUIRE(post.fields.size() == 2);
  CHECK(post.fields[0].value == "application/json");
  CHECK(post.fields[1].name == "Authorization");
  CHECK(post.fields[1].value == "Bearer tk_a");
  auto const body = body_of(post);
  CHECK(string_at(body, "/topic") == "t");
  CHECK(string_at(body, "/title").starts_with("[DOWN] <!channel> @everyone"));
  CHECK_FALSE(holds(string_at(body, "/title"), "\n"));
  CHECK(holds(string_at(body, "/message"), "*b* _i_"));
  CHECK(string_at(body, "/click") == "https://dash.example/monitors/" + id_of(2).to_string() + "?a=1&b=2");
  // Without it a client shows the text as it is.
  CHECK_FALSE(body.as_object().contains("markdown"));

  ntfy_config const bare{.server = "https://host.example/ntfy/", .topic = "t"};
  auto const plain = one_post(bare, message_of({failure_of_monitor(1)}), {});
  CHECK(plain.url == "https://host.example/ntfy/");
  CHECK(plain.fields.size() == 1);
  CHECK_FALSE(body_of(plain).as_object().contains("click"));
}

TEST_CASE("ntfy: only failures have the configured priority, and nothing else is louder than usual") {
  auto const failure = failure_of_monitor(1);
  auto degraded = failure;
  degraded.type = alert_type::monitor_degraded;
  auto over = degraded;
  over.ended = true;
  auto const recovery = recovery_of(failure_of_monitor(20), std::chrono::seconds(60));
  auto const late = recovery_of(failure, std::chrono::seconds(60));
  struct {
    char const* name;
    message notification;
    std::int64_t configured, priority;
    char const* tag;
  } const table[] = {
      {"a failure", message_of({failure}), 5, 5, "rotating_light"},
      {"a failure that is to be quiet", message_of({failure}), 1, 1, "rotating_light"},
      {"slow", message_of({degraded}), 5, 3, "warning"},
      {"slow, to be quiet", message_of({degraded}), 2, 2, "warning"},
      {"no longer slow", message_of({over}), 5, 3, "white_check_mark"},
      {"a recovery", message_of({recovery}), 5, 3, "white_check_mark"},
      {"a failure that has ended", message_of({failure, late}), 5, 3, "white_check_mark"},
      {"a failure and a recovery of another monitor", message_of({recovery, failure}), 5, 5, "rotating_light"},
  };
  for (auto const& row : table) {
    CAPTURE(row.name);
    ntfy_config const config{.server = "https://ntfy.example", .topic = "t", .priority = row.configured};
    auto const body = body_of(one_post(config, row.notification));
    CHECK(body.at("priority") == boost::json::value(row.priority));
    CHECK(string_at(body, "/tags/0") == row.tag);
  }
}

TEST_CASE("each chat's limits hold for the longest texts and the largest storm") {
  std::string long_name;
  for (int i = 0; i < 255; ++i) long_name += i % 2 == 0 ? "<" : "😀";
  auto alert = failure_of_monitor(1, long_name);
  alert.result->message = std::string(100'000, '<');
  alert.custom_message = std::string(100'000, '*');
  alert.about.address = "https://shop.example/" + std::string(5000, '&');
  for (auto const& message : {message_of({alert}), storm(3000, long_name)}) {
    auto const in_slack = body_of(one_post(slack, message));
    std::size_t all = 0;
    for (auto const& block : in_slack.at("blocks").as_array()) {
      auto const size = units_of(string_at(block, "/text/text"));
      CHECK(size <= (string_at(block, "/type") == "header" ? 150 : 3000));
      all += size;
    }
    CHECK(all <= 12'000);
    CHECK(all > 2'000);
    CHECK(in_slack.at("blocks").as_array().size() <= 50);

    auto const in_discord = body_of(one_post(discord, message));
    CHECK(units_of(string_at(in_discord, "/embeds/0/title")) <= 256);
    CHECK(units_of(string_at(in_discord, "/embeds/0/description")) <= 4096);
    CHECK(units_of(string_at(in_discord, "/embeds/0/title") + string_at(in_discord, "/embeds/0/description")) <=
          6000);

    auto const in_telegram = string_at(body_of(one_post(telegram, message)), "/text");
    CHECK(units_of(in_telegram) <= 4096 + 60);  // with its tags, which are not counted
    CHECK(units_of(in_telegram) > 2'000);

    auto const in_teams = one_post(teams, message);
    CHECK(in_teams.body.size() <= 24 * 1024);
    CHECK(in_teams.body.size() > 4'000);

    CHECK(units_of(string_at(body_of(one_post(pagerduty, message)), "/payload/summary")) <= 1024);

    auto const in_ntfy = one_post(ntfy, message);
    CHECK(in_ntfy.body.size() <= 8192);
    CHECK(string_at(body_of(in_ntfy), "/message").size() <= 4096);
    CHECK(string_at(body_of(in_ntfy), "/message").size() > 2'000);
    CHECK(units_of(string_at(body_of(in_ntfy), "/title")) <= 250);
  }
  // Each of these characters takes two bytes of JSON.
  alert.custom_message = std::string(100'000, '"');
  CHECK(one_post(ntfy, message_of({alert})).body.size() <= 8192);
  auto const lines = string_at(body_of(one_post(telegram, storm(3000))), "/text");
  CHECK(holds(lines, "[DOWN] 3000 in Acme"));
  CHECK(holds(lines, " more</code>"));
}
