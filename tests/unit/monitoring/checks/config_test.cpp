#include "monitoring/checks/http_check.hpp"
#include "svc/http/json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

namespace svc::checks {
namespace {

using namespace std::chrono_literals;

struct source_of {
  std::string type = "http_request";
  std::string target = "https://example.com/";
  std::string config = "{}";
  std::chrono::seconds interval{300};
};

result<check_config> read(source_of const& source) {
  auto const json = http::parse_json(source.config).value();
  egress::address_policy const policy;
  return parse_check({check_type_named(source.type), source.target, source.interval, &json.as_object()}, &policy);
}

/// The places that are refused, in order, with a space between; empty: it is good.
std::string refused(source_of const& source) {
  auto const got = read(source);
  std::vector<std::string> paths;
  if (!got)
    for (auto const& each : got.error().details) paths.push_back(each.field);
  std::ranges::sort(paths);
  std::string out;
  for (auto const& each : paths) out.append(out.empty() ? "" : " ").append(each);
  return out;
}

std::string const long_text(2000, 'a');

std::string times(int count, std::string const& text) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

}  // namespace

TEST_CASE("defaults") {
  auto const http = read({}).value();
  CHECK(http.timeout == 10s);
  CHECK(http.retries.most == 2);
  CHECK(http.retries.delay == 1s);
  CHECK(http.retries.backoff == 2);
  CHECK(http.address_age == 60s);
  CHECK(http.longest() == 33s);
  auto const& settings = dynamic_cast<http_settings const&>(*http.settings);
  CHECK(settings.method == "GET");
  CHECK(settings.most_body_bytes == 1048576);
  CHECK(std::ranges::equal(settings.warning_days(), std::vector<std::uint32_t>{30, 14, 7, 3, 1}));
  CHECK(settings.verify);
  auto const quick = read({.interval = 10s}).value();
  CHECK(quick.timeout == 2s);
  CHECK(quick.retries.most == 1);
  CHECK(quick.address_age == 10s);
  CHECK(read({.interval = 30s}).value().retries.most == 2);
  CHECK(read({.target = "http://a.test/"}).value().settings->warning_days().empty());
}

TEST_CASE("targets") {
  struct {
    std::string type, target, wanted;
  } const cases[] = {
      {"http_request", "https://example.com:8443/a?b", ""},
      {"http_request", "http://{{HOST}}/", ""},
      {"http_request", "{{SCHEME}}://example.com/", "/target"},
      {"http_request", "HTTP://example.com/", "/target"},
      {"http_request", "ftp://example.com/", "/target"},
      {"http_request", "https://user:secret@example.com/", "/target"},
      {"http_request", "https://example.com/#part", "/target"},
      {"http_request", "https://example.com/{{lower}}", "/target"},
      {"http_request", "https://10.0.0.1/", "/target"},
      {"http_request", "https://[::1]/", "/target"},
      {"http_request", "https://8.8.8.8/", ""},
      {"http_request", "", "/target"},
      {"http_request", "https://example.com/" + long_text + std::string(50, 'a'), "/target"},
      {"ping_host", "example.com", ""},
      {"ping_host", "2001:4860:4860::8888", ""},
      {"ping_host", "127.0.0.1", "/target"},
      {"ping_host", "https://example.com/", "/target"},
      {"dns", "_dmarc.example.com.", ""},
      {"dns", "exa mple.com", "/target"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.type);
    CAPTURE(c.target);
    CHECK(refused({c.type, c.target, c.type == "dns" ? R"({"recordType":"TXT"})" : "{}"}) == c.wanted);
  }
}

TEST_CASE("members that all types have") {
  struct {
    std::string config, wanted;
  } const cases[] = {
      {R"({"timeoutSeconds":1})", ""},
      {R"({"timeoutSeconds":0})", "/config/timeoutSeconds"},
      {R"({"timeoutSeconds":60,"retryStrategy":{"maxRetries":0}})", ""},
      {R"({"timeoutSeconds":61})", "/config/timeoutSeconds"},
      {R"({"timeoutSeconds":2.5})", "/config/timeoutSeconds"},
      {R"({"timeoutSeconds":"2"})", "/config/timeoutSeconds"},
      {R"({"timeoutSeconds":null})", ""},
      // 3 × 60 s and 3 s are below 240 s, 6 × 60 s are not.
      {R"({"timeoutSeconds":60})", ""},
      {R"({"timeoutSeconds":60,"retryStrategy":{"maxRetries":5}})", "/config/timeoutSeconds"},
      {R"({"retryStrategy":{"maxRetries":6}})", "/config/retryStrategy/maxRetries"},
      {R"({"retryStrategy":{"delaySeconds":0,"backoffFactor":5}})",
       "/config/retryStrategy/backoffFactor /config/retryStrategy/delaySeconds"},
      {R"({"retryStrategy":[]})", "/config/retryStrategy"},
      {R"({"retryStrategy":{"retries":1}})", "/config/retryStrategy/retries"},
      {R"({"degradedAfterMs":60000})", ""},
      {R"({"degradedAfterMs":60001})", "/config/degradedAfterMs"},
      {R"({"locationConfig":{"enabled":false}})", ""},
      {R"({"locationConfig":{"enabled":true,"locations":["eu"]}})",
       "/config/locationConfig/enabled /config/locationConfig/locations"},
      {R"({"colour":1,"a/b~c":2})", "/config/a~1b~0c /config/colour"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.config);
    CHECK(refused({.config = c.config}) == c.wanted);
  }
}

TEST_CASE("members of http_request") {
  struct {
    std::string config, wanted;
  } const cases[] = {
      {R"({"method":"PATCH","body":"{\"a\":{{{A}}}"})", ""},
      {R"({"method":"get"})", "/config/method"},
      {R"({"method":"TRACE"})", "/config/method"},
      {R"({"body":"{{a}}"})", "/config/body"},
      {R"({"headers":{"A":"b","Authorization":"Bearer {{TOKEN}}","X-Empty":""}})", ""},
      {R"({"headers":{"Content-Length":"1"}})", "/config/headers/Content-Length"},
      {R"({"headers":{"transfer-encoding":"chunked"}})", "/config/headers/transfer-encoding"},
      {R"({"headers":{"Host":"b.test"}})", ""},
      {R"({"headers":{"a b":"1"}})", "/config/headers/a b"},
      {R"({"headers":{"A":"b\r\nC: d"}})", "/config/headers/A"},
      {R"({"headers":{"A":"1","a":"2"}})", "/config/headers/a"},
      {R"({"headers":{"A":1}})", "/config/headers/A"},
      {R"({"headers":["A"]})", "/config/headers"},
      {R"({"expectedStatusCodes":"200,3xx"})", ""},
      {R"({"expectedStatusCodes":"ok"})", "/config/expectedStatusCodes"},
      {R"({"keywordInBody":"ok","keywordInBodyShouldBePresent":false})", ""},
      {R"({"keywordInBody":""})", "/config/keywordInBody"},
      {R"({"responseBodyJsonPath":{"path":"$.a","expectedValue":1}})", ""},
      {R"({"responseBodyJsonPath":{"path":"$..a"}})", "/config/responseBodyJsonPath/path"},
      {R"({"responseBodyJsonPath":{}})", "/config/responseBodyJsonPath/path"},
      {R"({"assertions":[{"source":"status","comparison":"equals","expected":200,"onFail":"degraded"}]})", ""},
      {R"({"assertions":[{"source":"header","comparison":"equals","expected":"a"}]})",
       "/config/assertions/0/property"},
      {R"({"assertions":[{"source":"body","comparison":"matches","expected":"("}]})",
       "/config/assertions/0/expected"},
      {R"({"assertions":[{"source":"cow","comparison":"moo"}]})",
       "/config/assertions/0/comparison /config/assertions/0/source"},
      {R"({"assertions":[{"source":"dnsAnswer","comparison":"exists"}]})", "/config/assertions/0/source"},
      {R"({"assertions":[1]})", "/config/assertions/0"},
      {R"({"assertions":[{"source":"status","comparison":"equals","expected":[1]}]})",
       "/config/assertions/0/expected"},
      {R"({"auth":{"type":"basic","username":"a","password":"b"}})", ""},
      {R"({"auth":{"type":"basic"}})", "/config/auth/username"},
      {R"({"auth":{"type":"bearer"}})", "/config/auth/token"},
      {R"({"auth":{"type":"bearer","token":"a"},"headers":{"authorization":"b"}})", "/config/auth/type"},
      {R"({"followRedirects":false,"maxRedirects":10})", ""},
      {R"({"maxRedirects":11})", "/config/maxRedirects"},
      {R"({"ipVersion":"6"})", ""},
      {R"({"ipVersion":6})", "/config/ipVersion"},
      {R"({"maxBodyBytes":1024})", ""},
      {R"({"maxBodyBytes":1023})", "/config/maxBodyBytes"},
      {R"({"maxBodyBytes":4194305})", "/config/maxBodyBytes"},
      {R"({"capture":"on_failure"})", ""},
      {R"({"capture":"always"})", "/config/capture"},
      {R"({"tls":{"verify":false,"serverName":"b.test","minVersion":"1.3"}})", ""},
      {R"({"tls":{"serverName":"127.0.0.1"}})", "/config/tls/serverName"},
      {R"({"tls":{"minVersion":"1.1"}})", "/config/tls/minVersion"},
      {R"({"tls":{"ca":"no PEM"}})", "/config/tls/ca"},
      {R"({"tls":{"ca":"{{CA}}"}})", ""},
      {R"({"tls":{"clientCertificate":"{{CERT}}","clientKey":"{{KEY}}"}})", ""},
      {R"({"tls":{"clientCertificate":"{{CERT}}"}})", "/config/tls/clientKey"},
      {R"({"tls":{"clientCertificate":"-----BEGIN","clientKey":"{{KEY}}"}})", "/config/tls/clientCertificate"},
      {R"({"sslWarningDays":[10,5]})", ""},
      {R"({"sslWarningDays":[0]})", "/config/sslWarningDays/0"},
      {R"({"sslWarningDays":[1,2,3,4,5,6]})", "/config/sslWarningDays"},
      {R"({"sslWarningDays":[1],"sslDaysUntilExpirationWarning":2})", "/config/sslDaysUntilExpirationWarning"},
      {R"({"sslCheckFrequencyHours":24,"sslCheckOnStatusChange":true,"checkRevocation":false})", ""},
      {R"({"checkRevocation":true})", "/config/checkRevocation"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.config);
    CHECK(refused({.config = c.config}) == c.wanted);
  }
}

TEST_CASE("members of the other types") {
  struct {
    std::string type, config, wanted;
  } const cases[] = {
      {"website", R"({"keywordInBody":"ok"})", ""},
      {"website", R"({"method":"GET","body":"a","expectedStatusCodes":"200"})",
       "/config/body /config/expectedStatusCodes /config/method"},
      {"ping_host", R"({"count":10,"intervalMs":1000,"payloadBytes":0,"maxLossPercent":0,"ipVersion":"4"})", ""},
      {"ping_host", R"({"count":11,"intervalMs":199,"payloadBytes":1401,"maxLossPercent":100})",
       "/config/count /config/intervalMs /config/maxLossPercent /config/payloadBytes"},
      {"ping_host", R"({"timeoutSeconds":1,"count":5})", ""},
      {"ping_host", R"({"timeoutSeconds":1,"count":6})", "/config/timeoutSeconds"},
      {"ping_host", R"({"timeoutSeconds":1,"count":2,"intervalMs":501})", "/config/timeoutSeconds"},
      {"ping_host", R"({"port":80})", "/config/port"},
      {"port_check", R"({})", "/config/port"},
      {"port_check", R"({"port":0})", "/config/port"},
      {"port_check", R"({"port":22,"expect":"^SSH-"})", ""},
      {"port_check", R"({"port":22,"expect":"("})", "/config/expect"},
      {"port_check", R"({"port":22,"expect":")" + times(15, "a{999}") + "\"}", ""},
      {"port_check", R"({"port":22,"expect":")" + times(17, "a{999}") + "\"}", "/config/expect"},
      {"port_check", R"({"port":25,"expect":"^220"})", ""},
      {"port_check", R"({"port":25,"send":"EHLO a\r\n"})", "/config/send"},
      {"port_check", R"({"port":465,"tls":true,"send":"a"})", "/config/send"},
      {"port_check", R"({"port":587,"send":"a"})", "/config/send"},
      {"port_check", R"({"port":53,"protocol":"udp","tls":true})", "/config/tls"},
      {"port_check", R"({"port":53,"protocol":"udp","expectClosed":true,"send":"a"})", ""},
      {"port_check", R"({"port":53,"expectClosed":true,"send":"a","expect":"b","tls":true})",
       "/config/expect /config/send /config/tls"},
      {"dns", R"({"recordType":"MX","resolver":"8.8.8.8","expectedRcode":"NXDOMAIN"})", ""},
      {"dns", R"({})", "/config/recordType"},
      {"dns", R"({"recordType":"ANY"})", "/config/recordType"},
      {"dns", R"({"recordType":"A","resolver":"8.8.8.8:5353"})", ""},
      {"dns", R"({"recordType":"A","resolver":"[2001:4860:4860::8888]:53"})", ""},
      {"dns", R"({"recordType":"A","resolver":"2001:4860:4860::8888"})", ""},
      {"dns", R"({"recordType":"A","resolver":"dns.example.com"})", "/config/resolver"},
      {"dns", R"({"recordType":"A","resolver":"127.0.0.1"})", "/config/resolver"},
      {"dns", R"({"recordType":"A","resolver":"8.8.8.8:0"})", "/config/resolver"},
      {"dns", R"({"recordType":"A","expectedRcode":"MAYBE"})", "/config/expectedRcode"},
      {"dns", R"({"recordType":"A","assertions":[{"source":"status","comparison":"exists"}]})",
       "/config/assertions/0/source"},
      {"dns", R"({"recordType":"A","assertions":[{"source":"dnsAnswer","comparison":"contains"}]})",
       "/config/assertions/0/expected"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.type);
    CAPTURE(c.config);
    auto const target = c.type == "website" ? "https://example.com/" : "example.com";
    CHECK(refused({c.type, target, c.config}) == c.wanted);
  }
}

TEST_CASE("a secret of the monitor itself is sent to no host that a variable names") {
  constexpr auto token = R"({"auth":{"type":"bearer","token":"hunter2"}})",
                 reference = R"({"auth":{"type":"bearer","token":"{{TOKEN}}"}})",
                 mixed = R"({"headers":{"Authorization":"Bearer {{TOKEN}}"}})",
                 password = R"({"auth":{"type":"basic","username":"u","password":"p"}})",
                 header = R"({"headers":{"X-Api-Key":"k"}})", harmless = R"({"headers":{"X-A":"b"}})";
  struct {
    std::string target, config, wanted;
  } const cases[] = {
      {"https://{{HOST}}/", token, "/target"},      {"https://{{HOST}}/", mixed, "/target"},
      {"https://{{HOST}}/", password, "/target"},   {"https://{{HOST}}/", header, "/target"},
      {"https://a.{{ZONE}}/", token, "/target"},    {"https://a.test:{{PORT}}/", token, "/target"},
      {"https://a.test{{PATH}}", token, "/target"}, {"https://{{HOST}}?a", token, "/target"},
      {"https://{{HOST}}/", reference, ""},         {"https://{{HOST}}/", harmless, ""},
      {"https://a.test/{{PATH}}", token, ""},       {"https://a.test?{{QUERY}}", token, ""},
      {"https://a.test#{{PART}}", token, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.target);
    CAPTURE(c.config);
    for (auto const* type : {"http_request", "website"}) CHECK(refused({type, c.target, c.config}) == c.wanted);
  }
  CHECK(read({.target = "https://{{HOST}}/", .config = token})
            .error()
            .details.front()
            .message.find("/config/auth/token") != std::string::npos);
}

TEST_CASE("the variables that a check needs are listed once each") {
  auto const got = read({.target = "https://{{HOST}}/{{PATH}}",
                         .config = R"({"headers":{"A":"{{PATH}}"},"body":"{{{{X}}{{B}}","auth":{"type":"basic",
                           "username":"{{USER}}","password":"{{PASSWORD}}"},
                           "tls":{"ca":"{{CA}}","clientCertificate":"{{CERT}}","clientKey":"{{KEY}}"}})"});
  CHECK(got.value().variables() ==
        std::vector<std::string>{"B", "CA", "CERT", "HOST", "KEY", "PASSWORD", "PATH", "USER"});
}

}  // namespace svc::checks
