#include "svc/domain/monitoring/checks/variables.hpp"

#include <algorithm>

namespace svc::checks {
namespace {

constexpr std::string_view opening = "{{", closing = "}}", escaped = "{{{{";
constexpr std::size_t longest_variable = 64;

/// As the contract has it: ^[A-Z][A-Z0-9_]{0,63}$.
bool is_variable_name(std::string_view text) {
  auto const upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  auto const inner = [&](char c) { return upper(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text.size() <= longest_variable && upper(text.front()) && std::ranges::all_of(text, inner);
}

/// The name in the reference that the text begins with.
std::optional<std::string_view> reference(std::string_view text) {
  text = text.substr(0, opening.size() + longest_variable + closing.size());
  auto const end = text.find(closing);
  if (end == std::string_view::npos) return std::nullopt;
  auto const name = text.substr(opening.size(), end - opening.size());
  return is_variable_name(name) ? std::optional(name) : std::nullopt;
}

}  // namespace

result<text_with_variables> text_with_variables::parse(std::string_view text, std::size_t most) {
  text_with_variables out;
  out.most_ = most;
  for (std::size_t offset = 0; offset < text.size();) {
    auto const found = std::min(text.find(opening, offset), text.size());
    out.add_literal(text.substr(offset, found - offset));
    auto const rest = text.substr(found);
    offset = found;
    if (rest.starts_with(escaped)) {
      out.add_literal(opening);
      offset += escaped.size();
    } else if (auto const name = rest.empty() ? std::nullopt : reference(rest)) {
      out.pieces_.push_back({std::string(*name), true});
      offset += opening.size() + name->size() + closing.size();
    } else if (rest.starts_with("{{{")) {
      out.add_literal("{");
      ++offset;
    } else if (!rest.empty()) {
      return error(errc::validation_failed,
                   "must have a variable as in {{NAME}} (capital letters, digits, _) at character " +
                       std::to_string(found + 1) + "; {{{{ stands for {{");
    }
  }
  return out;
}

void text_with_variables::add_literal(std::string_view text) {
  if (text.empty()) return;
  if (pieces_.empty() || pieces_.back().is_name) pieces_.push_back({{}, false});
  pieces_.back().text += text;
}

std::vector<std::string_view> text_with_variables::names() const {
  std::vector<std::string_view> out;
  for (auto const& each : pieces_) {
    if (each.is_name) out.push_back(each.text);
  }
  return out;
}

std::string_view text_with_variables::value_of(piece const& piece, variable_values const& values) const {
  return piece.is_name ? values.find(piece.text)->second.reveal() : std::string_view(piece.text);
}

std::optional<std::string_view> text_with_variables::missing(variable_values const& values) const {
  auto const found = std::ranges::find_if(
      pieces_, [&](piece const& piece) { return piece.is_name && !values.contains(piece.text); });
  return found == pieces_.end() ? std::nullopt : std::optional<std::string_view>(found->text);
}

result<secret_string> text_with_variables::filled(variable_values const& values) const {
  if (auto const name = missing(values)) {
    return error(errc::validation_failed,
                 "There is no variable " + std::string(*name) + " in the project; create it.");
  }
  // At most a few thousand pieces of at most the quota of a project's variables: this does not overflow.
  std::size_t size = 0;
  for (auto const& each : pieces_) size += value_of(each, values).size();
  if (size > most_) {
    return error(errc::validation_failed, "A member of the configuration has " + std::to_string(size) +
                                              " bytes with its variables, but at most " + std::to_string(most_) +
                                              " are allowed; shorten the variables.");
  }
  secret_string out(size);
  auto* cursor = out.data();
  for (auto const& each : pieces_) cursor = std::ranges::copy(value_of(each, values), cursor).out;
  return out;
}

}  // namespace svc::checks
