#include "domain/monitoring/checks/json_cost.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <cstdint>

namespace svc::checks {
namespace {

namespace json = boost::json;

/// Adds up what building the values would cost, and builds none. Its functions are those that
/// `boost::json::basic_parser` calls; false ends the reading.
class json_cost {
 public:
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::uint64_t most_values = 500'000, most_collisions = 100'000'000;

  bool too_many_values() const { return values_ > most_values; }
  bool too_many_members() const { return collisions_ > most_collisions; }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code& failed) { return count(failed); }
  bool on_object_end(std::size_t members, json::error_code& failed) {
    // Each is compared with all before it if their names have one hash.
    collisions_ += std::uint64_t{members} * members;
    return goes_on(failed);
  }
  bool on_array_begin(json::error_code& failed) { return count(failed); }
  bool on_array_end(std::size_t, json::error_code&) { return true; }
  bool on_key_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_key(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_string_part(json::string_view, std::size_t, json::error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, json::error_code& failed) { return count(failed); }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, json::error_code& failed) { return count(failed); }
  bool on_uint64(std::uint64_t, json::string_view, json::error_code& failed) { return count(failed); }
  bool on_double(double, json::string_view, json::error_code& failed) { return count(failed); }
  bool on_bool(bool, json::error_code& failed) { return count(failed); }
  bool on_null(json::error_code& failed) { return count(failed); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  bool count(json::error_code& failed) {
    ++values_;
    return goes_on(failed);
  }
  bool goes_on(json::error_code& failed) const {
    if (!too_many_values() && !too_many_members()) return true;
    failed = json::error::exception;
    return false;
  }

  std::uint64_t values_ = 0, collisions_ = 0;
};

}  // namespace

std::uint64_t most_steps_of_json(std::size_t bytes) {
  // A member has at least six bytes; each may be compared with all before it, which takes half a step.
  std::uint64_t const members = bytes / 6;
  constexpr std::uint64_t steps_of_byte = 8;
  return bytes * steps_of_byte + std::min<std::uint64_t>(members * members, json_cost::most_collisions) / 2;
}

std::string_view fault_of_json(std::string_view text, json::parse_options const& options) {
  json::basic_parser<json_cost> parser(options);
  json::error_code failed;
  auto const read = parser.write_some(false, text.data(), text.size(), failed);
  if (parser.handler().too_many_values()) return "JSON of more than 500000 values";
  if (parser.handler().too_many_members()) return "JSON with too many members in an object";
  return failed || read != text.size() ? "no JSON" : "";
}

}  // namespace svc::checks
