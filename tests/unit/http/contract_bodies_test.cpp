#include "svc/http/contract.hpp"
#include "unit/http/body_case.hpp"
#include "unit/http/monitor_bodies.hpp"
#include "unit/http/page_bodies.hpp"
#include "unit/http/shipped_contract.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

namespace svc::http {
namespace {

namespace json = boost::json;
using namespace bodies;

/// Fields of all faults, joined by commas; "." for a fault of the body itself.
std::string pointers(result<> const& checked) {
  if (!checked.has_error()) return {};
  CHECK(checked.error().code == errc::validation_failed);
  std::string text;
  for (auto const& [field, message] : checked.error().details) {
    CHECK(!message.empty());
    text += (text.empty() ? "" : ",") + (field.empty() ? "." : field);
  }
  return text;
}

std::string provider(std::string const& type, std::string const& config) {
  return R"({"name":"n","type":")" + type + R"(","config":)" + config + "}";
}

body_case const token_cases[] = {
    {"create_cli_token", name("ci"), ""},
    {"create_cli_token", name(" ci "), ""},
    {"create_cli_token", name(text(100)), ""},
    {"create_cli_token", name(text(100, "ä")), ""},
    {"create_cli_token", name("  " + text(100, "😀") + "  "), ""},
    {"create_cli_token", name(text(101)), "/name"},
    {"create_cli_token", name(""), "/name"},
    {"create_cli_token", name("   "), "/name"},
    {"create_cli_token", name("a\\tb"), "/name"},
    {"create_cli_token", name("a\\u0007"), "/name"},
    {"create_cli_token", name("\\ta\\r\\n"), ""},
    {"create_cli_token", name("a\\u007f"), "/name"},
    {"create_cli_token", name("a\\u0085"), "/name"},
    {"create_cli_token", R"({"name":1})", "/name"},
    {"create_cli_token", R"({"name":null})", "/name"},
    {"create_cli_token", "{}", "/name"},
    {"create_cli_token", "[]", "."},
    {"create_cli_token", "null", "."},
    {"create_cli_token", R"({"Name":"a"})", "/name,/Name"},
    {"create_cli_token", with(R"("expiresIn":59)"), "/expiresIn"},
    {"create_cli_token", with(R"("expiresIn":60)"), ""},
    {"create_cli_token", with(R"("expiresIn":315360000)"), ""},
    {"create_cli_token", with(R"("expiresIn":315360001)"), "/expiresIn"},
    {"create_cli_token", with(R"("expiresIn":-60)"), "/expiresIn"},
    {"create_cli_token", with(R"("expiresIn":3600.5)"), "/expiresIn"},
    {"create_cli_token", with(R"("expiresIn":"3600")"), "/expiresIn"},
    {"create_cli_token", with(R"("expiresIn":true)"), "/expiresIn"},
    {"create_cli_token", with(R"("expiresIn":null)"), "/expiresIn"},
    {"create_cli_token", with(R"("enabled":true,"x":1)"), "/enabled,/x"},
    {"update_cli_token", R"({"enabled":false})", ""},
    {"update_cli_token", R"({"name":"a","enabled":true})", ""},
    {"update_cli_token", "{}", "."},
    {"update_cli_token", R"({"enabled":"no"})", "/enabled"},
    {"update_cli_token", R"({"expiresIn":60})", "/expiresIn"},
    {"rotate_cli_token", "{}", ""},
    {"rotate_cli_token", R"({"expiresIn":60,"graceSeconds":0,"endPrevious":"grace"})", ""},
    {"rotate_cli_token", R"({"expiresIn":59})", "/expiresIn"},
    {"rotate_cli_token", R"({"expiresIn":315360001})", "/expiresIn"},
    {"rotate_cli_token", R"({"expiresIn":null})", "/expiresIn"},
    {"rotate_cli_token", R"({"graceSeconds":604800})", ""},
    {"rotate_cli_token", R"({"graceSeconds":604801})", "/graceSeconds"},
    {"rotate_cli_token", R"({"graceSeconds":-1})", "/graceSeconds"},
    {"rotate_cli_token", R"({"graceSeconds":0.5})", "/graceSeconds"},
    {"rotate_cli_token", R"({"endPrevious":"first_use"})", ""},
    {"rotate_cli_token", R"({"endPrevious":"never"})", "/endPrevious"},
    {"rotate_cli_token", R"({"name":"a"})", "/name"},
    {"rotate_cli_token", "null", "."},
    {"create_trigger_key", with(R"("expiresIn":null)"), ""},
    {"create_trigger_key", with(R"("rateLimit":null,"allowedCidrs":null)"), ""},
    {"create_trigger_key", with(R"("rateLimit":{"limit":1,"windowSeconds":86400})"), ""},
    {"create_trigger_key", with(R"("rateLimit":{"limit":0,"windowSeconds":86401})"),
     "/rateLimit/limit,/rateLimit/windowSeconds"},
    {"create_trigger_key", with(R"("rateLimit":{"limit":100000,"windowSeconds":1})"), ""},
    {"create_trigger_key", with(R"("rateLimit":{"limit":100001,"windowSeconds":0})"),
     "/rateLimit/limit,/rateLimit/windowSeconds"},
    {"create_trigger_key", with(R"("rateLimit":{"limit":5})"), "/rateLimit/windowSeconds"},
    {"create_trigger_key", with(R"("allowedCidrs":["10.0.0.0/8","10.0.0.0"])"), "/allowedCidrs/1"},
    {"create_trigger_key", with(R"("allowedCidrs":["10.0.0.0/8","10.0.0.0/8"])"), "/allowedCidrs/1"},
    {"create_trigger_key", with(R"("allowedCidrs":)" + list(24, "\"10.0.0.0/8 ", "\"")),
     [] {
       return "/allowedCidrs/0,/allowedCidrs/1,/allowedCidrs/2,/allowedCidrs/3,/allowedCidrs/4,/allowedCidrs/5,"
              "/allowedCidrs/6,/allowedCidrs/7,/allowedCidrs/8,/allowedCidrs/9,/allowedCidrs/10,/allowedCidrs/11,"
              "/allowedCidrs/12,/allowedCidrs/13,/allowedCidrs/14,/allowedCidrs/15,/allowedCidrs/16,/allowedCidrs/17,"
              "/allowedCidrs/18,/allowedCidrs/19,/allowedCidrs/20,/allowedCidrs/21,/allowedCidrs/22,/allowedCidrs/23";
     }()},
    {"create_trigger_key", with(R"("allowedCidrs":)" + list(25, "\"10.0.0.0/8 ", "\"")), "/allowedCidrs"},
    {"rotate_trigger_key", R"({"graceSeconds":3600})", ""},
    {"rotate_trigger_key", R"({"graceSeconds":"3600"})", "/graceSeconds"},
    {"update_trigger_key", R"({"rateLimit":{"limit":5}})", ""},
    {"update_trigger_key", R"({"rateLimit":{}})", "/rateLimit"},
    {"update_trigger_key", R"({"rateLimit":null})", ""},
    {"update_trigger_key", "{}", "."},
};

body_case const job_cases[] = {
    {"create_job", name("j"), ""},
    {"create_job", name(text(255)), ""},
    {"create_job", name(text(256)), "/name"},
    {"create_job", name(""), "/name"},
    {"create_job", with(R"("description":")" + text(2000) + "\""), ""},
    {"create_job", with(R"("description":")" + text(2001) + "\""), "/description"},
    {"create_job", with(R"("description":null,"cronSchedule":null,"alertConfig":null,"maxConcurrentRuns":null)"), ""},
    {"create_job", with(R"("jobType":"k6")"), ""},
    {"create_job", with(R"("jobType":"shell")"), "/jobType"},
    {"create_job", with(R"("tests":)" + one_test), ""},
    {"create_job", with(R"("tests":[{"id":"x"},{},{"id":")" + id + R"(6f70","n":1}])"),
     "/tests/0/id,/tests/1/id,/tests/2/n"},
    {"create_job", with(R"("tests":)" + list(100, R"({"id":")" + id, "\"}")), ""},
    {"create_job", with(R"("tests":)" + list(101, R"({"id":")" + id, "\"}")), "/tests"},
    {"create_job", with(R"("cronSchedule":"0 6 * * *","timeZone":"Europe/Berlin")"), ""},
    {"create_job", with(R"("cronSchedule":"0 25 * * *","timeZone":"Europe Berlin")"), "/cronSchedule,/timeZone"},
    {"create_job", with(R"("timeZone":"Etc/GMT+5")"), ""},
    {"create_job", with(R"("timeZone":"../etc/passwd")"), "/timeZone"},
    {"create_job", with(R"("timeZone":"")"), "/timeZone"},
    {"create_job", with(R"("timeZone":null)"), "/timeZone"},
    {"create_job", with(R"("timeoutSeconds":0)"), "/timeoutSeconds"},
    {"create_job", with(R"("timeoutSeconds":1)"), ""},
    {"create_job", with(R"("timeoutSeconds":86400)"), ""},
    {"create_job", with(R"("timeoutSeconds":86401)"), "/timeoutSeconds"},
    {"create_job", with(R"("maxConcurrentRuns":0)"), "/maxConcurrentRuns"},
    {"create_job", with(R"("parameters":[{"name":"A_1","required":true,"default":null}])"), ""},
    {"create_job", with(R"("parameters":[{"name":"a"},{"name":"1A"},{"required":true}])"),
     "/parameters/0/name,/parameters/1/name,/parameters/2/name"},
    {"create_job", with(R"("alertConfig":{"failureThreshold":0,"recoveryThreshold":1,"x":1})"),
     "/alertConfig/failureThreshold,/alertConfig/x"},
    {"create_job", with(R"("alertConfig":{"notificationProviders":)" + list(10, "\"" + id, "\"") + "}"), ""},
    {"create_job", with(R"("alertConfig":{"notificationProviders":)" + list(11, "\"" + id, "\"") + "}"),
     "/alertConfig/notificationProviders"},
    {"create_job", with(R"("status":"passed","id":"x")"), "/status,/id"},
    {"update_job", R"({"enabled":false})", ""},
    {"update_job", R"({"jobType":"k6"})", "/jobType"},
    {"update_job", "{}", "."},
    {"trigger_job", "{}", ""},
    {"trigger_job", R"({"parameters":{"A":"x"},"dedupKey":"k"})", ""},
    {"trigger_job", R"({"parameters":{"A":1,"b":"x","":""}})", "/parameters/A,/parameters/b,/parameters/"},
    {"trigger_job", R"({"parameters":{")" + text(64, "A") + R"(":""}})", ""},
    {"trigger_job", R"({"dedupKey":"","wait":5})", "/dedupKey,/wait"},
    {"trigger_job", "null", "."},
};

body_case const other_cases[] = {
    {"create_test", R"({"title":"t"})", ""},
    {"create_test", R"({"title":")" + text(255, "ä") + "\"}", ""},
    {"create_test", R"({"title":")" + text(256) + "\"}", "/title"},
    {"create_test", R"({"title":"t","type":"command","priority":"low","script":"echo","description":null})", ""},
    {"create_test", R"({"title":"t","type":"unit","priority":"urgent","script":null})", "/type,/priority,/script"},
    {"create_test", R"({"title":"t","script":")" + text(5242880) + "\"}", ""},
    {"create_test", R"({"title":"t","script":")" + text(5242881) + "\"}", "/script"},
    {"create_test", R"({"title":"t","script":")" + text(2621441, "ä") + "\"}", "/script"},
    {"create_test", R"({"title":"t","tags":[]})", "/tags"},
    {"update_test", R"({"priority":"high"})", ""},
    {"update_test", "{}", "."},
    {"update_test", R"({"title":null})", "/title"},
    {"put_test_tags", R"({"tags":[]})", ""},
    {"put_test_tags", R"({"tags":)" + one_test + "}", ""},
    {"put_test_tags", R"({"tags":)" + list(50, R"({"id":")" + id, "\"}") + "}", ""},
    {"put_test_tags", R"({"tags":)" + list(51, R"({"id":")" + id, "\"}") + "}", "/tags"},
    {"put_test_tags", R"({"tags":[{"id":"x"},{}],"add":[]})", "/tags/0/id,/tags/1/id,/add"},
    {"put_test_tags", "{}", "/tags"},
    {"create_tag", R"({"name":"aZ09_-","color":"#00ffaa"})", ""},
    {"create_tag", name(text(40)), ""},
    {"create_tag", name(text(41)), "/name"},
    {"create_tag", name(""), "/name"},
    {"create_tag", R"({"name":"a b","color":"#00FFAA"})", "/name,/color"},
    {"update_tag", R"({"color":"#123456"})", ""},
    {"update_tag", "{}", "."},
    {"create_variable", R"({"key":"A_1","value":"","isSecret":true,"description":null})", ""},
    {"create_variable", R"({"key":")" + text(64, "A") + R"(","value":")" + text(10000) + "\"}", ""},
    {"create_variable", R"({"key":")" + text(65, "A") + R"(","value":")" + text(10001) + "\"}", "/key,/value"},
    {"create_variable", R"({"key":"a","value":1})", "/key,/value"},
    {"create_variable", R"({"key":"A","value":"","description":")" + text(301) + "\"}", "/description"},
    {"create_variable", "{}", "/key,/value"},
    {"update_variable", R"({"isSecret":false,"value":"v"})", ""},
    {"update_variable", R"({"value":null})", "/value"},
    {"update_variable", "{}", "."},
    {"create_notification_provider", provider("email", R"({"to":["a@example.org"]})"), ""},
    {"create_notification_provider", provider("email", R"({"to":[]})"), "/config/to"},
    {"create_notification_provider", provider("email", R"({"to":["a","a@b","x@y@z"]})"), "/config/to/0,/config/to/2"},
    {"create_notification_provider", provider("email", R"({"to":)" + list(20, "\"a", "@b.c\"") + "}"), ""},
    {"create_notification_provider", provider("email", R"({"to":)" + list(21, "\"a", "@b.c\"") + "}"), "/config/to"},
    {"create_notification_provider", provider("slack", R"({"webhookUrl":"https://a.example/x?y=1"})"), ""},
    {"create_notification_provider", provider("slack", R"({"webhookUrl":"http://a.example/"})"),
     "/config/webhookUrl"},
    {"create_notification_provider", provider("slack", R"({"webhookUrl":"https://u@a.example/"})"),
     "/config/webhookUrl"},
    {"create_notification_provider", provider("slack", R"({"to":["a@b"]})"), "/config/webhookUrl,/config/to"},
    {"create_notification_provider",
     provider("webhook", R"({"url":"https://a.example","method":"PUT","headers":{"X-A":"b"}})"), ""},
    {"create_notification_provider",
     provider("webhook", R"({"url":"https://a.example","method":"GET","headers":{"X A":"b","B":"c\nd"}})"),
     "/config/method,/config/headers/X A,/config/headers/B"},
    {"create_notification_provider", provider("telegram", R"({"botToken":"t","chatId":"1"})"), ""},
    {"create_notification_provider", provider("telegram", "{}"), "/config/botToken,/config/chatId"},
    {"create_notification_provider", provider("discord", R"({"webhookUrl":"https://a.example/"})"), ""},
    {"create_notification_provider", provider("teams", R"({"webhookUrl":"https://a.example/","x":1})"), "/config/x"},
    {"create_notification_provider", provider("pager", "{}"), "/type"},
    {"create_notification_provider", provider("pagerduty", R"({"routingKey":"r","region":"eu","severity":"info"})"),
     ""},
    {"create_notification_provider", provider("pagerduty", R"({"region":"de","severity":"bad"})"),
     "/config/routingKey,/config/region,/config/severity"},
    {"create_notification_provider",
     provider("ntfy", R"({"server":"http://10.0.0.1:80/a","topic":"a_B-1","token":"tk_a1","priority":1})"), ""},
    {"create_notification_provider", provider("ntfy", R"({"topic":"t"})"), ""},
    {"create_notification_provider",
     provider("ntfy", R"({"server":"https://u@a.example","topic":"a b","token":"a\nb","priority":6,"x":1})"),
     "/config/server,/config/topic,/config/token,/config/priority,/config/x"},
    {"create_notification_provider",
     provider("ntfy", R"({"server":"https://a.example?x=1","topic":")" + text(65) + "\"}"),
     "/config/server,/config/topic"},
    {"create_notification_provider",
     R"({"name":"n","type":"pagerduty","groupSeconds":1,"ratePerMinute":0,"config":{"routingKey":"r"}})",
     "/groupSeconds,/ratePerMinute"},
    {"create_notification_provider",
     R"({"name":"n","type":"email","groupSeconds":300,"ratePerMinute":600,"config":{"to":["a@b"]}})", ""},
    {"create_notification_provider",
     R"({"name":"n","type":"email","groupSeconds":301,"ratePerMinute":601,"config":{"to":["a@b"]}})",
     "/groupSeconds,/ratePerMinute"},
    {"create_notification_provider", provider("telegram", R"({"botToken":"t","chatId":"1","threadId":7})"), ""},
    {"create_notification_provider", provider("telegram", R"({"botToken":"t","chatId":"1","threadId":"7"})"),
     "/config/threadId"},
    {"create_notification_provider", provider("webhook", R"({"url":"http://a.example","signingSecret":"generate"})"),
     ""},
    {"create_notification_provider", provider("webhook", R"({"url":"ftp://a.example","signingSecret":"whsec_"})"),
     "/config/url,/config/signingSecret"},
    {"test_unsaved_notification_provider", provider("slack", R"({"webhookUrl":"https://a.example/"})"), ""},
    {"test_unsaved_notification_provider", provider("slack", R"({"webhookUrl":"********"})"), "/config/webhookUrl"},
    {"replace_notification_provider", provider("slack", R"({"webhookUrl":"********"})"), ""},
    {"replace_notification_provider", provider("slack", "{}"), ""},
    {"replace_notification_provider", R"({"name":"n","config":{"nope":1}})", "/type,/config/nope"},
    {"create_notification_provider", R"({"name":"","config":{}})", "/type"},
    {"create_notification_provider", R"({"name":"","type":"teams"})", "/config,/name"},
    {"create_notification_provider", R"({"name":"n","type":7,"config":{}})", "/type"},
    {"update_notification_provider", R"({"enabled":true})", ""},
    {"update_notification_provider", R"({"config":{"channel":null,"headers":{"X-A":null}}})", ""},
    {"update_notification_provider", R"({"config":{"nope":1}})", "/config/nope"},
    {"update_notification_provider", "{}", "."},
};

void check_all(auto const& cases) {
  auto const validator = body_validator::make(shipped());
  for (auto const& c : cases) {
    CAPTURE(c.operation);
    CAPTURE(c.body.substr(0, 200));
    CHECK(pointers(validator->check(named(c.operation), json::parse(c.body))) == c.pointers);
  }
}

TEST_CASE("bodies of tokens and keys") {
  check_all(token_cases);
}
TEST_CASE("bodies of jobs and triggers") {
  check_all(job_cases);
}
TEST_CASE("bodies of tests and providers") {
  check_all(other_cases);
}
TEST_CASE("bodies of monitors") {
  check_all(monitor_cases);
}

TEST_CASE("bodies of maintenance windows") {
  check_all(window_cases);
}

TEST_CASE("bodies of status pages and components") {
  check_all(page_cases);
}

TEST_CASE("bodies of incidents") {
  check_all(incident_cases);
}

TEST_CASE("every operation with a body has a good and a bad one above") {
  std::set<std::string_view> good;
  std::set<std::string_view> bad;
  auto const add = [&](auto const& cases) {
    for (auto const& c : cases) (c.pointers.empty() ? good : bad).insert(c.operation);
  };
  add(token_cases);
  add(job_cases);
  add(other_cases);
  add(monitor_cases);
  add(window_cases);
  add(page_cases);
  add(incident_cases);
  for (auto const& op : shipped()->operations()) {
    CAPTURE(op.id);
    CHECK(good.contains(op.id) == (op.body_limit > 0 && !op.any_media));
    CHECK(bad.contains(op.id) == (op.body_limit > 0 && !op.any_media));
  }
}

TEST_CASE("a handler checks its merged body against a named schema") {
  auto const validator = body_validator::make(shipped());
  CHECK(pointers(validator->check_schema("SlackConfig", json::parse(R"({"webhookUrl":"x"})"), "/config")) ==
        "/config/webhookUrl");
  CHECK_THROWS_AS(validator->check_schema("Nope", nullptr, ""), std::logic_error);
}

TEST_CASE("an operation without a body accepts anything") {
  CHECK(body_validator::make(shipped())->check(named("get_job"), json::parse("[1]")).has_value());
}

}  // namespace
}  // namespace svc::http
