#include "http/json_number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace svc::http {
namespace {

/// sign, significant digits without leading and trailing zeros, and the power of ten of the last one.
struct decimal {
  bool negative = false;
  std::string digits{};
  std::int64_t exponent = 0;
};

/// Far beyond every double and every literal that fits into a body, so that sums cannot overflow.
constexpr std::int64_t exponent_bound = 1'000'000'000'000;

std::int64_t read_exponent(std::string_view text) {
  bool const negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  for (char const c : text) value = std::min(value * 10 + (c - '0'), exponent_bound);
  return negative ? -value : value;
}

decimal read(std::string_view literal) {
  decimal out;
  if (literal.front() == '-') {
    out.negative = true;
    literal.remove_prefix(1);
  }
  if (auto const e = literal.find_first_of("eE"); e != std::string_view::npos) {
    out.exponent = read_exponent(literal.substr(e + 1));
    literal = literal.substr(0, e);
  }
  auto const point = literal.find('.');
  out.digits = literal.substr(0, point);
  if (point != std::string_view::npos) {
    auto const fraction = literal.substr(point + 1);
    out.digits += fraction;
    out.exponent -= static_cast<std::int64_t>(fraction.size());
  }
  auto const last = out.digits.find_last_not_of('0');
  auto const kept = last == std::string::npos ? 0 : last + 1;
  out.exponent += static_cast<std::int64_t>(out.digits.size() - kept);
  out.digits.resize(kept);
  out.digits.erase(0, out.digits.find_first_not_of('0'));
  return out;
}

std::optional<std::int64_t> as_integer(decimal d) {
  if (d.digits.empty()) return 0;
  if (d.exponent < 0 || d.exponent > 18) return std::nullopt;
  d.digits.append(static_cast<std::size_t>(d.exponent), '0');
  if (d.negative) d.digits.insert(d.digits.begin(), '-');
  std::int64_t value = 0;
  auto const* const end = d.digits.data() + d.digits.size();
  auto const parsed = std::from_chars(d.digits.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::variant<std::int64_t, double>> number_value(std::string_view literal) {
  auto const* const end = literal.data() + literal.size();
  std::int64_t integer = 0;  // the usual spelling, without taking the literal apart
  if (auto const parsed = std::from_chars(literal.data(), end, integer);
      parsed.ec == std::errc() && parsed.ptr == end) {
    return integer;
  }
  auto d = read(literal);
  auto const magnitude = static_cast<std::int64_t>(d.digits.size()) + d.exponent;
  if (auto const exact = as_integer(std::move(d))) return *exact;
  double value = 0;
  auto const parsed = std::from_chars(literal.data(), end, value);
  if (parsed.ec == std::errc() && std::isfinite(value)) return value;
  // The standard library says "out of range" for too large and too small alike.
  if (magnitude > 0) return std::nullopt;
  return 0.0;
}

}  // namespace svc::http
