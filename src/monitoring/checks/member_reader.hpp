#pragma once

#include "svc/core/result.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::checks {

/// Takes the members of one JSON object, each once, and notes their faults. Members that were not taken are unknown.
/// A null member counts as absent. Lives while one configuration is read.
class member_reader {
 public:
  /// `path` is the object's JSON pointer. The object and `wrong` outlive the reader.
  member_reader(boost::json::object const& object, std::string path, std::vector<field_error>& wrong)
      : object_(object), path_(std::move(path)), wrong_(wrong) {}

  /// Returns null if the member is absent.
  boost::json::value const* take(std::string_view name);
  bool flag(std::string_view name, bool otherwise);
  std::optional<std::int64_t> number(std::string_view name, std::int64_t least, std::int64_t most);
  std::int64_t number_or(std::string_view name, std::int64_t least, std::int64_t most, std::int64_t otherwise) {
    return number(name, least, most).value_or(otherwise);
  }
  /// Returns a text of UTF-8 that is not empty and has at most `most` bytes.
  std::optional<std::string> text(std::string_view name, std::size_t most);
  /// Returns the index of one of the words; 0 if the member is absent or none of them.
  std::size_t choice(std::string_view name, std::initializer_list<std::string_view> words);
  /// Returns null if the member is absent or no object.
  boost::json::object const* object(std::string_view name);
  /// Returns an empty list if the member is absent or no list.
  std::span<boost::json::value const> list(std::string_view name, std::size_t most);

  std::string place_of(std::string_view name) const { return path_ + "/" + std::string(name); }
  void refuse(std::string_view name, std::string reason) { wrong_.push_back({place_of(name), std::move(reason)}); }
  std::vector<field_error>& wrong() { return wrong_; }
  /// Refuses a member that only other types have.
  void refuse_if_there(std::string_view name, std::string_view reason);
  /// Takes a member that has no effect.
  void ignore(std::string_view name) { taken_.push_back(name); }
  /// Refuses all members that were not taken.
  void finish();

 private:
  boost::json::object const& object_;
  std::string path_;
  std::vector<field_error>& wrong_;
  std::vector<std::string_view> taken_;
};

}  // namespace svc::checks
