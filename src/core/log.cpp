#include "svc/core/log.hpp"

#include "core/log_writer.hpp"
#include "svc/core/time.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <memory>

namespace svc::log {
namespace {

constexpr std::string_view level_names[] = {"debug", "info", "warn", "error", "off"};

// The log is the one place beside metrics that threads share; the writer holds the lock.
std::unique_ptr<log_writer> writer;
level threshold = level::off;

void append_escaped(std::string& out, std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::size_t written = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    auto const byte = static_cast<unsigned char>(c);
    bool const quoted = c == '"' || c == '\\';
    // Bytes beyond ASCII too: what a client sent may not be UTF-8, and terminals obey some of it.
    if (!quoted && byte >= 0x20 && byte < 0x7f) continue;
    out.append(text, written, i - written);
    written = i + 1;
    if (quoted) {
      out += '\\';
      out += c;
    } else {
      out += "\\u00";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    }
  }
  out.append(text, written);
}

template <class Number>
void append_number(std::string& out, Number value) {
  char text[32];
  auto const end = std::to_chars(text, text + sizeof text, value).ptr;
  out.append(text, end);
}

void append_value(std::string& out, field const& f) {
  if (auto const* text = std::get_if<std::string_view>(&f.value)) {
    out += '"';
    append_escaped(out, *text);
    out += '"';
  } else if (auto const* number = std::get_if<std::int64_t>(&f.value)) {
    append_number(out, *number);
  } else if (auto const* real = std::get_if<double>(&f.value)) {
    append_number(out, std::isfinite(*real) ? *real : 0.0);
  } else {
    out += std::get<bool>(f.value) ? "true" : "false";
  }
}

}  // namespace

void start(level least) {
  threshold = least;
  if (!writer) writer = std::make_unique<log_writer>(STDERR_FILENO);
}

void stop() {
  writer.reset();
}

bool enabled(level l) {
  return writer && l >= threshold;
}

bool parse_level(std::string_view text, level& out) {
  for (std::size_t i = 0; i < std::size(level_names); ++i) {
    if (text == level_names[i]) {
      out = static_cast<level>(i);
      return true;
    }
  }
  return false;
}

void write(level l, std::string_view message, std::initializer_list<field> fields) {
  if (!enabled(l)) return;
  std::string line;
  line.reserve(512);
  line += R"({"time":")";
  line += to_rfc3339(system_now());
  line += R"(","level":")";
  line += level_names[static_cast<std::size_t>(l)];
  line += R"(","message":")";
  append_escaped(line, message);
  line += '"';
  for (field const& f : fields) {
    line += ",\"";
    line += f.name;
    line += "\":";
    append_value(line, f);
  }
  line += '}';
  writer->add(line);
}

}  // namespace svc::log
