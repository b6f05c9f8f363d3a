#include "http/contract_operations.hpp"

#include "svc/http/contract.hpp"
#include "svc/http/json.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace svc::http {
namespace {

namespace json = boost::json;

/// Returns the error of `load` for a document; empty if it accepts the document.
std::string refusal(json::value const& document) {
  try {
    contract::load(json::serialize(document));
  } catch (std::runtime_error const& e) {
    return e.what();
  }
  return {};
}

json::value shipped_document() {
  return json::parse(embedded::openapi_json);
}

json::object& schema_of(json::value& document, std::string_view name) {
  return document.at("components").at("schemas").at(name).as_object();
}

/// True for keywords whose members have free names and are no keywords.
bool has_own_names(std::string_view key) {
  constexpr std::string_view maps[] = {"paths",    "properties", "schemas",      "responses",
                                       "headers",  "content",    "mapping",      "securitySchemes",
                                       "cliToken", "triggerKey", "sessionCookie"};
  return std::find(std::begin(maps), std::end(maps), key) != std::end(maps);
}

bool is_data(std::string_view key) {
  constexpr std::string_view data[] = {"default", "enum", "const", "value", "security"};
  return std::find(std::begin(data), std::end(data), key) != std::end(data);
}

/// Collects the first place of each keyword, as a JSON pointer.
void collect(json::value const& value, std::string const& address, bool own_names,
             std::map<std::string, std::string>& found) {
  if (value.is_array()) {
    for (std::size_t i = 0; i < value.get_array().size(); ++i) {
      collect(value.get_array()[i], address + "/" + std::to_string(i), false, found);
    }
  }
  if (!value.is_object()) return;
  for (auto const& [name, child] : value.get_object()) {
    std::string key(name);
    for (std::size_t slash = 0; (slash = key.find('/', slash)) != std::string::npos; slash += 2)
      key.replace(slash, 1, "~1");
    auto const path = address + "/" + key;
    if (!own_names) found.emplace(name, path);
    if (!own_names && is_data(name)) continue;
    // In components, `examples` and `parameters` are maps of names; otherwise they are data and a list.
    bool const map = address == "/components" || (!own_names && has_own_names(name));
    if (name == "examples" && address != "/components") continue;
    collect(child, path, map, found);
  }
}

TEST_CASE("the shipped document passes") {
  CHECK(refusal(shipped_document()).empty());
}

TEST_CASE("every misspelt keyword of the document fails the start") {
  auto const document = shipped_document();
  std::map<std::string, std::string> found;
  collect(document, "", false, found);
  CHECK(found.size() > 60);
  CHECK(found.contains("oneOf"));
  CHECK(found.contains("x-max-bytes"));
  for (auto const& [keyword, path] : found) {
    if (keyword == "$ref" || keyword == "parameters") continue;  // distinguished below
    CAPTURE(path);
    auto mutated = document;
    auto const parent = path.substr(0, path.rfind('/'));
    auto& object = mutated.at_pointer(parent).as_object();
    auto value = object.at(keyword);
    object.erase(keyword);
    object.emplace(keyword + "x", std::move(value));
    auto const message = refusal(mutated);
    CHECK(message.starts_with("contract: "));
    // Without `schemas`, the first reference to one is reported.
    if (keyword != "schemas") CHECK(message.find(parent) != std::string::npos);
  }
}

TEST_CASE("keywords of JSON Schema that are not enforced fail the start, which names their place") {
  for (std::string_view const keyword : {"allOf",
                                         "anyOf",
                                         "not",
                                         "if",
                                         "then",
                                         "else",
                                         "patternProperties",
                                         "dependentRequired",
                                         "dependentSchemas",
                                         "prefixItems",
                                         "contains",
                                         "minContains",
                                         "unevaluatedProperties",
                                         "unevaluatedItems",
                                         "exclusiveMinimum",
                                         "exclusiveMaximum",
                                         "multipleOf",
                                         "nullable",
                                         "contentEncoding",
                                         "$defs",
                                         "$id",
                                         "$anchor",
                                         "example",
                                         "readOnly",
                                         "writeOnly",
                                         "deprecated",
                                         "Type",
                                         "x-anything"}) {
    CAPTURE(keyword);
    auto document = shipped_document();
    schema_of(document, "Job").emplace(keyword, json::object());
    CHECK(refusal(document) ==
          "contract: /components/schemas/Job/" + std::string(keyword) + ": is no keyword that is enforced here");
  }
}

struct mutation {
  std::string_view path;  ///< of the value that is replaced or added
  std::string_view value;
  std::string_view reason;  ///< part of the message
};

mutation const mutations[] = {
    {"/components/schemas/Job/properties/id", R"({"$ref":"#/components/schemas/Uuid","description":"x"})",
     "must stand alone"},
    {"/components/schemas/Job/properties/id", R"({"$ref":"#/components/schemas/Nope"})", "points to nothing"},
    {"/components/schemas/Job/properties/id", R"({"$ref":"#/components/headers/ETag"})",
     "must begin with #/components/schemas/"},
    {"/components/schemas/Job/properties/id", R"({"$ref":"other.json#/X"})", "must begin with"},
    {"/components/schemas/Job/properties/id", R"({"$ref":7})", "must begin with"},
    {"/components/schemas/JobStatus", R"({"$ref":"#/components/schemas/RunStatus"})", "another reference"},
    {"/components/schemas/Job/properties/id", R"("uuid")", "must be an object"},
    {"/components/schemas/Job/properties", "[]", "must be a map"},
    {"/components/schemas/Job/required", R"([1])", "must be a list of texts"},
    {"/components/schemas/Job/additionalProperties", "true", "must be an object"},
    {"/components/schemas/Limit/minimum", "1", "lacks type"},
    {"/components/schemas/RateLimit/properties/limit/minimum", R"("1")", "must be an integer"},
    {"/components/schemas/RateLimit/properties/limit/minimum", "0.5", "must be an integer"},
    {"/components/schemas/JobTests/uniqueItems", "1", "must be true or false"},
    {"/paths/~1livez/get/x-rate-class", R"("fast")", "is no class"},
    {"/paths/~1livez/get/x-rate-class", R"("probe")", "is for the tokens of users"},
    {"/paths/~1livez/get/x-success", "201", "lacks x-success"},
    {"/paths/~1livez/get/x-success", "-1", "must not be negative"},
    {"/paths/~1livez/get/x-permission", R"("job:view")", "is asked of nobody"},
    {"/paths/~1livez/get/operationId", R"("get_readyz")", "is used twice"},
    {"/paths/~1livez/get/operationId", R"("getLivez")", "must be snake_case"},
    {"/paths/~1livez/get/x-errors", R"(["rate_limited"])", "lacks 429 for rate_limited"},
    {"/paths/~1livez/get/x-errors", R"(["no_such_code"])", "names an unknown code"},
    {"/paths/~1readyz/get/x-errors", R"(["unavailable","unavailable"])", "repeats a code"},
    {"/x-common-errors", R"(["no_such_code"])", "names an unknown code"},
    {"/paths/~1api~1jobs/get/x-permission", R"("jobs:view")", "is no permission"},
    {"/paths/~1api~1jobs/get/x-permission", R"("audit:create")", "is no permission"},
    {"/paths/~1api~1jobs/get/x-token-kinds", R"(["cli","robot"])", "names an unknown kind"},
    {"/paths/~1api~1jobs/get/x-token-kinds", R"(["cli","trigger"])", "contradicts x-token-kinds"},
    {"/paths/~1api~1jobs/get/security", "{}", "must be a list"},
    {"/paths/~1api~1jobs/get/x-body-limit", "10", "and requestBody need each other"},
    {"/paths/~1api~1jobs/post/x-body-limit", "0", "and requestBody need each other"},
    {"/paths/~1api~1jobs/post/requestBody/content", R"({"text/plain":{"schema":{"type":"string"}}})",
     "only application/json, or any media type"},
    {"/paths/~1api~1jobs/get/parameters", R"([{"name":"a","in":"cookie","schema":{"type":"string"}}])",
     "path, query or header"},
    {"/paths/~1api~1jobs/get/parameters", R"([{"name":"X-A","in":"header","schema":{"type":"string"}}])",
     "no header that is enforced"},
    {"/paths/~1api~1jobs/get/parameters", R"([{"name":"a","in":"query","schema":{"type":"array"}}])",
     "must be a string, integer or boolean"},
    {"/paths/~1api~1jobs/get/parameters", R"([{"name":"a","in":"path","required":true,"schema":{"type":"string"}}])",
     "that the path lacks"},
    {"/paths/~1api~1jobs/get/parameters",
     R"([{"name":"a","in":"query","schema":{"type":"string"}},{"name":"a","in":"query","schema":{"type":"string"}}])",
     "declared twice"},
    {"/paths/~1api~1jobs~1{id}/parameters", "[]", "lacks the required path parameter id"},
    {"/components/schemas/CreateNotificationProvider/discriminator/mapping/email",
     R"("#/components/schemas/CreateSlackProvider")", "variant"},
    {"/components/schemas/CreateSlackProvider/properties/type/const", R"("teams")", "const with the mapping's value"},
    {"/components", "[]", "points to nothing"},
    {"/components/schemas", "[]", ""},
    {"/paths", "null", "must be a map"},
};

TEST_CASE("a wrong value fails the start") {
  for (auto const& [path, value, reason] : mutations) {
    CAPTURE(path);
    CAPTURE(value);
    auto document = shipped_document();
    auto const cut = path.rfind('/');
    std::string name(path.substr(cut + 1));
    json::error_code missing;
    auto* const target = document.find_pointer(path.substr(0, cut), missing);
    if (target == nullptr) {
      // This adds a whole new component.
      auto const outer = path.substr(0, path.rfind('/', cut - 1));
      auto const component = path.substr(outer.size() + 1, cut - outer.size() - 1);
      document.at_pointer(outer).as_object()[component] = json::object{{name, json::parse(value)}};
    } else {
      target->as_object()[name] = json::parse(value);
    }
    auto const message = refusal(document);
    CHECK(message.starts_with("contract: "));
    CHECK(message.find(reason) != std::string::npos);
  }
}

TEST_CASE("a text that is not JSON or not an object is refused") {
  CHECK_THROWS_AS(contract::load(""), std::runtime_error);
  CHECK_THROWS_AS(contract::load("{"), std::runtime_error);
  CHECK_THROWS_AS(contract::load("[]"), std::runtime_error);
  CHECK_THROWS_AS(contract::load("{}"), std::runtime_error);
}

}  // namespace
}  // namespace svc::http
