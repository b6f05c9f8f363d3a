#include "http/contract_schema.hpp"

#include "http/contract_pointer.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace svc::http {

namespace json = boost::json;

namespace {

constexpr std::pair<std::string_view, json_type> type_names[] = {
    {"null", json_null},     {"boolean", json_boolean}, {"integer", json_integer}, {"number", json_number},
    {"string", json_string}, {"array", json_array},     {"object", json_object},
};

/// The types of values that each keyword applies to. It means nothing on values of other types, and is not enforced
/// there.
constexpr std::pair<std::string_view, unsigned> applies_to[] = {
    {"properties", json_object},
    {"required", json_object},
    {"additionalProperties", json_object},
    {"propertyNames", json_object},
    {"minProperties", json_object},
    {"maxProperties", json_object},
    {"oneOf", json_object},
    {"discriminator", json_object},
    {"items", json_array},
    {"minItems", json_array},
    {"maxItems", json_array},
    {"uniqueItems", json_array},
    {"minLength", json_string},
    {"maxLength", json_string},
    {"x-max-bytes", json_string},
    {"pattern", json_string},
    {"x-message", json_string},
    {"format", json_string},
    {"minimum", json_integer | json_number},
    {"maximum", json_integer | json_number},
};

constexpr std::pair<std::string_view, std::size_t schema::*> sizes[] = {
    {"minProperties", &schema::min_properties}, {"maxProperties", &schema::max_properties},
    {"minItems", &schema::min_items},           {"maxItems", &schema::max_items},
    {"minLength", &schema::min_length},         {"maxLength", &schema::max_length},
    {"x-max-bytes", &schema::max_bytes},
};

// uniqueItems compares each item with all others.
constexpr std::size_t max_unique_items = 1000;

}  // namespace

/// Fills one node after the other; lives only while a document is compiled.
class schema_compiler {
 public:
  schema_compiler(schema_set& set, std::string_view path) : set_(set), path_(path) {}

  schema const& compile(json::value const& source) {
    auto const& object = source.as_object();
    if (auto const* reference = object.if_contains("$ref")) return referred(reference->get_string());
    auto& node = set_.nodes_.emplace_back();
    fill(node, object);
    return node;
  }

 private:
  schema const& referred(std::string_view target) {
    auto const name = std::string(target.substr(target.rfind('/') + 1));
    if (auto const found = set_.components_.find(name); found != set_.components_.end()) return *found->second;
    // Registered before it is filled, so that a schema may contain itself.
    auto& node = set_.nodes_.emplace_back();
    set_.components_.emplace(name, &node);
    schema_compiler(set_, "/components/schemas/" + name).fill(node, set_.sources_.at(name).as_object());
    return node;
  }

  schema const* child(json::value const& source, std::string_view name) {
    auto const mark = path_.mark();
    path_.push(name);
    auto const* const node = &compile(source);
    path_.back_to(mark);
    return node;
  }

  void fill(schema& node, json::object const& source) {
    node.types = types(source.at("type"));
    for (auto const& [keyword, kinds] : applies_to) {
      if (source.contains(keyword) && (node.types & kinds) == 0) refuse(keyword, "is not enforced on this type");
    }
    for (auto const& [keyword, field] : sizes) {
      if (auto const* value = source.if_contains(keyword)) node.*field = size(*value, keyword);
    }
    fill_values(node, source);
    fill_string(node, source);
    fill_object(node, source);
    fill_variants(node, source);
    if (auto const* items = source.if_contains("items")) node.items = child(*items, "items");
    if (auto const* unique = source.if_contains("uniqueItems")) node.unique_items = unique->get_bool();
    if (node.unique_items && node.max_items > max_unique_items) refuse("uniqueItems", "needs a small maxItems");
    if (node.default_value && !validate(node, *node.default_value, {}).empty()) {
      refuse("default", "breaks its own schema");
    }
  }

  unsigned types(json::value const& value) {
    unsigned found = 0;
    auto const add = [&](json::value const& name) {
      auto const* const known = std::find_if(std::begin(type_names), std::end(type_names), [&](auto const& t) {
        return name.is_string() && name.get_string() == t.first;
      });
      if (known == std::end(type_names)) refuse("type", "is no type");
      found |= known->second;
    };
    if (value.is_array()) {
      for (auto const& name : value.get_array()) add(name);
      if (found == 0) refuse("type", "is empty");
    } else {
      add(value);
    }
    return found;
  }

  void fill_values(schema& node, json::object const& source) {
    if (auto const* values = source.if_contains("enum")) {
      if (!values->is_array() || values->get_array().empty()) refuse("enum", "must be a list of values");
      node.allowed.assign(values->get_array().begin(), values->get_array().end());
    }
    if (auto const* value = source.if_contains("const")) {
      if (!node.allowed.empty()) refuse("const", "must not be combined with enum");
      node.allowed.push_back(*value);
    }
    if (auto const* value = source.if_contains("minimum")) node.minimum = value->get_int64();
    if (auto const* value = source.if_contains("maximum")) node.maximum = value->get_int64();
    if (auto const* value = source.if_contains("default")) node.default_value = *value;
  }

  void fill_string(schema& node, json::object const& source) {
    if (auto const* name = source.if_contains("format")) {
      node.format = find_format(name->get_string());
      if (node.format == nullptr) refuse("format", "is not enforced");
    }
    auto const* const pattern = source.if_contains("pattern");
    auto const* const message = source.if_contains("x-message");
    if (pattern == nullptr) {
      if (message != nullptr) refuse("x-message", "needs a pattern");
      return;
    }
    std::string const text(pattern->get_string());
    node.pattern = std::make_shared<re2::RE2 const>(text, re2::RE2::Quiet);
    if (!node.pattern->ok()) refuse("pattern", "is no regular expression of RE2");
    node.pattern_message = message != nullptr ? std::string(message->get_string()) : "must match " + text;
  }

  void fill_object(schema& node, json::object const& source) {
    if (auto const* properties = source.if_contains("properties")) {
      auto const mark = path_.mark();
      path_.push("properties");
      for (auto const& [name, value] : properties->as_object()) {
        node.properties.emplace_back(name, child(value, name));
      }
      path_.back_to(mark);
      std::sort(node.properties.begin(), node.properties.end());
    }
    if (auto const* names = source.if_contains("required")) {
      for (auto const& name : names->get_array()) node.required.push_back(required_name(node, name));
    }
    if (auto const* additional = source.if_contains("additionalProperties")) {
      node.closed = additional->is_bool();
      if (!node.closed) node.additional = child(*additional, "additionalProperties");
    }
    if (auto const* names = source.if_contains("propertyNames")) node.names = child(*names, "propertyNames");
  }

  std::string required_name(schema const& node, json::value const& name) {
    auto const known = [&](auto const& property) { return property.first == name.get_string(); };
    if (std::none_of(node.properties.begin(), node.properties.end(), known)) {
      refuse("required", "names a member that `properties` lacks");
    }
    return std::string(name.get_string());
  }

  /// `oneOf` is decided by the discriminator alone, so each variant has to be named by it and to check it.
  void fill_variants(schema& node, json::object const& source) {
    auto const* const choices = source.if_contains("oneOf");
    auto const* const discriminator = source.if_contains("discriminator");
    if ((choices == nullptr) != (discriminator == nullptr)) refuse("oneOf", "and discriminator need each other");
    if (choices == nullptr) return;
    node.discriminator = std::string(discriminator->at("propertyName").get_string());
    auto const& mapping = discriminator->at("mapping").get_object();
    if (mapping.size() != choices->get_array().size()) refuse("discriminator", "must map each variant once");
    for (auto const& choice : choices->get_array()) {
      auto const* const target = choice.get_object().if_contains("$ref");
      auto const entry = std::find_if(mapping.begin(), mapping.end(),
                                      [&](auto const& m) { return target != nullptr && m.value() == *target; });
      if (entry == mapping.end()) refuse("oneOf", "has a variant that the mapping does not name");
      node.variants.emplace_back(entry->key(), variant(node.discriminator, entry->key(), target->get_string()));
    }
  }

  schema const* variant(std::string_view property, std::string_view value, std::string_view target) {
    auto const* const node = &referred(target);
    auto const found = std::find_if(node->properties.begin(), node->properties.end(),
                                    [&](auto const& p) { return p.first == property; });
    if (!node->discriminator.empty() || found == node->properties.end() || found->second->allowed.size() != 1 ||
        found->second->allowed.front() != json::value(value)) {
      refuse("oneOf", "needs variants whose discriminator is a const with the mapping's value");
    }
    return node;
  }

  std::size_t size(json::value const& value, std::string_view keyword) {
    if (value.get_int64() < 0) refuse(keyword, "must not be negative");
    return static_cast<std::size_t>(value.get_int64());
  }

  [[noreturn]] void refuse(std::string_view keyword, std::string_view reason) {
    path_.push(keyword);
    refuse_contract(path_, reason);
  }

  schema_set& set_;
  pointer_path path_;
};

schema_set::schema_set(json::value const& document) : sources_(document.at("components").at("schemas").as_object()) {
  for (auto const& [name, source] : sources_) {
    compile(json::object{{"$ref", "#/components/schemas/" + std::string(name)}}, "/components/schemas");
  }
}

schema const& schema_set::compile(json::value const& source, std::string_view path) {
  return schema_compiler(*this, path).compile(source);
}

schema const* schema_set::component(std::string_view name) const {
  auto const found = components_.find(name);
  return found == components_.end() ? nullptr : found->second;
}

}  // namespace svc::http
