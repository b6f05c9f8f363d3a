// How the value of a key is read.

#include "svc-runner/settings_values.hpp"

#include "svc/core/setting_text.hpp"

#include <algorithm>
#include <utility>

namespace svc::runner {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) out.emplace_back(part);
  }
  return out;
}

struct reader {
  setting const& to;
  raw_value const& value;
  settings& into;

  bool typed(value_type wanted) const { return value.type == value_type::untyped || value.type == wanted; }
  bool in_range(std::optional<std::int64_t> n) const { return n && *n >= to.least && *n <= to.most; }

  bool operator()(std::string settings::* at) const {
    if (!typed(value_type::text) || value.text.find('\0') != std::string::npos) return false;
    return into.*at = value.text, true;
  }
  bool operator()(secret_string settings::* at) const {
    if (!typed(value_type::text)) return false;
    return into.*at = secret_string(value.text), true;
  }
  bool operator()(std::vector<std::string> settings::* at) const {
    if (!typed(value_type::list)) return false;
    return into.*at = split(value.text), true;
  }
  bool operator()(bool settings::* at) const {
    if (!typed(value_type::boolean) || (value.text != "true" && value.text != "false")) return false;
    return into.*at = value.text == "true", true;
  }
  template <class Owner>
  bool operator()(std::int64_t Owner::* at) const {
    auto const n = parse_integer(value.text);
    if (!typed(value_type::integer) || !in_range(n)) return false;
    return owner(static_cast<Owner*>(nullptr)).*at = *n, true;
  }
  template <class Owner>
  bool operator()(milliseconds Owner::* at) const {
    auto const n = parse_milliseconds(value.text);
    if (!typed(value_type::text) || !in_range(n)) return false;
    return owner(static_cast<Owner*>(nullptr)).*at = milliseconds(*n), true;
  }

  settings& owner(settings const* /*which*/) const { return into; }
  run_limits& owner(run_limits const* /*which*/) const { return into.limits; }
};

struct describer {
  setting const& to;

  std::string operator()(std::string settings::* /*at*/) const { return "must be a text"; }
  std::string operator()(secret_string settings::* /*at*/) const { return "must be a text"; }
  std::string operator()(std::vector<std::string> settings::* /*at*/) const { return "must be a list of texts"; }
  std::string operator()(bool settings::* /*at*/) const { return "must be true or false"; }
  template <class Owner>
  std::string operator()(std::int64_t Owner::* /*at*/) const {
    return "must be a whole number from " + std::to_string(to.least) + " to " + std::to_string(to.most);
  }
  template <class Owner>
  std::string operator()(milliseconds Owner::* /*at*/) const {
    return "must be a duration such as \"30s\" (ms, s, m, h), from " + std::to_string(to.least / 1000) + "s to " +
           std::to_string(to.most / 1000) + "s";
  }
};

}  // namespace

std::optional<std::string> assign(setting const& to, raw_value const& value, settings& into) {
  if (std::visit(reader{to, value, into}, to.target)) return std::nullopt;
  return std::visit(describer{to}, to.target);
}

}  // namespace svc::runner
