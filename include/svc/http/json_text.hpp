#pragma once

#include "svc/http/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::http {

/// Writes one JSON object member by member straight into text: for the few answers that are given so often that
/// building a tree first would be a twentieth of their cost. Names and nesting are the caller's to keep right; names
/// are written as they are, so they are literals. A value of one request's coroutine.
class json_text {
 public:
  json_text() { out_.reserve(512); }

  json_text& member(std::string_view name, std::string_view text) {
    key(name);
    append_json_string(out_, text);
    return *this;
  }
  json_text& member(std::string_view name, std::int64_t number) {
    key(name);
    out_ += std::to_string(number);
    return *this;
  }
  json_text& open(std::string_view name) {
    key(name);
    out_.push_back('{');
    return *this;
  }
  json_text& close() {
    out_.push_back('}');
    return *this;
  }
  /// The whole object; nothing may be added afterwards.
  std::string take() {
    out_.push_back('}');
    return std::move(out_);
  }

 private:
  void key(std::string_view name) {
    if (out_.back() != '{') out_.push_back(',');
    out_.push_back('"');
    out_.append(name);
    out_.append("\":");
  }

  std::string out_ = "{";
};

}  // namespace svc::http
