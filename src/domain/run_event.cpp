#include "svc/domain/run_event.hpp"

#include <algorithm>

namespace svc {
namespace {

constexpr std::size_t most_digits = 15;  // exact in Lua's doubles

std::optional<std::int64_t> exact_number(std::string_view digits) {
  if (digits.empty() || digits.size() > most_digits || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  std::int64_t value = 0;
  for (char const c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<event_id> event_id::parse(std::string_view text) {
  auto const dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  auto const attempt = exact_number(text.substr(0, dash));
  auto const seq = exact_number(text.substr(dash + 1));
  if (!attempt || !seq) return std::nullopt;
  return event_id{*attempt, *seq};
}

std::string event_id::to_string() const {
  return std::to_string(attempt) + '-' + std::to_string(seq);
}

std::optional<event_kind> event_kind_of(char letter) {
  for (auto const known : {event_kind::status, event_kind::out, event_kind::err, event_kind::complete}) {
    if (static_cast<char>(known) == letter) return known;
  }
  return std::nullopt;
}

void append_stored(std::string& out, run_event const& event) {
  out.append(event.id.to_string()).append(1, ' ').append(1, static_cast<char>(event.kind));
  auto const start = out.size();
  out.append(event.text);
  std::replace(out.begin() + static_cast<std::ptrdiff_t>(start), out.end(), '\n', ' ');
  out += '\n';
}

std::optional<run_event> next_stored(std::string_view& rest) {
  auto const end = rest.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  auto const line = rest.substr(0, end);
  auto const space = line.find(' ');
  if (space == std::string_view::npos || space + 1 == line.size()) return std::nullopt;
  auto const id = event_id::parse(line.substr(0, space));
  auto const kind = event_kind_of(line[space + 1]);
  if (!id || !kind) return std::nullopt;
  rest.remove_prefix(end + 1);
  return run_event{*id, *kind, std::string(line.substr(space + 2))};
}

}  // namespace svc
