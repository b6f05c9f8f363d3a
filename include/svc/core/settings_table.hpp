#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/toml.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace svc {

/// The location of a setting's value inside its program's values.
using setting_pointer = std::variant<std::string*, std::vector<std::string>*, secret_string*, bool*, int*,
                                     std::uint32_t*, std::size_t*, std::int64_t*, milliseconds*, steady::duration*>;

enum class setting_kind : std::uint8_t { text, list, secret, boolean, integer, duration };

/// The form that a text, or each text of a list, must have beyond its type.
struct text_form {
  bool (*fits)(std::string_view text);
  std::string_view allowed;       ///< in words, after "must be"
  std::string_view example = {};  ///< a value as TOML writes it, with quotes and brackets
};

/// Refers to a member of a program's values without naming the type of these values.
struct setting_target {
  setting_pointer (*pointer)(void* values);
  setting_kind kind;
};

template <class Member>
constexpr setting_kind kind_of_member() {
  if constexpr (std::is_same_v<Member, std::string>)
    return setting_kind::text;
  else if constexpr (std::is_same_v<Member, std::vector<std::string>>)
    return setting_kind::list;
  else if constexpr (std::is_same_v<Member, secret_string>)
    return setting_kind::secret;
  else if constexpr (std::is_same_v<Member, bool>)
    return setting_kind::boolean;
  else if constexpr (std::is_integral_v<Member>)
    return setting_kind::integer;
  else
    return setting_kind::duration;
}

/// `get` is a lambda without captures from `Values&` to a reference to the member.
template <class Values, class Get>
constexpr setting_target target_in(Get /*get*/) {
  return {[](void* values) -> setting_pointer { return &Get{}(*static_cast<Values*>(values)); },
          kind_of_member<std::remove_reference_t<std::invoke_result_t<Get, Values&>>>()};
}

/// One key of a program's configuration.
struct setting {
  std::string_view name;  ///< `section.member`
  setting_target target;
  std::string_view help;   ///< one sentence without its full stop
  std::int64_t least = 0;  ///< the smallest integer, or duration in milliseconds
  std::int64_t most = 0;
  text_form const* form = nullptr;  ///< null: any text
  std::string_view former = {};     ///< the name of earlier versions, accepted with a warning
  std::string_view unit = {};       ///< the unit of an integer, in words
  bool reloads = false;             ///< a running program applies a new value when it reads its sources again

  bool secret() const { return target.kind == setting_kind::secret; }
  /// Describes the allowed values in words.
  std::string allowed() const;
  /// Returns a line of a file that sets this key to an allowed value; for an integer, to its present value.
  std::string example(void const* values) const;
  /// Returns the value as TOML writes it; a secret is masked unless it is empty.
  std::string printed(void const* values) const;
  /// Returns true if both have the same value, secrets included.
  bool same(void const* values, void const* others) const;
  /// Copies the setting's value from `others` to `values`.
  void copy(void* values, void const* others) const;
  /// Stores the value, or returns a sentence with the allowed values, and with an example if a file has another type
  /// of value. Never quotes the value, which may be a secret.
  std::optional<std::string> assign(raw_value const& value, void* values) const;
};

/// Returns the same key with `reloads` set.
constexpr setting reloaded(setting setting) {
  setting.reloads = true;
  return setting;
}

/// All keys of one program: readers, printers and the page of the documentation use this list. Constant.
struct settings_table {
  std::string_view prefix;       ///< of its environment variables
  std::span<setting const> all;  ///< by section, keys without a section first
  std::string_view listing;      ///< the command that lists the keys

  setting const* find(std::string_view name) const;
  setting const* find_former(std::string_view name) const;
  /// Returns `PREFIX_A_B` for `a.b`.
  std::string variable(std::string_view name) const;
  /// Returns the key whose name or variable is closest to an unknown one. It differs by a mistype of at most two
  /// letters, or by a section that the key does not have. Returns null if there is no such key.
  setting const* nearest(std::string_view name) const;
  /// Returns the keys of that section and of the sections inside it.
  std::vector<setting const*> members(std::string_view section) const;
  /// Describes the problem with a name, or a variable, that is not in the table.
  std::string unknown(std::string_view name) const;
};

/// Reads settings from their sources into one program's values; a later source overrides an earlier one. Collects all
/// problems instead of stopping at the first.
class settings_reader {
 public:
  /// Both arguments must outlive the reader.
  settings_reader(settings_table const& table, void* values) : table_(table), values_(values) {}

  /// Reads one value of a file.
  void file_value(raw_value const& value);
  /// Reads all variables with the table's prefix, and ignores other variables. `VARIABLE_FILE` names a file with the
  /// value of a secret.
  void environment(std::vector<std::string> const& entries);
  /// Reads one value of the command line.
  void flag(std::string const& name, std::string const& value);

  /// Path of the file whose values follow; problems name it. If it is empty, problems name only the key.
  std::string file{};
  std::vector<std::string> problems{};  ///< `PATH:LINE: KEY: REASON`, or `VARIABLE: REASON`
  std::vector<std::string> warnings{};

  /// Adds problems in the merged values (`KEY: REASON`), each with the source of its key's value. Leaves out refused
  /// keys: the check then saw the default, which nobody chose.
  void add(std::vector<std::string> const& found);
  /// Returns true if the reader refused a source's value of this key: the key's absence or default is then no problem
  /// of its own.
  bool refused(std::string_view key) const { return refused_.contains(key); }

 private:
  using variable_map = std::map<std::string, std::string, std::less<>>;

  void refuse(std::string_view key, std::string const& where, std::string const& reason);
  void refuse_unknown(std::string_view name, std::string const& where);
  std::string line_of(raw_value const& value) const;
  void secret_file(setting const& s, std::string const& variable, variable_map& variable_map);
  void note(setting const& s, bool former);
  void warn(std::string const& former, std::string const& name);
  void variable(setting const& s, std::string const& name, std::string const& text, bool former);

  settings_table const& table_;
  void* values_;
  std::set<setting const*> named_{};
  std::set<setting const*> formerly_named_{};
  std::map<std::string, std::string, std::less<>> origins_{};
  std::set<std::string, std::less<>> refused_{};
};

/// Returns a TOML basic string.
std::string toml_quoted(std::string_view text);

/// Returns a name of a file without the positions in arrays of tables: `postgres.url` for `postgres[0].url`.
std::string without_positions(std::string_view name);

/// Returns a name's part before its last dot; empty without one.
std::string_view section_of(std::string_view name);

/// Returns Markdown for the documentation: a list for each first section, with the defaults, allowed values and
/// meanings.
std::string settings_page(settings_table const& table, void const* defaults);

namespace forms {

/// A level of the log.
extern text_form const log_level;

}  // namespace forms

}  // namespace svc
