// Path and query parameters that violate their schemas.
#include "contract/provoker.hpp"

namespace svc::test {
namespace {

namespace json = boost::json;

std::int64_t number(json::object const& schema, std::string_view key) {
  return schema.at(key).as_int64();
}

/// Values just outside what the schema allows, as they appear in a URL.
std::vector<std::string> wrong_values(json::object const& schema) {
  std::vector<std::string> out;
  if (schema.contains("minimum")) out.push_back(std::to_string(number(schema, "minimum") - 1));
  if (schema.contains("maximum")) out.push_back(std::to_string(number(schema, "maximum") + 1));
  if (schema.contains("minLength") && number(schema, "minLength") > 0) out.emplace_back();
  if (schema.contains("maxLength")) out.emplace_back(static_cast<std::size_t>(number(schema, "maxLength") + 1), 'a');
  bool const any_text = schema.at("type") == json::value("string") && !schema.contains("enum") &&
                        !schema.contains("format") && !schema.contains("pattern");
  if (!any_text) out.emplace_back("no%20sense");
  return out;
}

bool has_ids(http::operation const& op) {
  return op.path.find('{') != std::string::npos;
}

attempt asked(contract_fixture& s, http::operation const& op, request const& r, std::string name) {
  auto attempt = s.ask(op, r, r.target.substr(0, 200));
  attempt.pointer = std::move(name);
  return attempt;
}

std::vector<attempt> play_query(contract_fixture& s, http::operation const& op) {
  auto r = s.good(op);
  auto const path = r.target;
  r.target = path + "?nonsense=1";
  std::vector<attempt> out;
  if (!op.lenient_query) out.push_back(asked(s, op, r, "nonsense"));
  for (auto const& parameter : s.contract().parameters(op)) {
    if (parameter.input != "query") continue;
    for (auto const& value : wrong_values(parameter.schema)) {
      r.target = path + "?" + parameter.name + "=" + value;
      out.push_back(asked(s, op, r, parameter.name));
    }
  }
  return out;
}

std::vector<attempt> play_path(contract_fixture& s, http::operation const& op) {
  std::vector<attempt> out;
  auto r = s.good(op);
  for (auto const& parameter : s.contract().parameters(op)) {
    // A key is no id: a wrong one is not found.
    if (parameter.input != "path" || parameter.name == "key") continue;
    auto ids = s.main().ids;
    auto const braces = "/{" + parameter.name + "}";
    auto const before = op.path.substr(0, op.path.find(braces));
    ids.at(before.substr(before.rfind('/') + 1)) = "nonsense";
    r.target = path_of(op, ids);
    out.push_back(asked(s, op, r, parameter.name));
  }
  return out;
}

}  // namespace

std::vector<provoker> parameters(contract_fixture& s) {
  std::vector<provoker> out;
  out.push_back(
      {"validation_failed", "query", any_operation, [&s](http::operation const& op) { return play_query(s, op); }});
  out.push_back({"validation_failed", "path", has_ids, [&s](http::operation const& op) { return play_path(s, op); }});
  return out;
}

}  // namespace svc::test
