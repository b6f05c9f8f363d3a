// Any bytes are a value or malformed_json; what we accept, Boost.JSON accepts too, and it survives writing and
// reading. The verdict does not depend on how the text is cut.
#include "check.hpp"
#include "svc/http/json.hpp"
#include "svc/http/json_reader.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

using namespace svc::http;
namespace json = boost::json;

namespace {

/// Compares numbers by value: Boost.JSON 1.81 rounds decimal fractions wrong by a few units in the last place, and
/// makes 0e500 NaN.
bool alike(json::value const& a, json::value const& b) {
  if (a.is_number() && b.is_number()) {
    auto const x = a.to_number<double>(), y = b.to_number<double>();
    return x == y || !std::isfinite(y) || std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y)) ||
           std::abs(x - y) < 1e-300;
  }
  if (a.is_array() && b.is_array()) {
    return std::equal(a.get_array().begin(), a.get_array().end(), b.get_array().begin(), b.get_array().end(), alike);
  }
  if (!a.is_object() || !b.is_object()) return a == b;
  return std::equal(a.get_object().begin(), a.get_object().end(), b.get_object().begin(), b.get_object().end(),
                    [](auto const& x, auto const& y) { return x.key() == y.key() && alike(x.value(), y.value()); });
}

/// Each piece is freed before the next one comes, so that a view kept too long is detected.
svc::result<json::value> cut(std::string_view text, std::size_t step) {
  json_reader reader;
  for (; text.size() > step; text.remove_prefix(step)) {
    if (!reader.feed(std::string(text.substr(0, step)))) return reader.finish();
  }
  return reader.finish(std::string(text));
}

void check_cuts(std::string_view text, svc::result<json::value> const& whole) {
  for (std::size_t const step : {std::size_t{1}, std::size_t{3}, text.size() / 2 + 1}) {
    auto const got = cut(text, step);
    check(got.has_value() == whole.has_value(), "the same verdict however it is cut");
    check(got ? to_json(*got) == to_json(*whole) : got.error().message == whole.error().message,
          "the same value or sentence however it is cut");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const got = parse_json(text);
  check_cuts(text, got);
  if (got.has_error()) {
    check(got.error().code == svc::errc::malformed_json && !got.error().message.empty(), "one kind of error");
    return 0;
  }
  boost::system::error_code ec;
  auto const other = json::parse(text, ec);
  // Boost.JSON refuses exponents beyond an int even where the value is 0.
  check(!ec || ec == json::error::exponent_overflow, "a subset of what Boost.JSON takes");
  check(ec || alike(*got, other), "the same value as Boost.JSON's");
  auto const again = parse_json(to_json(*got));
  check(again.has_value() && alike(*again, *got), "what is written is read back");
  // Not earlier: a large double such as 540000000002000004.3 is written 5.40000000002e+17, which is an integer.
  auto const written = to_json(*again);
  check(to_json(*parse_json(written)) == written, "then writing is stable");
  return 0;
}
