#include "http/contract_operations.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace svc::http {
namespace {

namespace json = boost::json;

enum class kind : std::uint8_t {
  free,  ///< any value: an example, or something that is checked where it is read
  text,
  texts,  ///< list of texts
  whole,  ///< int64
  flag,   ///< true or false
  document,
  info,
  contact,
  license,
  server,
  tag,
  components,
  security_scheme,
  path_item,
  operation,
  parameter,
  deprecation,
  request_body,
  response,
  header,
  media,
  example,
  schema,
  additional,  ///< false, or a schema
  discriminator,
};

enum class shape : std::uint8_t { single, list, map };

struct member {
  kind subject;
  std::string_view name;
  bool required = false;
  kind child = kind::free;
  shape form = shape::single;
};

constexpr auto required = true;
constexpr auto optional = false;

constexpr member members[] = {
    {kind::document, "openapi", required, kind::text},
    {kind::document, "info", required, kind::info},
    {kind::document, "servers", required, kind::server, shape::list},
    {kind::document, "tags", required, kind::tag, shape::list},
    {kind::document, "x-common-errors", required, kind::texts},
    {kind::document, "paths", required, kind::path_item, shape::map},
    {kind::document, "components", required, kind::components},
    {kind::info, "title", required, kind::text},
    {kind::info, "version", required, kind::text},
    {kind::info, "summary", optional, kind::text},
    {kind::info, "description", optional, kind::text},
    {kind::info, "contact", optional, kind::contact},
    {kind::info, "license", optional, kind::license},
    {kind::contact, "name", optional, kind::text},
    {kind::contact, "url", optional, kind::text},
    {kind::license, "name", required, kind::text},
    {kind::license, "identifier", optional, kind::text},
    {kind::server, "url", required, kind::text},
    {kind::server, "description", optional, kind::text},
    {kind::tag, "name", required, kind::text},
    {kind::tag, "description", optional, kind::text},
    {kind::components, "securitySchemes", required, kind::security_scheme, shape::map},
    {kind::components, "schemas", required, kind::schema, shape::map},
    {kind::components, "parameters", optional, kind::parameter, shape::map},
    {kind::components, "headers", optional, kind::header, shape::map},
    {kind::components, "responses", optional, kind::response, shape::map},
    {kind::components, "examples", optional, kind::example, shape::map},
    {kind::security_scheme, "type", required, kind::text},
    {kind::security_scheme, "scheme", optional, kind::text},
    {kind::security_scheme, "in", optional, kind::text},
    {kind::security_scheme, "name", optional, kind::text},
    {kind::security_scheme, "description", optional, kind::text},
    {kind::path_item, "parameters", optional, kind::parameter, shape::list},
    {kind::path_item, "get", optional, kind::operation},
    {kind::path_item, "put", optional, kind::operation},
    {kind::path_item, "post", optional, kind::operation},
    {kind::path_item, "delete", optional, kind::operation},
    {kind::path_item, "patch", optional, kind::operation},
    {kind::operation, "operationId", required, kind::text},
    {kind::operation, "tags", required, kind::texts},
    {kind::operation, "summary", required, kind::text},
    {kind::operation, "description", required, kind::text},
    {kind::operation, "parameters", optional, kind::parameter, shape::list},
    {kind::operation, "requestBody", optional, kind::request_body},
    {kind::operation, "security", required},
    {kind::operation, "x-permission", required, kind::text},
    {kind::operation, "x-token-kinds", required, kind::texts},
    {kind::operation, "x-rate-class", required, kind::text},
    {kind::operation, "x-body-limit", required, kind::whole},
    {kind::operation, "x-errors", required, kind::texts},
    {kind::operation, "x-success", required, kind::whole},
    {kind::operation, "x-scope", optional, kind::text},
    {kind::operation, "x-fresh", optional, kind::flag},
    {kind::operation, "x-served-by", optional, kind::text},
    {kind::operation, "deprecated", optional, kind::flag},
    {kind::operation, "x-deprecated", optional, kind::deprecation},
    {kind::deprecation, "since", required, kind::text},
    {kind::deprecation, "sunset", optional, kind::text},
    {kind::operation, "responses", required, kind::response, shape::map},
    {kind::parameter, "name", required, kind::text},
    {kind::parameter, "in", required, kind::text},
    {kind::parameter, "required", optional, kind::flag},
    {kind::parameter, "description", optional, kind::text},
    {kind::parameter, "schema", required, kind::schema},
    {kind::request_body, "required", required, kind::flag},
    {kind::request_body, "content", required, kind::media, shape::map},
    {kind::response, "description", required, kind::text},
    {kind::response, "headers", optional, kind::header, shape::map},
    {kind::response, "content", optional, kind::media, shape::map},
    {kind::header, "description", optional, kind::text},
    {kind::header, "schema", required, kind::schema},
    {kind::media, "schema", required, kind::schema},
    {kind::media, "examples", optional, kind::example, shape::map},
    {kind::example, "summary", optional, kind::text},
    {kind::example, "value", required},
    {kind::schema, "type", required},
    {kind::schema, "title", optional, kind::text},
    {kind::schema, "description", optional, kind::text},
    {kind::schema, "default"},
    {kind::schema, "examples"},
    {kind::schema, "enum"},
    {kind::schema, "const"},
    {kind::schema, "properties", optional, kind::schema, shape::map},
    {kind::schema, "required", optional, kind::texts},
    {kind::schema, "additionalProperties", optional, kind::additional},
    {kind::schema, "propertyNames", optional, kind::schema},
    {kind::schema, "minProperties", optional, kind::whole},
    {kind::schema, "maxProperties", optional, kind::whole},
    {kind::schema, "items", optional, kind::schema},
    {kind::schema, "minItems", optional, kind::whole},
    {kind::schema, "maxItems", optional, kind::whole},
    {kind::schema, "uniqueItems", optional, kind::flag},
    {kind::schema, "minLength", optional, kind::whole},
    {kind::schema, "maxLength", optional, kind::whole},
    {kind::schema, "x-max-bytes", optional, kind::whole},
    {kind::schema, "pattern", optional, kind::text},
    {kind::schema, "x-message", optional, kind::text},
    {kind::schema, "format", optional, kind::text},
    {kind::schema, "minimum", optional, kind::whole},
    {kind::schema, "maximum", optional, kind::whole},
    {kind::schema, "oneOf", optional, kind::schema, shape::list},
    {kind::schema, "discriminator", optional, kind::discriminator},
    {kind::discriminator, "propertyName", required, kind::text},
    {kind::discriminator, "mapping", required, kind::text, shape::map},
};

/// Where components of a kind stand; empty for kinds that are never referred to.
constexpr std::string_view section(kind kind) {
  switch (kind) {
    case kind::schema:
    case kind::additional:
      return "schemas";
    case kind::parameter:
      return "parameters";
    case kind::header:
      return "headers";
    case kind::response:
      return "responses";
    case kind::example:
      return "examples";
    default:
      return {};
  }
}

class grammar {
 public:
  explicit grammar(json::value const& document) : document_(document) {}

  void check(kind kind, json::value const& value) {
    if (kind < kind::document) return check_value(kind, value);
    if (kind == kind::additional && value == json::value(false)) return;
    if (kind == kind::additional) kind = kind::schema;
    if (!value.is_object()) refuse_contract(path_, "must be an object");
    auto const& object = value.get_object();
    if (object.contains("$ref") && !section(kind).empty()) {
      check_reference(kind, object);
      return;
    }
    for (auto const& [name, child] : object) check_member(kind, name, child);
    for (auto const& known : members) {
      if (known.subject == kind && known.required && !object.contains(known.name)) {
        refuse_contract(path_, "lacks " + std::string(known.name));
      }
    }
  }

 private:
  void check_value(kind kind, json::value const& value) {
    auto const is_text = [](json::value const& v) { return v.is_string(); };
    if (kind == kind::text && !value.is_string()) refuse_contract(path_, "must be a text");
    if (kind == kind::whole && !value.is_int64()) refuse_contract(path_, "must be an integer");
    if (kind == kind::flag && !value.is_bool()) refuse_contract(path_, "must be true or false");
    if (kind != kind::texts) return;
    if (!value.is_array() || !std::all_of(value.get_array().begin(), value.get_array().end(), is_text)) {
      refuse_contract(path_, "must be a list of texts");
    }
  }

  void check_member(kind kind, std::string_view name, json::value const& child) {
    auto const mark = path_.mark();
    path_.push(name);
    auto const* const known = std::find_if(std::begin(members), std::end(members),
                                           [&](auto const& m) { return m.subject == kind && m.name == name; });
    if (known == std::end(members)) refuse_contract(path_, "is no keyword that is enforced here");
    check_children(*known, child);
    path_.back_to(mark);
  }

  void check_children(member const& known, json::value const& value) {
    auto const mark = path_.mark();
    if (known.form == shape::single) {
      check(known.child, value);
    } else if (known.form == shape::list) {
      if (!value.is_array()) refuse_contract(path_, "must be a list");
      for (std::size_t i = 0; i < value.get_array().size(); ++i) {
        path_.push(i);
        check(known.child, value.get_array()[i]);
        path_.back_to(mark);
      }
    } else {
      if (!value.is_object()) refuse_contract(path_, "must be a map");
      for (auto const& [key, child] : value.get_object()) {
        path_.push(key);
        check(known.child, child);
        path_.back_to(mark);
      }
    }
  }

  void check_reference(kind kind, json::object const& object) {
    auto const mark = path_.mark();
    path_.push("$ref");
    if (object.size() != 1) refuse_contract(path_, "must stand alone");
    auto const& target = object.at("$ref");
    auto const prefix = "#/components/" + std::string(section(kind)) + "/";
    if (!target.is_string() || !target.get_string().starts_with(prefix)) {
      refuse_contract(path_, "must begin with " + prefix);
    }
    auto const name = std::string_view(target.get_string()).substr(prefix.size());
    // The shape of what encloses it is checked first, so that a malformed document is an error, not a crash.
    auto const* components = document_.is_object() ? document_.get_object().if_contains("components") : nullptr;
    auto const* found =
        components && components->is_object() ? components->get_object().if_contains(section(kind)) : nullptr;
    auto const* component = found && found->is_object() ? found->get_object().if_contains(name) : nullptr;
    if (component == nullptr) refuse_contract(path_, "points to nothing");
    if (component->is_object() && component->get_object().contains("$ref")) {
      refuse_contract(path_, "points to another reference");
    }
    path_.back_to(mark);
  }

  json::value const& document_;
  pointer_path path_;
};

}  // namespace

void check_grammar(json::value const& document) {
  grammar(document).check(kind::document, document);
}

json::value const& resolve(json::value const& document, json::value const& value) {
  auto const* const reference = value.is_object() ? value.get_object().if_contains("$ref") : nullptr;
  if (reference == nullptr) return value;
  std::string_view path = reference->get_string();
  path.remove_prefix(std::string_view("#/components/").size());
  auto const slash = path.find('/');
  return document.at("components").at(path.substr(0, slash)).at(path.substr(slash + 1));
}

}  // namespace svc::http
