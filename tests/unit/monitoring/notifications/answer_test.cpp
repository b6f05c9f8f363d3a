#include "svc/monitoring/notifications/answer.hpp"
#include "svc/monitoring/notifications/schedule.hpp"

#include <doctest/doctest.h>

#include <ctime>
#include <set>

using namespace svc;
using namespace svc::notifications;
using namespace std::chrono_literals;

namespace {

using fields = std::vector<std::pair<std::string, std::string>>;
constexpr timestamp now{1'795'000'000'000'000};  // 2026-11-18 11:06:40

std::string padded(std::string text, std::size_t size) {
  text.resize(size, ' ');
  return text;
}

}  // namespace

TEST_CASE(
    "the sentence of a test names the status with which the provider refused, and none if it took the message") {
  CHECK(sentence_of(outcome{.state = fate::dead, .cause = reason::auth_failed, .status = 403}) ==
        "The provider did not accept the credentials, or needs some. It answered with status 403.");
  CHECK(sentence_of(outcome{.cause = reason::refused, .status = 500}) ==
        "The provider's answer was not the expected one. It answered with status 500.");
  CHECK(sentence_of(outcome{.cause = reason::timeout}) == "The provider did not answer in time.");
  CHECK(sentence_of(outcome{.state = fate::taken, .cause = reason::delivered, .status = 200}) ==
        "The message was delivered.");
}

TEST_CASE("the meaning of the documented answers of providers") {
  using enum provider_type;
  using enum reason;
  std::string const telegram_flood =
      R"({"ok":false,"error_code":429,"description":"Too Many Requests: retry after 31","parameters":{"retry_after":31}})";
  std::string const discord_limit = R"({"message":"You are being rate limited.","retry_after":64.57,"global":false})";
  std::string const teams_hidden =
      "Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429 with ContextId "
      "x.";
  struct {
    provider_type type;
    int status;
    fields head;
    std::string body;
    fate fate;
    reason reason;
    milliseconds pause = 0ms;
    bool gone = false;
  } const table[] = {
      {slack, 200, {}, "ok", fate::taken, delivered},
      {slack, 400, {}, "invalid_payload", fate::dead, rejected},
      {slack, 403, {}, "action_prohibited", fate::dead, auth_failed},
      {slack, 404, {}, "channel_not_found", fate::dead, refused},
      {slack, 410, {}, "channel_is_archived", fate::dead, refused, 0ms, true},
      {slack, 429, {{"retry-after", "30"}}, "", fate::retry, rate_limited, 30s},
      {slack, 429, {}, "", fate::retry, rate_limited},
      {slack, 500, {}, "rollup_error", fate::retry, refused},
      {discord, 200, {}, R"({"id":"1"})", fate::taken, delivered},
      {discord, 204, {}, "", fate::taken, delivered},
      {discord,
       200,
       {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset-after", "1.2345"}},
       "{}",
       fate::taken,
       delivered,
       1235ms},
      {discord,
       200,
       {{"x-ratelimit-remaining", "4"}, {"x-ratelimit-reset-after", "2"}},
       "{}",
       fate::taken,
       delivered},
      {discord, 429, {{"retry-after", "65"}}, discord_limit, fate::retry, rate_limited, 65s},
      {discord, 429, {}, discord_limit, fate::retry, rate_limited, 64'570ms},
      {discord, 429, {}, padded(discord_limit, 4096), fate::retry, rate_limited, 64'570ms},
      {discord, 429, {}, padded(discord_limit, 4097), fate::retry, rate_limited},
      {discord, 429, {}, R"({"a":[[[[[[[[]]]]]]]],"retry_after":1})", fate::retry, rate_limited},
      {discord, 404, {}, R"({"message":"Unknown Webhook","code":10015})", fate::dead, refused},
      {telegram, 200, {}, R"({"ok":true,"result":{}})", fate::taken, delivered},
      {telegram, 200, {}, R"({"ok":false})", fate::retry, refused},
      {telegram, 200, {}, "<html>", fate::retry, refused},
      {telegram, 200, {}, R"({"ok":true,"result":{"text":")" + std::string(5000, 'x'), fate::taken, delivered},
      {telegram, 200, {}, R"({"ok":false,"result":{"text":")" + std::string(5000, 'x'), fate::retry, refused},
      {telegram, 400, {}, R"({"ok":false,"description":"Bad Request: chat not found"})", fate::dead, rejected},
      {telegram, 401, {}, R"({"ok":false,"description":"Unauthorized"})", fate::dead, auth_failed},
      {telegram, 403, {}, R"({"ok":false,"description":"Forbidden: bot was kicked"})", fate::dead, auth_failed},
      {telegram, 429, {}, telegram_flood, fate::retry, rate_limited, 31s},
      {teams, 200, {}, "1", fate::taken, delivered},
      {teams, 202, {}, "", fate::taken, delivered},
      {teams, 200, {}, teams_hidden, fate::retry, rate_limited},
      {teams, 204, {}, "", fate::retry, refused},
      {teams, 413, {}, "", fate::dead, rejected},
      {pagerduty, 202, {}, R"({"status":"success"})", fate::taken, delivered},
      {pagerduty, 200, {}, "", fate::retry, refused},
      {pagerduty, 400, {}, R"({"status":"invalid event"})", fate::dead, rejected},
      {pagerduty, 429, {}, "", fate::retry, rate_limited},
      {pagerduty, 500, {}, "", fate::retry, refused},
      {ntfy, 200, {}, R"({"id":"a","event":"message"})", fate::taken, delivered},
      {ntfy, 204, {}, "", fate::retry, refused},
      {ntfy, 302, {{"location", "/login"}}, "", fate::retry, refused},
      {ntfy, 400, {}, R"({"code":40009,"http":400,"error":"invalid topic"})", fate::dead, rejected},
      {ntfy, 401, {}, R"({"code":40101,"http":401,"error":"unauthorized"})", fate::dead, auth_failed},
      {ntfy, 403, {}, R"({"code":40301,"http":403,"error":"forbidden"})", fate::dead, auth_failed},
      {ntfy, 404, {}, R"({"code":40401,"http":404,"error":"page not found"})", fate::dead, refused},
      {ntfy, 413, {}, R"({"code":41303,"http":413,"error":"JSON body too large"})", fate::dead, rejected},
      {ntfy, 429, {}, R"({"code":42901,"http":429,"error":"too many requests"})", fate::retry, rate_limited},
      {ntfy, 429, {{"retry-after", "9"}}, "", fate::retry, rate_limited, 9s},
      {ntfy, 500, {}, R"({"code":50001,"http":500,"error":"internal server error"})", fate::retry, refused},
      {ntfy, 507, {}, "", fate::retry, refused},
      {webhook, 200, {}, "", fate::taken, delivered},
      {webhook, 299, {}, "", fate::taken, delivered},
      {webhook, 301, {{"location", "https://elsewhere.example/"}}, "", fate::retry, refused},
      {webhook, 405, {}, "", fate::dead, refused},
      {webhook, 408, {}, "", fate::retry, refused},
      {webhook, 410, {}, "", fate::dead, refused, 0ms, true},
      {webhook, 422, {}, "", fate::dead, rejected},
      {webhook, 503, {{"retry-after", "Wed, 18 Nov 2026 11:07:40 GMT"}}, "", fate::retry, refused, 60s},
      {webhook, 503, {{"retry-after", "Wed, 18 Nov 2026 11:00:00 GMT"}}, "", fate::retry, refused},
      {webhook, 503, {{"retry-after", "86400"}}, "", fate::retry, refused, 1h},
      {webhook, 503, {{"retry-after", "Fri, 18 Nov 2099 12:00:00 GMT"}}, "", fate::retry, refused, 1h},
      {webhook, 503, {{"retry-after", "soon"}}, "", fate::retry, refused},
      {webhook, 503, {{"retry-after", "-1"}}, "", fate::retry, refused},
      {webhook, 503, {{"retry-after", "inf"}}, "", fate::retry, refused},
      {webhook, 200, {{"retry-after", "60"}}, "", fate::taken, delivered},
  };
  for (auto const& row : table) {
    CAPTURE(name_of(row.type));
    CAPTURE(row.status);
    CAPTURE(row.body);
    auto const got = read_answer(row.type, row.status, row.head, row.body, now);
    CHECK(got.state == row.fate);
    CHECK(name_of(got.cause) == name_of(row.reason));
    CHECK(got.status == row.status);
    CHECK(got.not_before == row.pause);
    CHECK(got.gone == row.gone);
  }
}

TEST_CASE("the meaning of replies of mail servers") {
  using egress::failure;
  struct {
    egress::mail_answer came;
    fate fate;
    reason reason;
  } const table[] = {
      {{failure::none, 250, true}, fate::taken, reason::delivered},
      {{failure::none, 450, true}, fate::retry, reason::refused},
      {{failure::none, 550, true}, fate::dead, reason::rejected},
      {{failure::none, 554, false}, fate::retry, reason::refused},
      {{failure::none, 421, false}, fate::retry, reason::refused},
      {{failure::none, 535, false}, fate::retry, reason::auth_failed},
      {{failure::none, 530, true}, fate::retry, reason::auth_failed},
      {{failure::connect_reset, 0, true}, fate::retry, reason::connect_failed},
      {{failure::certificate_untrusted, 0, false}, fate::retry, reason::tls_failed},
  };
  for (auto const& row : table) {
    CAPTURE(row.came.status);
    auto const got = read_reply(row.came);
    CHECK(got.state == row.fate);
    CHECK(name_of(got.cause) == name_of(row.reason));
    CHECK(got.status.value_or(0) == row.came.status);
  }
}

TEST_CASE("an attempt without answer is repeated, unless nothing can change") {
  std::set<reason> seen;
  for (std::size_t i = 0; i < egress::failure_count; ++i) {
    auto const failure = static_cast<egress::failure>(i);
    CAPTURE(egress::code_of(failure));
    auto const got = outcome_of(failure);
    bool const final = failure == egress::failure::address_blocked || failure == egress::failure::target_invalid;
    CHECK(got.state == (final ? fate::dead : fate::retry));
    CHECK_FALSE(got.status);
    seen.insert(got.cause);
  }
  CHECK(seen == std::set{reason::invalid_config, reason::address_blocked, reason::dns_failed, reason::connect_failed,
                         reason::tls_failed, reason::timeout, reason::refused});
  for (std::size_t i = 0; i < reason_count; ++i) {
    CHECK_FALSE(name_of(static_cast<reason>(i)).empty());
    CHECK(sentence_of(static_cast<reason>(i)).ends_with('.'));
  }
}

TEST_CASE("pauses after an attempt: the schedule with a fifth of spread, never before what the provider asked for") {
  std::chrono::seconds const wanted[] = {5s, 30s, 120s, 300s, 900s, 1800s, 3600s, 7200s, 14'400s};
  for (unsigned n = 1; n <= 9; ++n) {
    CAPTURE(n);
    CHECK(pause_after(n, {}, 0) == milliseconds(wanted[n - 1]) * 8 / 10);
    CHECK(pause_after(n, {}, 0.5) == milliseconds(wanted[n - 1]));
    CHECK(*pause_after(n, {}, 0.999'999) <= milliseconds(wanted[n - 1]) * 12 / 10);
    CHECK(*pause_after(n, {}, 0.999) > milliseconds(wanted[n - 1]) * 119 / 100);
  }
  CHECK_FALSE(pause_after(10, {}, 0.5));
  CHECK_FALSE(pause_after(11, {}, 0.5));
  CHECK(pause_after(1, {.not_before = 31s}, 0.5) == 31s);
  CHECK(pause_after(2, {.not_before = 10s}, 0.5) == 30s);
}

TEST_CASE("pace, deadlines and groups of each type") {
  struct {
    provider_config config;
    milliseconds pace, limit;
    std::chrono::seconds group;
  } const table[] = {
      {email_config{}, 100ms, 30s, 30s},
      {slack_config{}, 1s, 10s, 30s},
      {discord_config{}, 2s, 10s, 30s},
      {telegram_config{.chat_id = "42"}, 1s, 10s, 30s},
      {telegram_config{.chat_id = "-42"}, 3s, 10s, 30s},
      {telegram_config{.chat_id = "@channel"}, 3s, 10s, 30s},
      {teams_config{}, 1s, 10s, 30s},
      {pagerduty_config{}, 500ms, 10s, 0s},
      {webhook_config{}, 100ms, 15s, 0s},
      {ntfy_config{}, 1s, 10s, 30s},
  };
  for (auto const& row : table) {
    auto const type = type_of(row.config);
    CAPTURE(name_of(type));
    CHECK(provider_type_named(name_of(type)) == type);
    CHECK(pace_of(row.config, std::nullopt) == row.pace);
    CHECK(pace_of(row.config, 6) == 10s);
    CHECK(pace_of(row.config, 600) == std::max<milliseconds>(row.pace, 100ms));
    CHECK(pace_of(row.config, 0) == row.pace);
    CHECK(attempt_limit(type) == row.limit);
    CHECK(group_time(type, std::nullopt) == row.group);
    CHECK(group_time(type, 7s) == (type == provider_type::pagerduty ? 0s : 7s));
  }
}

TEST_CASE("an answer that is dear to parse costs nothing, whoever receives the message") {
  // 200 000 members whose names take long to compare, and values in all forms.
  std::string dear = "{";
  for (int i = 0; i < 200'000; ++i) dear += "\"" + std::string(16, 'k') + std::to_string(i) + "\":[{},1.5e-300],";
  dear += "\"retry_after\":1}";
  for (std::size_t i = 0; i < provider_type_count; ++i) {
    auto const type = static_cast<provider_type>(i);
    CAPTURE(i);
    auto const before = std::clock();
    auto const got = read_answer(type, 429, {}, dear, now);
    // Parsing would take 50 ms at least.
    CHECK(std::clock() - before < CLOCKS_PER_SEC / 100);
    CHECK(got.not_before == 0ms);
  }
}
