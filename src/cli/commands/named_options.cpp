#include "cli/commands/named_options.hpp"

#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"
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
  return pointer.starts_with('/') && pointer.substr(1).starts_with(member) &&
         (pointer.size() == member.size() + 1 || pointer[member.size() + 1] == '/');
}

/// `from 10 to 86400` as `from 10s to 1d`.
std::string in_durations(std::string_view message) {
  std::string out;
  while (!message.empty()) {
    auto const digits = std::min(message.find_first_not_of("0123456789"), message.size());
    auto const number = parse_number<std::int64_t>(message.substr(0, digits));
    out += number ? spelled_seconds(*number) : std::string(message.substr(0, 1));
    message.remove_prefix(number ? digits : 1);
  }
  return out;
}

/// Returns the value at a JSON pointer as people type it; empty if it is no single value.
std::string typed_value(std::string_view body, std::string_view pointer, bool is_duration) {
  boost::system::error_code failed;
  auto const whole = boost::json::parse(body, failed);
  if (failed) return {};
  auto const* const found = whole.find_pointer(pointer, failed);
  if (found == nullptr || failed) return {};
  if (found->is_int64())
    return is_duration ? spelled_seconds(found->get_int64()) : std::to_string(found->get_int64());
  // Users type names as well; the id that was found for one says nothing to them.
  if (!found->is_string() || uuid::parse(found->get_string())) return {};
  return "'" + shortened(harmless(found->get_string()), longest_shown_value) + "'";
}

/// A sentence about a member, in terms of the option that gave it.
std::string retold_detail(named_option const& option, std::string const& pointer, std::string const& message,
                          std::string_view body) {
  std::string out(option.flag);
  if (option.is_json && pointer.size() > option.member.size() + 1)
    return out + ": " + pointer.substr(option.member.size() + 1) + " " + message + ".";
  if (option.is_map && pointer.size() > option.member.size() + 2)
    return out + " " + pointer.substr(option.member.size() + 2) + " " + message + ".";
  auto const value = typed_value(body, pointer, option.is_duration);
  return out + " " + (option.is_duration ? in_durations(message) : message) +
         (value.empty() ? "" : ", not " + value) + ".";
}

}  // namespace

std::span<named_option const> credential_options() {
  static constexpr std::array<named_option, 6> out{{{"expiresIn", "--expires-in", true},
                                                    {"graceSeconds", "--grace", true},
                                                    {"endPrevious", "--end-previous"},
                                                    {"rateLimit", "--rate-limit"},
                                                    {"allowedCidrs", "--allow-from"},
                                                    {"name", "NAME"}}};
  return out;
}

std::vector<named_option> options_of(std::span<body_field const> fields) {
  std::vector<named_option> out;
  for (auto const& field : fields) {
    std::string_view const flag = field.flag;
    out.push_back({field.member, flag.substr(0, flag.find(',')),
                   std::string_view(field.type_name) == "DURATION" && field.member.ends_with("Seconds"),
                   field.read == json_member});
  }
  return out;
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
    auto const pointer = field.starts_with('/') ? field : "/" + field;
    auto const message = text_of_member(each.get_object(), "message");
    auto const option =
        std::ranges::find_if(options, [&](named_option const& entry) { return is_about(pointer, entry.member); });
    if (option == options.end()) {
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
