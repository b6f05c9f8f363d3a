#pragma once

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Readers of the JSON that identity providers send. `http::parse_json` refuses what two readers could understand
// differently, such as a repeated name; libcjose's own reader then cannot see another algorithm or claim.

namespace svc::sign_in {

/// The longest document of a provider: discovery, keys, an answer with tokens.
inline constexpr std::size_t longest_document = std::size_t{256} * 1024;

/// Returns `std::nullopt` if the text is longer than `longest_document`, is not JSON, or is not an object. Total.
std::optional<boost::json::object> parse_object(std::string_view text);
/// Returns `std::nullopt` if the member is missing or is no text. The view is valid as long as the object.
std::optional<std::string_view> text_member(boost::json::object const& object, std::string_view name);
/// Returns `std::nullopt` if the member is missing or is no integer. A fraction is cut off, because RFC 7519's times
/// may have one.
std::optional<std::int64_t> time_member(boost::json::object const& object, std::string_view name);
/// Returns `std::nullopt` if the value is no list of texts.
std::optional<std::vector<std::string>> text_list(boost::json::value const& value);

}  // namespace svc::sign_in
