#include "cli/events/ci.hpp"

#include "cli/console/harmless.hpp"

#include <cctype>
#include <utility>

namespace svc::cli {
namespace {

/// The data of a workflow command; `property`: of one of its properties (actions/toolkit, command.ts).
std::string workflow_text(std::string_view text, bool property) {
  std::string out;
  for (char const c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else if (property && c == ':') {
      out += "%3A";
    } else if (property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

bool ci_flag_is_set(char const* value) {
  return value != nullptr && std::string_view(value) == "true";
}

}  // namespace

ci_system detect_ci(std::function<char const*(char const*)> const& variable) {
  if (ci_flag_is_set(variable("GITHUB_ACTIONS"))) return ci_system::github;
  return ci_flag_is_set(variable("GITLAB_CI")) ? ci_system::gitlab : ci_system::none;
}

std::string ci_log::begin_group(std::string_view name, std::string_view title, std::int64_t now) {
  group_ = name;
  if (system_ == ci_system::github) return "::group::" + workflow_text(harmless(title), false) + "\n" + begin();
  if (system_ == ci_system::gitlab)
    return "section_start:" + std::to_string(now) + ":" + group_ + "[collapsed=true]\r\x1b[0K" + harmless(title) +
           "\n";
  return {};
}

std::string ci_log::end_group(std::int64_t now) {
  if (system_ == ci_system::github) return end() + "::endgroup::\n";
  if (system_ == ci_system::gitlab) return "section_end:" + std::to_string(now) + ":" + group_ + "\r\x1b[0K\n";
  return {};
}

std::string ci_log::begin() {
  if (system_ != ci_system::github) return {};
  stopped_by_ = token_();
  return "::stop-commands::" + stopped_by_ + "\n";
}

std::string ci_log::end() {
  if (stopped_by_.empty()) return {};
  return "::" + std::exchange(stopped_by_, {}) + "::\n";
}

std::string ci_log::error(std::string_view title, std::string_view message) const {
  if (system_ != ci_system::github) return {};
  return "::error title=" + workflow_text(harmless(title), true) +
         "::" + workflow_text(harmless(message, false, true), false) + "\n";
}

std::string markdown_text(std::string_view text) {
  std::string out;
  auto const shown = harmless(text);
  auto const is_word = [&](std::size_t i) {
    return i < shown.size() && std::isalnum(static_cast<unsigned char>(shown[i])) != 0;
  };
  for (std::size_t i = 0; i < shown.size(); ++i) {
    char const c = shown[i];
    // A hyphen within a word, as in an id, begins no list and no rule.
    bool const in_word = c == '-' && i > 0 && is_word(i - 1) && is_word(i + 1);
    bool const punctuation =
        (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
    // A full stop after a letter ends a sentence. After a digit it could begin a list, within a word a link.
    bool const ends_sentence = c == '.' && i > 0 && std::isalpha(static_cast<unsigned char>(shown[i - 1])) != 0 &&
                               (i + 1 == shown.size() || shown[i + 1] == ' ');
    // A character reference is never syntax (CommonMark 2.5).
    if (punctuation && !in_word && !ends_sentence)
      out.append("&#").append(std::to_string(static_cast<int>(c))).append(";");
    else
      out += c == '\t' ? ' ' : c;
  }
  return out;
}

std::string markdown_block(std::string_view lines) {
  std::string out = "<pre>";
  for (char const c : harmless(lines, false, true)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out + "</pre>\n";
}

}  // namespace svc::cli
