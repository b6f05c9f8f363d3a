#include "api/object_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace svc::api {

std::size_t code_points(std::string_view text) {
  auto const starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return static_cast<std::size_t>(std::ranges::count_if(text, starts));
}

result<> verdict(std::vector<field_error> wrong) {
  if (wrong.empty()) return {};
  return error(errc::validation_failed, {}, std::move(wrong));
}

boost::json::value const* object_reader::find(std::string_view name) const {
  auto const* const found = from_.if_contains(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string object_reader::pointer(std::string_view name) const {
  std::string out = place_ + "/";
  for (char c : name) {
    // RFC 6901 section 3.
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

void object_reader::fault(std::string_view name, std::string message) {
  wrong_.push_back({pointer(name), std::move(message)});
}

boost::json::string const* object_reader::find_text(std::string_view name, length allowed) {
  auto const* const found = find(name);
  if (found == nullptr) return nullptr;
  std::size_t const size = found->is_string() ? code_points(found->get_string()) : 0;
  if (!found->is_string() || size < allowed.least || size > allowed.most) {
    fault(name, "must be a string of " + std::to_string(allowed.least) + " to " + std::to_string(allowed.most) +
                    " characters");
    return nullptr;
  }
  return &found->get_string();
}

std::optional<std::string> object_reader::maybe_text(std::string_view name, length allowed) {
  auto const* const found = find_text(name, allowed);
  if (found == nullptr) return std::nullopt;
  return std::string(*found);
}

std::string object_reader::text(std::string_view name, length allowed) {
  if (!has(name)) fault(name, "is required");
  return maybe_text(name, allowed).value_or("");
}

std::string object_reader::one_of(std::string_view name, std::initializer_list<std::string_view> words,
                                  std::string_view otherwise) {
  auto const* const found = find(name);
  if (found == nullptr) return std::string(otherwise);
  if (found->is_string()) {
    std::string_view const word = found->get_string();
    if (std::ranges::find(words, word) != words.end()) return std::string(word);
  }
  std::string expected;
  for (auto word : words) expected += (expected.empty() ? "" : ", ") + std::string(word);
  fault(name, "must be one of " + expected);
  return std::string(otherwise);
}

bool object_reader::boolean(std::string_view name, bool otherwise) {
  auto const* const found = find(name);
  if (found == nullptr) return otherwise;
  if (!found->is_bool()) fault(name, "must be true or false");
  return found->is_bool() ? found->get_bool() : otherwise;
}

std::optional<std::int64_t> object_reader::maybe_integer(std::string_view name, std::int64_t least,
                                                         std::int64_t most) {
  auto const* const found = find(name);
  if (found == nullptr) return std::nullopt;
  if (found->is_int64() && found->get_int64() >= least && found->get_int64() <= most) return found->get_int64();
  fault(name, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::int64_t object_reader::integer(std::string_view name, std::int64_t least, std::int64_t most,
                                    std::int64_t otherwise) {
  return maybe_integer(name, least, most).value_or(otherwise);
}

boost::json::array const* object_reader::maybe_array(std::string_view name, std::size_t most) {
  auto const* const found = find(name);
  if (found == nullptr) return nullptr;
  if (found->is_array() && found->get_array().size() <= most) return &found->get_array();
  fault(name, "must be a list of at most " + std::to_string(most));
  return nullptr;
}

boost::json::object const* object_reader::maybe_object(std::string_view name) {
  auto const* const found = find(name);
  if (found == nullptr) return nullptr;
  if (!found->is_object()) fault(name, "must be an object");
  return found->if_object();
}

void object_reader::only(std::initializer_list<std::string_view> names) {
  for (auto const& member : from_) {
    std::string_view const name = member.key();
    if (std::ranges::find(names, name) == names.end()) fault(name, "is not known here");
  }
}

// Recursion is as deep as the patch, which the JSON border bounds.
boost::json::object merge_patch(boost::json::object target, boost::json::object const& patch) {
  for (auto const& member : patch) {
    if (member.value().is_null()) {
      target.erase(member.key());
      continue;
    }
    if (!member.value().is_object()) {
      target[member.key()] = member.value();
      continue;
    }
    auto& place = target[member.key()];
    auto inner = place.is_object() ? std::move(place.get_object()) : boost::json::object();
    place = merge_patch(std::move(inner), member.value().get_object());
  }
  return target;
}

}  // namespace svc::api
