#include "cli/commands/named_options.hpp"

#include "cli/commands/body_flags.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"
#include "svc/core/command_line.hpp"
#include "svc/core/numbers.hpp"
#include "svc/core/uuid.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace svc::cli {
namespace {

/// Scripts and other long values are not repeated whole.
constexpr std::size_t longest_shown_value = 60;

bool is_about(std::string_view pointer, std::string_view member) {
  if (!pointer.starts_with('/') && !pointer.empty()) return false;
  if (member.empty()) return true;
  auto const name = pointer.substr(std::min<std::size_t>(pointer.size(), 1));
  bool const begins = name.size() >= member.size() &&
                      std::ranges::equal(member, name.substr(0, member.size()), [](char left, char right) {
                        return left == right || (left == '.' && right == '/');
                      });
  return begins && (name.size() == member.size() || name[member.size()] == '/');
}

/// Returns the option that gave the most specific member around the pointer, or nullptr. Of two options for one
/// member the one with a value has given it.
named_option const* option_about(std::span<named_option const> options, std::string_view pointer) {
  named_option const* out = nullptr;
  for (auto const& each : options) {
    if (!is_about(pointer, each.member)) continue;
    bool const more = out == nullptr || each.member.size() > out->member.size();
    bool const same = !more && each.member.size() == out->member.size();
    if (more || (same && out->values.empty() && !each.values.empty())) out = &each;
  }
  return out;
}

/// `from 10 to 86400` as `from 10s to 1d`, and `at least 30 seconds` as `at least 30s`. Numbers count units of so
/// many seconds.
std::string in_durations(std::string_view message, std::int64_t unit_seconds) {
  constexpr std::int64_t minute = 60, hour = 3600;
  std::string_view const unit = unit_seconds == hour ? " hours" : unit_seconds == minute ? " minutes" : " seconds";
  std::string out;
  while (!message.empty()) {
    auto const digits = std::min(message.find_first_not_of("0123456789"), message.size());
    auto const number = parse_number<std::int64_t>(message.substr(0, digits));
    out += number ? spelled_seconds(*number * unit_seconds) : std::string(message.substr(0, 1));
    message.remove_prefix(number ? digits : 1);
    if (number && message.starts_with(unit)) message.remove_prefix(unit.size());
  }
  return out;
}

/// Returns the value at a JSON pointer as people type it; empty if it is no single value.
std::string typed_value(std::string_view body, std::string_view pointer, named_option const& option) {
  boost::system::error_code failed;
  auto const whole = boost::json::parse(body, failed);
  if (failed) return {};
  auto const* const found = whole.find_pointer(pointer, failed);
  if (found == nullptr || failed) return {};
  if (found->is_int64())
    return option.is_duration ? spelled_seconds(found->get_int64() * option.unit_seconds)
                              : std::to_string(found->get_int64());
  // Users type names as well; the id that was found for one says nothing to them.
  if (!found->is_string() || uuid::parse(found->get_string())) return {};
  return "'" + shortened(harmless(found->get_string()), longest_shown_value) + "'";
}

/// Returns the user's own text for the element that the pointer is about: `/tests/1/id` is the second `--test`.
std::string typed_text(named_option const& option, std::string_view pointer) {
  if (option.values.empty()) return {};
  auto rest = pointer.substr(std::min(option.member.size() + 2, pointer.size()));
  auto const index = parse_number<std::size_t>(rest.substr(0, rest.find('/')));
  if (index && *index >= option.values.size()) return {};
  auto const& text = index ? option.values[*index] : option.values.back();
  return "'" + shortened(harmless(text), longest_shown_value) + "'";
}

/// Returns the nearest of the names in `is not allowed here; allowed are: a, b`.
std::string meant_member(std::string_view name, std::string_view message) {
  constexpr std::string_view mark = "allowed are: ";
  auto const position = message.find(mark);
  if (position == std::string_view::npos) return {};
  std::vector<std::string> known;
  for (auto rest = message.substr(position + mark.size()); !rest.empty();) {
    auto const comma = std::min(rest.find(", "), rest.size());
    known.emplace_back(rest.substr(0, comma));
    rest.remove_prefix(std::min(comma + 2, rest.size()));
  }
  return nearest_word(name, known);
}

/// Returns the sentence about a member of a file or of an option's JSON.
std::string json_sentence(named_option const& option, std::string_view pointer, std::string const& message) {
  std::string source(option.member.empty() ? option.source : option.flag);
  if (!option.member.empty() && !option.source.empty()) source.append(" (").append(option.source).append(")");
  auto const inner = pointer.substr(option.member.empty() ? 0 : option.member.size() + 1);
  auto const whole = option.json_text.substr(0, option.json_text.find_last_not_of(" \t\r\n") + 1);
  if (whole.find('\n') != std::string_view::npos) {
    auto const position = position_in_json(option.json_text, inner);
    source += ", line " + std::to_string(1 + std::ranges::count(option.json_text.substr(0, position), '\n'));
  }
  auto const slash = inner.rfind('/');
  auto const meant = slash == std::string_view::npos ? std::string() : meant_member(inner.substr(slash + 1), message);
  return source + ": " + harmless(dotted_pointer(inner)) + (inner.empty() ? "" : " ") + message + "." +
         (meant.empty() ? "" : " Did you mean " + meant + "?");
}

/// Returns the sentence about an option. A demand that something must be gets the value that it is not. Any other
/// message about a value follows the value.
std::string option_sentence(std::string const& flag, std::string const& value, std::string const& message) {
  if (message == "must be null") return flag + " must be left out here.";
  if (message.starts_with("is not allowed here")) return flag + " is not for this type.";
  if (value.empty()) return flag + " " + message + ".";
  bool const demand = message.starts_with("must ") && !message.starts_with("must not ");
  if (demand) return flag + " " + message + ", not " + value + ".";
  auto const verb = message.substr(0, message.find(' '));
  bool const lacks_subject = verb == "must" || verb == "is" || verb == "has" || verb == "does" || verb == "cannot";
  return flag + " " + value + (lacks_subject ? " " : ": ") + message + ".";
}

/// A sentence about a member, in terms of the option that gave it.
std::string retold_detail(named_option const& option, std::string const& pointer, std::string const& message,
                          std::string_view body) {
  std::string const flag(option.flag);
  bool const inside = pointer.size() > option.member.size() + 1;
  // The text of the option is the name of a file, whose content is wrong.
  bool const wrong_form = !option.json_text.empty() && message.starts_with("must be an ");
  bool const in_file = option.is_json && (inside || wrong_form);
  if (option.member.empty() || in_file) return json_sentence(option, pointer, message);
  if (option.is_map && inside) return flag + " " + pointer.substr(option.member.size() + 2) + " " + message + ".";
  auto value = typed_value(body, pointer, option);
  if (value.empty() && message != "is required") value = typed_text(option, pointer);
  return option_sentence(flag, value, option.is_duration ? in_durations(message, option.unit_seconds) : message);
}

/// Finds values in a JSON text that is known to be valid.
class json_walk {
 public:
  explicit json_walk(std::string_view text) : text_(text) {}

  /// Returns the position of the value at the pointer, below the value at the current position.
  std::size_t find(std::string_view pointer) {
    skip_space();
    auto const here = position_;
    auto const end = std::min(pointer.find('/', 1), pointer.size());
    auto const name = pointer.empty() ? pointer : pointer.substr(1, end - 1);
    bool const is_object = peek() == '{';
    if (pointer.empty() || (!is_object && peek() != '[')) return here;
    ++position_;
    for (std::size_t index = 0; skip_space(), position_ < text_.size() && peek() != '}' && peek() != ']'; ++index) {
      auto const start = position_;
      auto const key = is_object ? member_name() : std::to_string(index);
      if (key == name) {
        auto const inner = pointer.substr(end);
        return inner.empty() && is_object ? start : find(inner);
      }
      skip_value();
      skip_space();
      if (peek() == ',') ++position_;
    }
    return here;
  }

 private:
  char peek() const { return position_ < text_.size() ? text_[position_] : '\0'; }
  void skip_space() {
    while (position_ < text_.size() && std::string_view(" \t\r\n").find(peek()) != std::string_view::npos)
      ++position_;
  }
  void skip_string() {
    for (++position_; position_ < text_.size() && peek() != '"'; ++position_)
      if (peek() == '\\') ++position_;
    position_ = std::min(position_ + 1, text_.size());
  }
  /// Returns the name of a member, and moves past its colon.
  std::string member_name() {
    auto const start = position_;
    skip_string();
    boost::system::error_code failed;
    auto const name = boost::json::parse(text_.substr(start, position_ - start), failed);
    skip_space();
    if (peek() == ':') ++position_;
    return failed || !name.is_string() ? std::string() : std::string(name.get_string());
  }
  void skip_value() {
    skip_space();
    for (int depth = 0; position_ < text_.size();) {
      char const c = peek();
      if (c == '"') {
        skip_string();
      } else if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
        return;
      } else {
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        ++position_;
      }
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

std::span<named_option const> credential_options() {
  static std::array<named_option, 6> const out{{{"expiresIn", "--expires-in", true},
                                                {"graceSeconds", "--grace", true},
                                                {"endPrevious", "--end-previous"},
                                                {"rateLimit", "--rate-limit"},
                                                {"allowedCidrs", "--allow-from"},
                                                {"name", "NAME"}}};
  return out;
}

named_option option_of(body_field const& field) {
  constexpr std::int64_t minute = 60, hour = 3600;
  std::string_view const flag = field.flag;
  bool const in_minutes = field.member.ends_with("Minutes"), in_hours = field.member.ends_with("Hours");
  bool const counts = in_minutes || in_hours || field.member.ends_with("Seconds");
  return {.member = field.member,
          .flag = flag.substr(0, flag.find(',')),
          .is_duration = std::string_view(field.type_name) == "DURATION" && counts,
          .is_json = field.read == json_member,
          .unit_seconds = in_hours     ? hour
                          : in_minutes ? minute
                                       : 1};
}

std::vector<named_option> options_of(std::span<body_field const> fields) {
  std::vector<named_option> out;
  for (auto const& field : fields) out.push_back(option_of(field));
  return out;
}

std::string dotted_pointer(std::string_view pointer) {
  std::string out;
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    auto const part = pointer.substr(0, pointer.find('/'));
    bool const index = parse_number<std::size_t>(part).has_value();
    out += index ? "[" + std::string(part) + "]" : (out.empty() ? "" : ".") + std::string(part);
    pointer.remove_prefix(std::min(part.size(), pointer.size()));
  }
  return out;
}

std::size_t position_in_json(std::string_view json_text, std::string_view pointer) {
  return std::min(json_walk(json_text).find(pointer), json_text.size());
}

std::string spelled_seconds(std::int64_t seconds) {
  constexpr std::array<std::pair<std::int64_t, char>, 3> units{{{86400, 'd'}, {3600, 'h'}, {60, 'm'}}};
  for (auto const& [size, unit] : units)
    if (seconds >= size && seconds % size == 0) return std::to_string(seconds / size) + unit;
  return std::to_string(seconds) + "s";
}

failure with_option_names(failure const& refusal, std::string_view body, std::span<named_option const> options) {
  auto const* const details = refusal.more().if_contains("details");
  if (details == nullptr || !details->is_array()) return refusal;
  std::string sentence, hint;
  for (auto const& each : details->get_array()) {
    if (!each.is_object()) continue;
    // Parameters of a query have no slash.
    auto const field = text_of_member(each.get_object(), "field");
    auto const pointer = field.empty() || field.starts_with('/') ? field : "/" + field;
    auto const message = text_of_member(each.get_object(), "message");
    auto const* const option = option_about(options, pointer);
    if (option == nullptr) {
      hint += (hint.empty() ? "" : "\n     ") + field + " " + message;
      continue;
    }
    sentence += (sentence.empty() ? "" : " ") + retold_detail(*option, pointer, message, body);
  }
  return sentence.empty() ? refusal : refusal.retold(sentence, hint);
}

std::string answer_to(context& cx, request const& r, std::span<named_option const> options) {
  try {
    return cx.client().send(r).body;
  } catch (failure const& f) {
    throw with_option_names(f, r.body.value_or(""), options);
  }
}

}  // namespace svc::cli
