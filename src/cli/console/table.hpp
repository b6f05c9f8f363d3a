#pragma once

#include "cli/console/show.hpp"

#include <span>
#include <string>
#include <vector>

namespace svc::cli {

/// Returns the columns that fit a terminal of `columns` columns, and their widths, with two spaces between them.
/// `natural`: the width of each without a limit. A table that is too wide becomes narrower in these steps:
/// 1. Texts are shortened to `comfortable`.
/// 2. Columns are left out by their ranks, the highest first. A column stays if it has room next to those of lower
///    ranks.
/// 3. The widest columns are made narrower, but not below `narrowest`.
///
/// The member `whole` and ids are never shortened, so a table may be wider than the terminal. Shortened texts get the
/// remaining width, then the last column, so that later pages may have wider texts there. Pure.
std::vector<placed_column> placed(std::span<column const> all, std::span<std::size_t const> natural,
                                  std::size_t columns, std::string_view whole);
inline constexpr std::size_t narrowest = 8, comfortable = 30;
/// All columns, however wide the table becomes.
std::vector<placed_column> placed_whole(std::span<std::size_t const> natural);
/// True if a table of these widths fits this number of columns.
bool fits(std::span<std::size_t const> natural, std::size_t columns);

/// A row of cells, shortened and padded to their columns, without the space at its end; `paint` is an SGR sequence
/// for a cell or nothing.
std::string table_line(std::span<placed_column const> columns, std::span<std::string const> cells,
                       std::span<std::string_view const> paint);

/// The text in lines of at most `columns`, broken between words. A longer word, such as a URL, stays whole.
std::vector<std::string> wrapped(std::string_view text, std::size_t columns);

}  // namespace svc::cli
