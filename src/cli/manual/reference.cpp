#include "cli/manual/reference.hpp"

#include <algorithm>
#include <span>

namespace svc::cli {
namespace {

std::string reference_table(std::string_view title, std::span<reference_row const> rows) {
  std::size_t width = 0;
  for (auto const& row : rows) width = std::max(width, row.name.size());
  std::string out = std::string(title) + ":\n";
  for (auto const& row : rows)
    ((out += "  ") += row.name).append(width - row.name.size() + 2, ' ').append(row.meaning) += '\n';
  return out;
}

}  // namespace

std::string reference_text() {
  return std::string(first_steps) + "\n" + reference_table("Environment", environment_reference) + "\n" +
         reference_table("Files", file_reference) + "\n" + reference_table("Exit codes", exit_reference);
}

}  // namespace svc::cli
