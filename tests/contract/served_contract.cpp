#include "contract/served_contract.hpp"

#include "http/contract_schema.hpp"

#include <algorithm>

namespace svc::test {
namespace {

namespace json = boost::json;

void close_objects(json::value& value) {
  if (value.is_array()) {
    for (auto& element : value.get_array()) close_objects(element);
  }
  if (!value.is_object()) return;
  auto& object = value.get_object();
  if (object.contains("properties") && !object.contains("additionalProperties"))
    object["additionalProperties"] = false;
  for (auto& [key, child] : object) close_objects(child);
}

json::value closed(std::string const& text) {
  auto document = json::parse(text);
  close_objects(document);
  return document;
}

}  // namespace

bool holds(std::vector<std::string> const& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

served_contract::served_contract(std::string const& text)
    : document_(closed(text)), loaded_(http::contract::load(text)), compiled_(document_) {}

bool served_contract::is_common(std::string_view code) const {
  return holds(common_errors(), code);
}

bool served_contract::declares(http::operation const& op, std::string_view code) const {
  return holds(op.errors, code) || is_common(code);
}

json::value const& served_contract::resolve(json::value const& value) const {
  auto const* const reference = value.is_object() ? value.get_object().if_contains("$ref") : nullptr;
  if (reference == nullptr) return value;
  std::string_view const pointer = reference->get_string();
  return resolve(document_.at_pointer(pointer.substr(1)));
}

json::object const& served_contract::source(http::operation const& op) const {
  std::string method = op.method;
  std::transform(method.begin(), method.end(), method.begin(), [](unsigned char c) { return std::tolower(c); });
  return document_.at("paths").at(op.path).at(method).as_object();
}

std::vector<declared_parameter> served_contract::parameters(http::operation const& op) const {
  std::vector<declared_parameter> out;
  auto const add = [&](json::object const& object) {
    auto const* const list = object.if_contains("parameters");
    if (list == nullptr) return;
    for (auto const& entry : list->as_array()) {
      auto const& element = resolve(entry).as_object();
      out.push_back({std::string(element.at("name").as_string()), std::string(element.at("in").as_string()),
                     resolve(element.at("schema")).as_object()});
    }
  };
  add(document_.at("paths").at(op.path).as_object());
  add(source(op));
  return out;
}

json::object served_contract::body_schema(http::operation const& op) const {
  auto const* const body = source(op).if_contains("requestBody");
  if (body == nullptr) return {};
  return resolve(body->at("content").at(op.any_media ? "*/*" : "application/json").at("schema")).as_object();
}

json::object const* served_contract::response(http::operation const& op, unsigned status) const {
  auto const* const found = source(op).at("responses").as_object().if_contains(std::to_string(status));
  return found == nullptr ? nullptr : &resolve(*found).as_object();
}

json::object const& served_contract::default_response(http::operation const& op) const {
  return resolve(source(op).at("responses").at("default")).as_object();
}

std::vector<unsigned> served_contract::statuses(http::operation const& op) const {
  std::vector<unsigned> out;
  for (auto const& [status, response] : source(op).at("responses").as_object()) {
    if (status != "default") out.push_back(static_cast<unsigned>(std::stoul(status)));
  }
  return out;
}

std::vector<std::string> served_contract::methods(http::operation const& op) const {
  std::vector<std::string> out;
  for (auto const& other : operations()) {
    if (other.path == op.path) out.push_back(other.method);
  }
  return out;
}

std::string served_contract::faults(json::value const& schema, json::value const& value) {
  std::string out;
  for (auto const& [field, message] : http::validate(compiled_.compile(schema, "/answer"), value, {})) {
    out += (field.empty() ? "the body" : field) + " " + message + "\n";
  }
  return out;
}

json::object const& served_contract::schemas() const {
  return document_.at("components").at("schemas").as_object();
}

}  // namespace svc::test
