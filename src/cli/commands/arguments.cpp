#include "cli/commands/arguments.hpp"

#include "cli/console/failure.hpp"
#include "svc/core/numbers.hpp"
#include "svc/core/utf8.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <optional>
#include <system_error>

namespace svc::cli {
namespace {

/// The longest file in bytes: above the largest `x-body-limit` of the contract.
constexpr std::size_t longest_file = std::size_t{16} << 20;

class opened_file {
 public:
  explicit opened_file(std::string const& path)
      : descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~opened_file() {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  }
  opened_file(opened_file const&) = delete;
  opened_file& operator=(opened_file const&) = delete;

  explicit operator bool() const { return descriptor_ >= 0; }
  /// Returns 0 at the end of the file. Returns -1 after an error, which is in `errno`.
  ssize_t read(std::array<char, 65536>& into) const { return ::read(descriptor_, into.data(), into.size()); }

 private:
  int descriptor_;
};

/// Returns a failure with the last system call's error.
failure unreadable(std::string const& name) {
  return bad_usage("Cannot read " + name + ": " + std::generic_category().message(errno) + ".");
}

/// Returns the whole content. `limit` is `most` in words.
std::string content_of(opened_file const& file, std::string const& name, std::size_t most, std::string const& limit) {
  if (!file) throw unreadable(name);
  std::array<char, 65536> piece{};
  std::string out;
  for (ssize_t got = 1; got != 0;) {
    got = file.read(piece);
    if (got < 0 && errno != EINTR) throw unreadable(name);
    if (got > 0) out.append(piece.data(), static_cast<std::size_t>(got));
    if (out.size() > most) throw bad_usage(name + " is longer than the service accepts (" + limit + ").");
  }
  return out;
}

/// Returns the age in seconds. The text may have a minus, and must have a unit.
std::optional<std::int64_t> seconds_ago(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || std::string_view("smhdw").find(text.back()) == std::string_view::npos) return std::nullopt;
  return seconds_spelled(text);
}

/// Returns the start of a day in local time; `today` and `yesterday` are days, too.
std::optional<timestamp> start_of_day(std::string_view text, timestamp now) {
  auto seconds = static_cast<std::time_t>(now.micros / 1'000'000);
  std::tm day{};
  if (::localtime_r(&seconds, &day) == nullptr) return std::nullopt;
  if (text == "yesterday") {
    --day.tm_mday;
  } else if (text != "today") {
    auto const year = parse_number<std::uint16_t>(text.substr(0, 4));
    bool const dashes = text.size() == 10 && text[4] == '-' && text[7] == '-';
    auto const month = dashes ? parse_number<std::uint8_t>(text.substr(5, 2)) : std::nullopt;
    auto const date = dashes ? parse_number<std::uint8_t>(text.substr(8)) : std::nullopt;
    if (!year || !month || !date || *month == 0 || *month > 12 || *date == 0) return std::nullopt;
    day.tm_year = *year - 1900;
    day.tm_mon = *month - 1;
    day.tm_mday = *date;
  }
  auto const month = day.tm_mon;
  day.tm_hour = day.tm_min = day.tm_sec = 0;
  day.tm_isdst = -1;
  seconds = std::mktime(&day);
  // mktime makes the 2nd of March of the 30th of February.
  bool const exists = text == "yesterday" || (seconds != -1 && day.tm_mon == month);
  return exists ? std::optional(timestamp{static_cast<std::int64_t>(seconds) * 1'000'000}) : std::nullopt;
}

}  // namespace

std::string text_of_file(std::string const& path, std::string const& option) {
  auto const name = path == "-" ? std::string("stdin") : path;
  opened_file const file(path);
  // People write JSON in place of a path. It may have secrets, so no message repeats it.
  if (!file && (path.starts_with('{') || path.starts_with('[')))
    throw bad_usage(option + " takes a file, or - for stdin, not JSON itself.",
                    "Pipe it: echo '{...}' | svc ... " + option + " -");
  auto out = content_of(file, name, longest_file, "16 MiB");
  if (!is_utf8(out)) throw bad_usage(name + " is not UTF-8 text.");
  return out;
}

std::string bytes_of_file(std::string const& path, std::size_t most) {
  constexpr std::size_t kibibyte = 1024;
  auto const name = path == "-" ? std::string("stdin") : path;
  return content_of(opened_file(path), name, most, std::to_string(most / kibibyte) + " KiB");
}

std::optional<std::int64_t> seconds_spelled(std::string_view text) {
  return parse_seconds(text);
}

std::int64_t duration_argument(std::string const& text, std::string const& option) {
  if (auto const seconds = seconds_spelled(text)) return *seconds;
  throw bad_usage(option + ": '" + text + "' is not a duration.",
                  "Write 90d, 12h, 30m or 45s; a bare number is seconds.");
}

std::int64_t minutes_argument(std::string const& text, std::string const& option) {
  constexpr std::int64_t minute = 60;
  auto const seconds = duration_argument(text, option);
  if (seconds > 0 && seconds % minute == 0) return seconds / minute;
  throw bad_usage(option + ": '" + text + "' is not a number of whole minutes.",
                  "Write 30m, 2h or 1d; a bare number is seconds.");
}

std::int64_t hours_argument(std::string const& text, std::string const& option) {
  constexpr std::int64_t hour = 3600;
  auto const seconds = duration_argument(text, option);
  if (seconds >= 0 && seconds % hour == 0) return seconds / hour;
  throw bad_usage(option + ": '" + text + "' is not a number of whole hours.",
                  "Write 2h or 3d; a bare number is seconds.");
}

std::string moment_of(std::string_view text, timestamp now) {
  if (parse_rfc3339(text)) return std::string(text);
  if (auto const before = seconds_ago(text)) return to_rfc3339(now + std::chrono::seconds(-*before));
  if (auto const day = start_of_day(text, now)) return to_rfc3339(*day);
  throw bad_usage("'" + std::string(text) + "' is not a time.",
                  "Write how long ago, -2h (s, m, h, d, w), a day, 2026-11-20, today or yesterday, or RFC 3339, "
                  "2026-11-20T10:00:00Z.");
}

}  // namespace svc::cli
