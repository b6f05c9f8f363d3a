#include "integration/cli/fault_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

using namespace svc::test;

namespace {

dev_service const& service_for_api() {
  static temporary_directory const directory;
  static dev_service const service(directory.path() + "/dev");
  return service;
}

svc_result api(std::vector<std::string> arguments, std::string const& input = {}, bool terminal = false) {
  arguments.insert(arguments.begin(), "api");
  invocation invocation{.arguments = arguments, .environment = environment_of(service_for_api()), .input = input};
  if (terminal) invocation.terminal.emplace();
  return run_svc(invocation);
}

bool has(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("api prints the answer unchanged, indented on a terminal, with its head on request") {
  auto const plain = api({"GET", "/api/jobs?limit=1"});
  CHECK(plain.code == 0);
  CHECK(boost::json::parse(plain.out).at("data").as_array().size() == 1);
  CHECK(std::count(plain.out.begin(), plain.out.end(), '\n') <= 1);
  auto const shown = api({"get", "/api/jobs?limit=1"}, "", true);
  CHECK(has(shown.out, "\r\n  \"data\""));
  auto const head = api({"GET", "/api/jobs?limit=1", "--include"});
  CHECK(head.out.starts_with("HTTP 200\n"));
  CHECK(has(head.out, "\nx-ratelimit-limit: "));
  CHECK(has(head.out, "\n\n{\"data\""));
  CHECK(api({"HEAD", "/api/jobs", "-i"}).out.starts_with("HTTP 200\n"));
  CHECK(api({"GET", "/api/jobs", "--quiet"}).out.empty());
  CHECK(api({"GET", "/api/auth/whoami", "--template", "{project.slug}"}).out == "demo\n");
}

TEST_CASE("api sends bodies from arguments, files and stdin, and the fields that are given") {
  temporary_directory const directory;
  auto const file = directory.write("body.json", R"({"name": "from-file"})");
  CHECK(has(api({"POST", "/api/tags", "-d", R"({"name": "from-text"})"}).out, "from-text"));
  CHECK(has(api({"POST", "/api/tags", "--data", "@" + file}).out, "from-file"));
  CHECK(has(api({"POST", "/api/tags", "-d", "-"}, R"({"name": "from-stdin"})").out, "from-stdin"));
  CHECK(has(api({"POST", "/api/tags", "-f", "name=from-field"}).out, "from-field"));
  auto const first = api({"GET", "/api/tags", "--include"});
  auto const position = first.out.find("\netag: ") + 7;
  auto const etag = first.out.substr(position, first.out.find('\n', position) - position);
  CHECK(api({"GET", "/api/tags", "-i", "-H", "If-None-Match: " + etag}).out.starts_with("HTTP 304\n"));
}

TEST_CASE("api fails by the status, with the service's sentence; bodies of errors are no data") {
  auto const missing = api({"GET", "/api/jobs/00000000-0000-7000-8000-000000000000", "--json"});
  CHECK(missing.code == 1);
  CHECK(missing.out.empty());
  auto const reported = boost::json::parse(missing.err);
  CHECK(reported.at("code") == "not_found");
  CHECK(reported.at("status") == 404);
  CHECK(reported.at("exitCode") == 1);
  CHECK(reported.as_object().contains("requestId"));
  auto const invalid = api({"POST", "/api/tags", "-d", "{}"});
  CHECK(invalid.code == 1);
  CHECK(has(invalid.err, "/name"));
  CHECK(has(api({"GET", "/api/nothing", "-i"}).out, "\n\n{\"error\""));
}

TEST_CASE("api takes only a path below the address, no credential and no framing") {
  struct row {
    std::vector<std::string> arguments;
    std::string words;
  };
  std::vector<row> const table{
      {{"GET", "api/jobs"}, "must begin with /"},
      {{"GET", "https://other.example/"}, "must begin with /"},
      {{"GET", "//other.example/"}, "must not begin with //"},
      {{"GET", "/api/../../x"}, ". or .."},
      {{"GET", "/api/jobs", "-H", "Authorization: Bearer x"}, "sets the field Authorization"},
      {{"GET", "/api/jobs", "-d", "{}"}, "has no body"},
      {{"GRAB", "/api/jobs"}, "is not a method"},
      {{"POST", "/api/tags", "-d", "@/nowhere"}, "/nowhere"}};
  for (auto const& each : table) {
    CAPTURE(each.words);
    auto const result = api(each.arguments);
    CHECK(result.code == 3);
    CHECK(has(result.err, each.words));
  }
}

TEST_CASE("verbose shows requests and answers, and nothing secret") {
  auto const result = api({"POST", "/api/tags", "-f", "name=hidden-name", "--idempotency-key", "hidden-key", "-v"});
  CHECK(has(result.err, "POST /api/tags, try 1: "));
  CHECK(has(result.err, "request id "));
  for (auto const& secret : {std::string("hidden-name"), std::string("hidden-key"), service_for_api().text("token")})
    CHECK_FALSE(has(result.err, secret));
}

TEST_CASE("health says how the service is, also by its exit code, and needs no token") {
  auto const& service = service_for_api();
  auto const good =
      run_svc({.arguments = {"health", "--json"},
               .environment = {"SERVICE_URL=" + service.text("url"), "SERVICE_CACERT=" + service.text("caFile")}});
  CHECK(good.code == 0);
  CHECK(boost::json::parse(good.out).at("status") == "ok");
  scripted_server const sick([](received const&) {
    return whole_answer(200,
                        R"({"status":"degraded","version":"1","dependencies":{"redis":"down","postgres":"up"}})");
  });
  auto const degraded = run_svc({.arguments = {"health"}, .environment = {"SERVICE_URL=" + sick.url()}});
  CHECK(degraded.code == 4);
  CHECK(has(degraded.out, "degraded"));
  CHECK(has(degraded.err, "nothing is refused"));
  CHECK(sick.requests().at(0).field("Authorization").empty());
}
