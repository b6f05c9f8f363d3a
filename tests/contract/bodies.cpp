// Bodies that are not JSON, missing, too large, or violate their schemas; derived from the schemas.
#include "contract/provoker.hpp"

#include <algorithm>

namespace svc::test {
namespace {

namespace json = boost::json;

std::string type_of(json::value const& value) {
  if (value.is_null()) return "null";
  if (value.is_bool()) return "boolean";
  if (value.is_string()) return "string";
  if (value.is_array()) return "array";
  return value.is_object() ? "object" : "number";
}

/// A value of a type that the schema does not have.
json::value wrong_value(json::object const& schema) {
  auto const& type = schema.at("type");
  auto const allows = [&](std::string const& name) {
    if (type.is_string()) return type.get_string() == name;
    auto const& list = type.as_array();
    return std::find(list.begin(), list.end(), json::value(name)) != list.end();
  };
  json::value const candidates[] = {true, "text", json::array(), json::object()};
  auto const* const found = std::find_if(std::begin(candidates), std::end(candidates),
                                         [&](json::value const& c) { return !allows(type_of(c)); });
  return *found;
}

/// The schema that the example follows: the given one, or the variant selected by its discriminator.
json::object schema_for(served_contract const& contract, json::object schema, json::object const& example) {
  auto const* const discriminator = schema.if_contains("discriminator");
  if (discriminator == nullptr) return schema;
  std::string_view const property = discriminator->at("propertyName").as_string();
  auto const& target = discriminator->at("mapping").at(example.at(property).as_string());
  return contract.resolve(json::object{{"$ref", target}}).as_object();
}

struct wrong_body {
  std::string text;
  std::string pointer;
};

std::vector<wrong_body> wrong_bodies(served_contract const& contract, json::object const& example,
                                     json::object const& schema) {
  std::vector<wrong_body> out{{"[]", ""}, {"null", ""}};
  auto const spoilt = [&](std::string_view member, json::value value) {
    auto body = example;
    body[member] = std::move(value);
    out.push_back({json::serialize(body), "/" + std::string(member)});
  };
  spoilt("nonsense", 1);
  for (auto const& [name, property] : schema.at("properties").as_object())
    spoilt(name, wrong_value(contract.resolve(property).as_object()));
  if (auto const* const required = schema.if_contains("required")) {
    for (auto const& name : required->as_array()) {
      auto body = example;
      body.erase(name.as_string());
      out.push_back({json::serialize(body), "/" + std::string(name.as_string())});
    }
  }
  if (schema.contains("minProperties")) out.push_back({"{}", ""});
  return out;
}

std::vector<attempt> play_schema(contract_fixture& s, http::operation const& op) {
  std::vector<attempt> out;
  auto r = s.good(op);
  for (auto const& text : s.documented_bodies(op, s.main())) {
    auto const example = json::parse(text).as_object();
    auto const schema = schema_for(s.contract(), s.contract().body_schema(op), example);
    for (auto const& wrong : wrong_bodies(s.contract(), example, schema)) {
      r.body = wrong.text;
      out.push_back(s.ask(op, r, wrong.text));
      out.back().pointer = wrong.pointer;
    }
  }
  if (!op.body_required) return out;
  r.body.clear();
  out.push_back(s.ask(op, r, "no body"));
  return out;
}

std::vector<attempt> play_no_json(contract_fixture& s, http::operation const& op) {
  std::vector<attempt> out;
  auto r = s.good(op);
  for (std::string const text :
       {"{\"name\":", "{\"name\":\"\xff\"}", "{\"a\":1,\"a\":2}", "{\"a\":1e999}", "nonsense"}) {
    r.body = text;
    out.push_back(s.ask(op, r, text));
  }
  r.body = std::string(33, '[') + std::string(33, ']');
  out.push_back(s.ask(op, r, "too deep"));
  return out;
}

std::vector<attempt> play_other_media(contract_fixture& s, http::operation const& op) {
  std::vector<attempt> out;
  auto r = s.good(op);
  for (std::string const media : {"text/plain", "application/json; charset=latin1", ""}) {
    r.media = media;
    out.push_back(s.ask(op, r, media));
  }
  return out;
}

std::vector<attempt> play_coded(contract_fixture& s, http::operation const& op) {
  std::vector<attempt> out;
  auto r = s.good(op);
  for (std::string const coding : {"gzip", "x-nonsense", "identity, gzip"}) {
    r.headers = {{"Content-Encoding", coding}};
    out.push_back(s.ask(op, r, coding));
  }
  return out;
}

/// Announced as one byte too large: a client learns that without uploading it.
std::vector<attempt> play_too_large(contract_fixture& s, http::operation const& op) {
  auto const r = s.good(op);
  std::string head = r.method + " " + r.target + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
  if (!r.token.empty()) head += "Authorization: Bearer " + r.token + "\r\n";
  bool const counted = op.rate_class != "none";
  auto client = s.client();
  std::vector<attempt> out{
      {client.raw(head + "Content-Length: " + std::to_string(op.body_limit + 1) + "\r\n\r\n"), counted, "declared"}};
  if (op.body_limit > 65536) return out;
  auto two = s.client();
  auto const chunk = std::string(op.body_limit + 1, ' ');
  char size[16];
  std::snprintf(size, sizeof size, "%zx", chunk.size());
  out.push_back({two.raw(head + "Transfer-Encoding: chunked\r\n\r\n" + size + "\r\n" + chunk + "\r\n0\r\n\r\n"),
                 counted, "chunked"});
  return out;
}

}  // namespace

std::vector<provoker> bodies(contract_fixture& s) {
  std::vector<provoker> out;
  out.push_back(
      {"validation_failed", "body", with_json, [&s](http::operation const& op) { return play_schema(s, op); }});
  out.push_back(
      {"malformed_json", "body", with_json, [&s](http::operation const& op) { return play_no_json(s, op); }});
  out.push_back({"unsupported_media_type", "body", with_json,
                 [&s](http::operation const& op) { return play_other_media(s, op); }});
  out.push_back({"unsupported_content_coding", "body", with_body,
                 [&s](http::operation const& op) { return play_coded(s, op); }});
  out.push_back(
      {"body_too_large", "body", any_operation, [&s](http::operation const& op) { return play_too_large(s, op); }});
  return out;
}

}  // namespace svc::test
