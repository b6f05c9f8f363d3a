#include "http/router.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace svc::http {
namespace {

schema const uuid_rule = [] {
  schema rule;
  rule.types = json_string;
  rule.format = find_format("uuid");
  return rule;
}();
schema const text_rule = [] {
  schema rule;
  rule.types = json_string;
  return rule;
}();

void add(operation_table& table, std::string method, std::string path, std::vector<parameter> parameters = {}) {
  operation op;
  op.id = method + " " + path;
  op.method = std::move(method);
  op.path = std::move(path);
  op.index = table.operations.size();
  table.operations.push_back(std::move(op));
  table.rules.push_back({.path = std::move(parameters)});
}

operation_table make_table() {
  parameter const id{"id", &uuid_rule, true};
  parameter const key{"keyId", &uuid_rule, true};
  operation_table table;
  add(table, "GET", "/");
  add(table, "GET", "/jobs");
  add(table, "POST", "/jobs");
  add(table, "GET", "/jobs/{id}", {id});
  add(table, "DELETE", "/jobs/{id}", {id});
  add(table, "POST", "/jobs/test");
  add(table, "PATCH", "/jobs/{id}/keys/{keyId}", {id, key});
  add(table, "GET", "/pages/{name}", {{"name", &text_rule, true}});
  add(table, "GET", "/a/b/c");
  add(table, "GET", "/a/{name}/d", {{"name", &text_rule, true}});
  return table;
}

std::string join(std::vector<std::string> const& list) {
  std::string text;
  for (auto const& entry : list) text += (text.empty() ? "" : ",") + entry;
  return text;
}

std::string join(parameter_list const& list) {
  std::string text;
  for (auto const& [name, value] : list) text += (text.empty() ? "" : ",") + name + "=" + value;
  return text;
}

constexpr auto id1 = "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70";
constexpr auto id2 = "01934F2E-7C1A-7D3E-9B1F-5A2C8E4D6F71";

struct route_case {
  std::string_view name;
  std::string method;
  std::vector<std::string> segments;
  std::string found;    ///< operation id
  std::string allowed;  ///< when none is found
  std::string path{};
  std::string bad{};  ///< fields of bad_parameter
  bool head = false;
};

TEST_CASE("routes") {
  route_case const cases[] = {
      {"root", "GET", {}, "GET /", ""},
      {"literal", "GET", {"jobs"}, "GET /jobs", ""},
      {"other method", "POST", {"jobs"}, "POST /jobs", ""},
      {"parameter", "GET", {"jobs", id1}, "GET /jobs/{id}", "", std::string("id=") + id1},
      {"upper case id", "GET", {"jobs", id2}, "GET /jobs/{id}", "", std::string("id=") + id2},
      {"head finds get", "HEAD", {"jobs"}, "GET /jobs", "", "", "", true},
      {"bad id", "GET", {"jobs", "x"}, "GET /jobs/{id}", "", "id=x", "id"},
      {"two bad ids",
       "PATCH",
       {"jobs", "x", "keys", "y"},
       "PATCH /jobs/{id}/keys/{keyId}",
       "",
       "id=x,keyId=y",
       "id,keyId"},
      {"free text parameter", "GET", {"pages", "x y"}, "GET /pages/{name}", "", "name=x y"},
      {"unknown path", "GET", {"nope"}, "", ""},
      {"only a part of a path", "GET", {"jobs", id1, "keys"}, "", ""},
      {"longer than a path", "GET", {"jobs", id1, "keys", id2, "x"}, "", ""},
      {"case matters", "GET", {"Jobs"}, "", ""},
      {"empty segment", "GET", {"jobs", ""}, "GET /jobs/{id}", "", "id=", "id"},
      {"wrong method", "DELETE", {"jobs"}, "", "GET,HEAD,POST,OPTIONS"},
      {"wrong method, id unchecked", "PUT", {"jobs", "x"}, "", "GET,HEAD,DELETE,OPTIONS"},
      {"no head without get", "HEAD", {"jobs", id1, "keys", id2}, "", "PATCH,OPTIONS"},
      {"options", "OPTIONS", {"jobs"}, "", "GET,HEAD,POST,OPTIONS"},
      {"method in lower case", "get", {"jobs"}, "", "GET,HEAD,POST,OPTIONS"},
      {"literal before parameter", "POST", {"jobs", "test"}, "POST /jobs/test", ""},
      {"literal hides the parameter's methods", "GET", {"jobs", "test"}, "", "POST,OPTIONS"},
      {"back from a literal that leads nowhere", "GET", {"a", "b", "d"}, "GET /a/{name}/d", "", "name=b"},
      {"literal to its end", "GET", {"a", "b", "c"}, "GET /a/b/c", ""},
  };
  auto const table = make_table();
  router const routes(table);
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const found = routes.find(c.method, c.segments);
    CHECK((found.found == nullptr ? "" : found.found->id) == c.found);
    CHECK(join(found.allowed) == c.allowed);
    CHECK(join(found.path) == c.path);
    CHECK(found.head == c.head);
    std::vector<std::string> bad;
    if (found.bad_parameter) {
      CHECK(found.bad_parameter->code == errc::validation_failed);
      for (auto const& detail : found.bad_parameter->details) bad.push_back(detail.field);
    }
    CHECK(join(bad) == c.bad);
  }
}

TEST_CASE("two operations of one method and shape are refused") {
  auto table = make_table();
  add(table, "GET", "/jobs/{name}", {{"name", &text_rule, true}});
  CHECK_THROWS_AS(router{table}, std::runtime_error);
}

}  // namespace
}  // namespace svc::http
