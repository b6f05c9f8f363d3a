#include "cli/commands/page_reader.hpp"

#include <algorithm>
#include <cctype>

namespace svc::cli {
namespace {

/// The target of the link with that relation; empty: none.
std::string_view link_target(std::string_view links, std::string_view relation) {
  while (true) {
    auto const begin = links.find('<');
    auto const end = links.find('>', begin);
    if (begin == links.npos || end == links.npos) return {};
    auto const target = links.substr(begin + 1, end - begin - 1);
    links.remove_prefix(end + 1);
    auto const parameters = links.substr(0, links.find('<'));
    if (parameters.find("rel=\"" + std::string(relation) + "\"") != parameters.npos) return target;
  }
}

}  // namespace

std::optional<std::string> next_cursor(std::string_view link) {
  constexpr std::string_view name = "cursor=", safe = "-._~%";
  auto target = link_target(link, "next");
  target.remove_prefix(std::min(target.find('?'), target.size()));
  while (!target.empty()) {
    target.remove_prefix(1);
    auto const parameter = target.substr(0, target.find('&'));
    target.remove_prefix(parameter.size());
    if (!parameter.starts_with(name)) continue;
    auto const value = parameter.substr(name.size());
    for (char const c : value)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && safe.find(c) == safe.npos) return std::nullopt;
    return value.empty() ? std::nullopt : std::optional<std::string>(value);
  }
  return std::nullopt;
}

std::optional<std::string> page_reader::next() {
  if (over_) return std::nullopt;
  auto target = target_with_query(path_, query_);
  if (!cursor_.empty()) {
    // The number is only the label of the page; with a cursor it must not be the first.
    target.append(target.find('?') == target.npos ? "?" : "&").append("page=").append(std::to_string(number_ + 1));
    target.append("&cursor=").append(cursor_);
  }
  auto got = cx_.client().send({.method = "GET", .target = target});
  auto const* const link = got.field("link");
  auto const cursor = link == nullptr ? std::nullopt : next_cursor(*link);
  if (cursor && *cursor == cursor_)
    throw failure(exit_code::unreachable, "not_the_service", "A page of the list links back to an earlier page.");
  cursor_ = cursor.value_or("");
  ++number_;
  over_ = !cursor;
  return std::move(got.body);
}

}  // namespace svc::cli
