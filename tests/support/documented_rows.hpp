#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace svc::test {

/// A row of a table of schema/README.md; the cells are trimmed.
struct documented_row {
  std::vector<std::string> cells{};
};

/// Returns the rows below a heading, up to the next heading of any level. The head of the table is left out.
inline std::vector<documented_row> documented_rows(std::string_view heading) {
  std::ifstream file(std::filesystem::path(SVC_SCHEMA_DIRECTORY).parent_path() / "README.md");
  REQUIRE(file.good());
  std::vector<documented_row> out;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) inside = line == heading;
    if (!inside || !line.starts_with("| `")) continue;
    documented_row row;
    for (std::size_t position = 1; position < line.size();) {
      auto const end = line.find(" |", position);
      if (end == std::string::npos) break;
      auto const cell = std::string_view(line).substr(position, end - position);
      auto const begin = cell.find_first_not_of(' ');
      row.cells.emplace_back(begin == std::string_view::npos ? std::string_view() : cell.substr(begin));
      position = end + 2;
    }
    out.push_back(std::move(row));
  }
  CHECK(out.size() > 1);
  return out;
}

/// Returns the words between backticks in a cell.
inline std::vector<std::string> words_of(std::string const& cell) {
  std::vector<std::string> out;
  std::istringstream words(cell);
  for (std::string between, word; std::getline(words, between, '`') && std::getline(words, word, '`');)
    out.push_back(word);
  return out;
}

}  // namespace svc::test
