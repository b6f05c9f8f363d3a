#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/core/toml.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace svc::app {

/// Where a key's value lives inside a configuration.
template <class T>
using member_of = T& (*)(configuration&);

using key_target = std::variant<member_of<std::string>, member_of<std::vector<std::string>>, member_of<secret_string>,
                                member_of<bool>, member_of<int>, member_of<std::uint32_t>, member_of<std::size_t>,
                                member_of<milliseconds>, member_of<steady::duration>>;

/// What a text, or each text of a list, must look like beyond its type.
enum class text_form : std::uint8_t {
  any,
  file,
  address,
  url,
  origin,
  log_level,
  redis_mode,
  cidr,
  field_name,
  host_name
};

/// One key. The table of these is the only list: the parsers, `print-config`, `check-config` and the README's
/// table are made from it.
struct key {
  std::string_view name;
  key_target target;
  std::string_view help;
  std::int64_t least = 0;  ///< numbers; milliseconds for durations
  std::int64_t most = 0;
  text_form form = text_form::any;

  bool secret() const { return std::holds_alternative<member_of<secret_string>>(target); }
  bool duration() const;
  /// `SVC_A_B` for `a.b`.
  std::string variable() const;
  /// What values are allowed, in words.
  std::string allowed() const;
  /// The value as TOML writes it; a secret masked unless empty.
  std::string printed(configuration const& values) const;
};

/// Grouped by section, those without one first.
std::span<key const> configuration_keys();
key const* find_key(std::string_view name);

/// Stores the value, or says what is allowed; a problem names the key and never a secret's value.
std::optional<std::string> assign(key const& to, raw_value const& value, configuration& into);

/// A TOML basic string.
std::string toml_quoted(std::string_view text);

/// `ADDRESS:PORT` of an IP address (IPv6 in brackets).
bool is_address(std::string_view text);

/// Documented keys that this version does not act on; ignoring them silently would be dangerous.
bool reserved_key(std::string_view name);

/// Applies SVC_* and SVC_*_FILE; names what it does not know.
void apply_environment(std::vector<std::string> const& environment, configuration& into,
                       std::vector<std::string>& problems);

/// What must hold between keys, and of the files and URLs they name.
void check_configuration(configuration const& values, configuration_use use, std::vector<std::string>& problems);

}  // namespace svc::app
