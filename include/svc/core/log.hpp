#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace svc::log {

enum class level : std::uint8_t { debug, info, warn, error, off };

/// Returns true unless every line already has a member of that name. Readers such as jq keep only the last of two.
constexpr bool is_free_name(std::string_view name) {
  return !name.empty() && name != "time" && name != "level" && name != "message";
}

/// The name of a member. Only the compiler makes one, so that a reserved name does not compile.
struct field_name {
  std::string_view text;

  consteval field_name(char const* name) : text(name) {
    if (!is_free_name(name)) throw "every log line has this member already";
  }
};

/// One member of a log line.
struct field {
  field_name name;
  std::variant<std::string_view, std::int64_t, double, bool> value;

  field(field_name n, std::string_view v) : name(n), value(v) {}
  field(field_name n, char const* v) : name(n), value(std::string_view(v)) {}
  field(field_name n, std::string const& v) : name(n), value(std::string_view(v)) {}
  field(field_name n, bool v) : name(n), value(v) {}
  field(field_name n, double v) : name(n), value(v) {}
  template <class Integer>
    requires std::is_integral_v<Integer>
  field(field_name n, Integer v) : name(n), value(static_cast<std::int64_t>(v)) {}
};

/// Starts the writer thread: one JSON object a line to standard error. Lines that do not fit the bounded
/// queue are dropped (and counted), so that a blocked terminal never blocks a request. Call once, from main.
void start(level least);
/// Writes the queued lines and ends the thread.
void stop();
/// Lines that were dropped since the start.
std::size_t dropped();
bool enabled(level l);
/// Any thread. Applies to the lines of all threads from now on.
void set_level(level least);
bool parse_level(std::string_view text, level& out);

/// `message` is a constant sentence; variable parts go into fields. Values are escaped: a line cannot be
/// forged. Secrets never come here: `secret_string` does not convert.
void write(level l, std::string_view message, std::initializer_list<field> fields = {});

inline void info(std::string_view message, std::initializer_list<field> fields = {}) {
  write(level::info, message, fields);
}
inline void warn(std::string_view message, std::initializer_list<field> fields = {}) {
  write(level::warn, message, fields);
}
inline void error(std::string_view message, std::initializer_list<field> fields = {}) {
  write(level::error, message, fields);
}

}  // namespace svc::log
