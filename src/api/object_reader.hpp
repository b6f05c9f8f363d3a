#pragma once

#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::api {

/// How long a text may be, in code points.
struct length {
  std::size_t least = 0;
  std::size_t most = 0;
};

/// Reads members of a JSON object that may have any shape, and collects all that is wrong. The contract has
/// checked what a client sent; what a merge patch makes of a stored object only this checks. `null` and absent
/// are the same. Lives on the stack of one reading function; `from` and `wrong` outlive it.
class object_reader {
 public:
  /// `place`: the object's own JSON pointer.
  object_reader(boost::json::object const& from, std::vector<field_error>& wrong, std::string place = {})
      : from_(from), wrong_(wrong), place_(std::move(place)) {}

  /// The member unless it is null or absent.
  boost::json::value const* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

  std::string text(std::string_view name, length allowed);
  std::optional<std::string> maybe_text(std::string_view name, length allowed);
  /// The same in place, for a large one.
  boost::json::string const* find_text(std::string_view name, length allowed);
  std::string one_of(std::string_view name, std::initializer_list<std::string_view> words,
                     std::string_view otherwise);
  bool boolean(std::string_view name, bool otherwise);
  std::optional<std::int64_t> maybe_integer(std::string_view name, std::int64_t least, std::int64_t most);
  std::int64_t integer(std::string_view name, std::int64_t least, std::int64_t most, std::int64_t otherwise);
  /// Null when absent; reports another type or more than `most` elements.
  boost::json::array const* maybe_array(std::string_view name, std::size_t most);
  boost::json::object const* maybe_object(std::string_view name);
  /// Members with other names are wrong.
  void only(std::initializer_list<std::string_view> names);

  std::string pointer(std::string_view name) const;
  void fault(std::string_view name, std::string message);

 private:
  boost::json::object const& from_;
  std::vector<field_error>& wrong_;
  std::string place_;
};

/// Code points of valid UTF-8.
std::size_t code_points(std::string_view text);

/// `validation_failed` with all faults, or success.
result<> verdict(std::vector<field_error> wrong);

/// RFC 7396: members of `patch` replace those of `target`, objects are merged, null removes.
boost::json::object merge_patch(boost::json::object target, boost::json::object const& patch);

}  // namespace svc::api
