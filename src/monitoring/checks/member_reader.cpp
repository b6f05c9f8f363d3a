#include "monitoring/checks/member_reader.hpp"

#include <boost/json/array.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace svc::checks {

namespace json = boost::json;

namespace {

/// RFC 6901 3.
std::string pointer_token(std::string_view name) {
  std::string out;
  for (char const c : name.substr(0, 100)) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

}  // namespace

json::value const* member_reader::take(std::string_view name) {
  taken_.push_back(name);
  auto const* const found = object_.if_contains({name.data(), name.size()});
  return found == nullptr || found->is_null() ? nullptr : found;
}

bool member_reader::flag(std::string_view name, bool otherwise) {
  auto const* const value = take(name);
  if (value == nullptr) return otherwise;
  if (value->is_bool()) return value->get_bool();
  refuse(name, "must be true or false");
  return otherwise;
}

std::optional<std::int64_t> member_reader::number(std::string_view name, std::int64_t least, std::int64_t most) {
  auto const* const value = take(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_int64() && value->get_int64() >= least && value->get_int64() <= most) return value->get_int64();
  refuse(name, "must be a whole number of " + std::to_string(least) + " to " + std::to_string(most));
  return std::nullopt;
}

std::optional<std::string> member_reader::text(std::string_view name, std::size_t most) {
  auto const* const value = take(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_string() && !value->get_string().empty() && value->get_string().size() <= most)
    return std::string(value->get_string());
  refuse(name, "must be a text of 1 to " + std::to_string(most) + " bytes");
  return std::nullopt;
}

std::size_t member_reader::choice(std::string_view name, std::initializer_list<std::string_view> words) {
  auto const* const value = take(name);
  if (value == nullptr) return 0;
  if (value->is_string()) {
    auto const found = std::ranges::find(words, std::string_view(value->get_string()));
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  }
  std::string all;
  for (auto const word : words) all.append(all.empty() ? "" : ", ").append(word);
  refuse(name, "must be one of " + all);
  return 0;
}

json::object const* member_reader::object(std::string_view name) {
  auto const* const value = take(name);
  if (value == nullptr) return nullptr;
  if (!value->is_object()) refuse(name, "must be an object");
  return value->if_object();
}

std::span<json::value const> member_reader::list(std::string_view name, std::size_t most) {
  auto const* const value = take(name);
  if (value == nullptr) return {};
  if (value->is_array() && value->get_array().size() <= most)
    return {value->get_array().data(), value->get_array().size()};
  refuse(name, "must be a list of at most " + std::to_string(most));
  return {};
}

void member_reader::refuse_if_there(std::string_view name, std::string_view reason) {
  if (take(name) != nullptr) refuse(name, std::string(reason));
}

void member_reader::finish() {
  for (auto const& member : object_) {
    std::string_view const name(member.key().data(), member.key().size());
    if (std::ranges::find(taken_, name) == taken_.end()) refuse(pointer_token(name), "is unknown");
  }
}

}  // namespace svc::checks
