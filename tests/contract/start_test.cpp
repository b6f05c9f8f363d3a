// Tests that a document that the program does not implement fails the start. The start calls these two functions,
// with nothing between them.
#include "svc/api/handlers.hpp"
#include "svc/http/contract.hpp"
#include "svc/runner_api/runner_api.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <functional>
#include <stdexcept>
#include <string>

namespace svc::test {
namespace {

namespace json = boost::json;

/// Returns the start's complaint about the changed document; empty if the start would serve it.
std::string refusal(std::function<void(json::object& document)> const& change) {
  auto document = json::parse(embedded::openapi_json);
  change(document.as_object());
  try {
    api::handlers().check(*http::contract::load(json::serialize(document)));
  } catch (std::runtime_error const& e) {
    return e.what();
  }
  return {};
}

json::object& whoami(json::object& document) {
  return document.at("paths").at("/api/auth/whoami").at("get").as_object();
}

struct document_change {
  std::string name;
  std::function<void(json::object&)> make;
  std::string said;
};

document_change const changes[] = {
    {"operation without handler", [](json::object& d) { whoami(d)["operationId"] = "who_else"; },
     "operation without handler: who_else"},
    {"handler without operation", [](json::object& d) { d.at("paths").as_object().erase("/api/auth/whoami"); },
     "handler without operation: whoami"},
    {"operationId twice", [](json::object& d) { whoami(d)["operationId"] = "get_job"; }, "get_job is used twice"},
    {"unknown keyword", [](json::object& d) { whoami(d)["x-nonsense"] = 1; }, "x-nonsense"},
    {"keyword of JSON Schema that is not enforced",
     [](json::object& d) { d.at("components").at("schemas").at("Job").as_object()["if"] = json::object(); }, "if"},
    {"unknown format",
     [](json::object& d) { d.at("components").at("schemas").at("Uuid").as_object()["format"] = "ipv4"; }, "format"},
    {"unknown code", [](json::object& d) { whoami(d).at("x-errors").as_array().emplace_back("nonsense"); },
     "x-errors"},
    {"unknown common code", [](json::object& d) { d.at("x-common-errors").as_array().emplace_back("nonsense"); },
     "x-common-errors"},
    {"code whose status has no response", [](json::object& d) { whoami(d).at("responses").as_object().erase("401"); },
     "401"},
};

TEST_CASE("a document that differs from the program fails the start and says where") {
  CHECK(refusal([](json::object&) {}) == "");
  for (auto const& c : changes) {
    CAPTURE(c.name);
    auto const said = refusal(c.make);
    CAPTURE(said);
    CHECK(said.find(c.said) != said.npos);
  }
}

TEST_CASE("a document of runners that differs from the program fails the start, too") {
  auto const said = [](std::function<void(json::object&)> const& change) -> std::string {
    auto document = json::parse(embedded::internal_json);
    change(document.at("paths").as_object());
    try {
      runner_api::handlers().check(*http::contract::load(json::serialize(document)));
    } catch (std::runtime_error const& e) {
      return e.what();
    }
    return {};
  };
  CHECK(said([](json::object&) {}) == "");
  CHECK(said([](json::object& paths) {
          paths.erase("/internal/v1/claim");
        }).find("handler without operation: claim_runs") != std::string::npos);
  CHECK(said([](json::object& paths) {
          paths.at("/internal/v1/claim").at("post").as_object()["operationId"] = "claim_more";
        }).find("operation without handler: claim_more") != std::string::npos);
}

TEST_CASE("each of the contract's own keys is required of each operation") {
  for (auto const* key : {"x-permission", "x-token-kinds", "x-rate-class", "x-body-limit", "x-errors", "x-success"}) {
    CAPTURE(key);
    CHECK(refusal([key](json::object& d) { whoami(d).erase(key); }).find(key) != std::string::npos);
  }
}

}  // namespace
}  // namespace svc::test
