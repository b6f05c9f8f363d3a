#include "cli/console/table.hpp"

#include "cli/console/harmless.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace svc::cli {
namespace {

constexpr std::size_t between = 2;

std::size_t total_of(std::span<placed_column const> columns) {
  auto const gaps = columns.empty() ? 0 : between * (columns.size() - 1);
  return std::accumulate(columns.begin(), columns.end(), gaps,
                         [](std::size_t sum, placed_column const& c) { return sum + c.width; });
}

/// Leaves out columns until the rest has room. Columns of low ranks stay first. A column without room does not keep
/// out a narrower one of a higher rank.
void keep_worthy(std::vector<placed_column>& places, std::span<column const> all, std::size_t columns) {
  auto candidates = places;
  std::ranges::sort(candidates, {}, [&](placed_column const& c) { return std::pair(all[c.index].rank, c.index); });
  std::vector<placed_column> kept;
  for (auto const& each : candidates) {
    kept.push_back(each);
    if (all[each.index].rank > 0 && total_of(kept) > columns) kept.pop_back();
  }
  std::erase_if(places, [&](placed_column const& c) {
    return std::ranges::find(kept, c.index, &placed_column::index) == kept.end();
  });
}

}  // namespace

std::vector<placed_column> placed(std::span<column const> all, std::span<std::size_t const> natural,
                                  std::size_t columns, std::string_view whole) {
  std::vector<placed_column> out;
  bool const tight = !fits(natural, columns);
  auto const is_whole = [&](column const& c) { return c.form == cell::id || c.member == whole; };
  for (std::size_t i = 0; i < all.size(); ++i)
    out.push_back({i, tight && !is_whole(all[i]) ? std::min(natural[i], comfortable) : natural[i]});
  keep_worthy(out, all, columns);
  auto const room = [&](placed_column const& c) { return is_whole(all[c.index]) ? 0 : c.width; };
  while (total_of(out) > columns) {
    auto const widest = std::max_element(
        out.begin(), out.end(), [&](placed_column const& a, placed_column const& b) { return room(a) < room(b); });
    if (widest == out.end() || room(*widest) <= narrowest) break;
    auto const excess = total_of(out) - columns;
    widest->width = std::max(narrowest, widest->width - std::min<std::size_t>(excess, (widest->width + 1) / 2));
  }
  for (auto& c : out)
    if (auto const total = total_of(out); c.width < natural[c.index] && total < columns)
      c.width += std::min(columns - total, natural[c.index] - c.width);
  if (!out.empty() && total_of(out) < columns) out.back().width += columns - total_of(out);
  return out;
}

std::vector<placed_column> placed_whole(std::span<std::size_t const> natural) {
  std::vector<placed_column> out;
  for (std::size_t i = 0; i < natural.size(); ++i) out.push_back({i, natural[i]});
  return out;
}

bool fits(std::span<std::size_t const> natural, std::size_t columns) {
  return total_of(placed_whole(natural)) <= columns;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t columns) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin < text.size();) {
    auto const end = std::min(text.find(' ', begin), text.size());
    auto const word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!out.empty() && columns_of(out.back()) + 1 + columns_of(word) <= columns) {
      out.back().append(" ").append(word);
    } else {
      out.emplace_back(word);
    }
  }
  return out;
}

std::string table_line(std::span<placed_column const> columns, std::span<std::string const> cells,
                       std::span<std::string_view const> paint) {
  std::string out;
  std::size_t owed = 0;  // spaces before the next cell
  for (auto const& [index, width] : columns) {
    auto const text = shortened(cells[index], width);
    out.append(owed, ' ');
    if (paint[index].empty()) {
      out += text;
    } else {
      out.append(paint[index]).append(text).append("\x1b[0m");
    }
    auto const taken = columns_of(text);
    owed = (width > taken ? width - taken : 0) + between;
  }
  return out;
}

}  // namespace svc::cli
