#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace svc::log {

enum class level : std::uint8_t { debug, info, warn, error, off };

/// One member of a log line.
struct field {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, double, bool> value;

  field(std::string_view n, std::string_view v) : name(n), value(v) {}
  field(std::string_view n, char const* v) : name(n), value(std::string_view(v)) {}
  field(std::string_view n, std::string const& v) : name(n), value(std::string_view(v)) {}
  field(std::string_view n, bool v) : name(n), value(v) {}
  field(std::string_view n, double v) : name(n), value(v) {}
  template <class Integer>
    requires std::is_integral_v<Integer>
  field(std::string_view n, Integer v) : name(n), value(static_cast<std::int64_t>(v)) {}
};

/// Starts the writer thread: one JSON object a line to standard error. Lines that do not fit the bounded
/// queue are dropped (and counted), so that a blocked terminal never blocks a request. Call once, from main.
void start(level least);
/// Writes what is queued and ends the thread.
void stop();
/// Lines that were dropped since the start.
std::size_t dropped();
bool enabled(level l);
/// Any thread. Lines of all threads follow it from now on.
void set_level(level least);
bool parse_level(std::string_view text, level& out);

/// `message` is a constant sentence; what varies goes into fields. Values are escaped: a line cannot be
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
