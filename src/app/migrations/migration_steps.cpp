#include "app/migrations/migration_steps.hpp"

#include "svc/core/numbers.hpp"

#include <stdexcept>

namespace svc::app {
namespace {

constexpr std::string_view outside_line = "-- outside a transaction: each statement by itself";
constexpr std::string_view compatible_line = "-- compatible from V";
constexpr std::string_view repeat_line = "-- repeat";
constexpr std::string_view each_line = "-- each";
constexpr std::string_view quote = "$$";

std::string_view take_line(std::string_view& rest) {
  auto const end = rest.find('\n');
  auto line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  line.remove_suffix(line.size() - (line.find_last_not_of(" \r\t") + 1));
  return line;
}

bool is_comment(std::string_view line) {
  auto const start = line.find_first_not_of(" \t");
  return start != std::string_view::npos && line.substr(start).starts_with("--");
}

bool has_odd_quotes(std::string_view line) {
  bool odd = false;
  for (auto position = line.find(quote); position != std::string_view::npos;
       position = line.find(quote, position + quote.size()))
    odd = !odd;
  return odd;
}

/// Returns the kind of the next statement after a line in front of it.
step_kind kind_after(step_kind kind, std::string_view line) {
  bool const repeated = line == repeat_line, each = line == each_line;
  if (!repeated && !each) return kind;
  if (kind != step_kind::single) throw std::logic_error("a statement of a migration has two kinds");
  return repeated ? step_kind::repeated : step_kind::each;
}

}  // namespace

bool runs_outside_transaction(std::string_view file) {
  return take_line(file) == outside_line;
}

std::optional<int> compatible_from(std::string_view file) {
  while (!file.empty()) {
    auto line = take_line(file);
    if (!line.empty() && !is_comment(line)) break;
    if (!line.starts_with(compatible_line)) continue;
    line.remove_prefix(compatible_line.size());
    auto const version = parse_number<int>(line);
    if (!version || *version <= 0) throw std::logic_error("a migration is compatible from no version");
    return version;
  }
  return std::nullopt;
}

std::vector<migration_step> migration_steps(std::string_view file) {
  std::vector<migration_step> out;
  migration_step next{};
  bool quoted = false;
  while (!file.empty()) {
    auto const line = take_line(file);
    bool const between = next.sql.empty() && (line.empty() || is_comment(line));
    if (between) {
      next.kind = kind_after(next.kind, line);
      continue;
    }
    next.sql.append(line).append("\n");
    quoted = quoted != has_odd_quotes(line);
    if (quoted || !line.ends_with(';') || is_comment(line)) continue;
    out.push_back(std::move(next));
    next = {};
  }
  if (!next.sql.empty()) throw std::logic_error("the last statement of a migration does not end with ;");
  return out;
}

}  // namespace svc::app
