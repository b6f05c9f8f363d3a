#include "cli/commands/resource.hpp"
#include "cli/console/json_layout.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column usage_row[] = {
    {"What", "name"}, {"Used", "used"}, {"Limit", "limit"}, {"Percent", "percent", cell::text, 1}};

/// The members of the answer as rows, each with its name; what has no limit has no percentage.
std::vector<boost::json::value> usage_rows(boost::json::object const& usage) {
  std::vector<boost::json::value> out;
  for (auto const& [name, numbers] : usage) {
    auto const* const used = member_of(numbers, "used");
    auto const* const limit = member_of(numbers, "limit");
    if (used == nullptr || limit == nullptr) continue;
    boost::json::object row{{"id", name}, {"name", name}, {"used", *used}, {"limit", *limit}};
    if (used->is_number() && limit->is_number() && limit->to_number<double>() > 0)
      row["percent"] = static_cast<std::int64_t>(100 * used->to_number<double>() / limit->to_number<double>());
    out.emplace_back(std::move(row));
  }
  return out;
}

exit_code show_usage(context& cx) {
  auto const got = cx.client().send({.method = "GET", .target = "/api/usage"});
  auto const usage = object_of(got.body);
  if (cx.console.how() == format::json) {
    cx.console.data_line(laid_out(got.body, cx.console.out_is_terminal()));
  } else {
    show_rows(cx.console, usage_rows(usage.get_object()), usage_row, "name");
  }
  return exit_code::ok;
}

}  // namespace

void add_usage_command(CLI::App& root, context& cx) {
  add_command(root, cx, "usage", "Show what the project holds, and may hold", "--json",
              [&cx] { return show_usage(cx); });
}

}  // namespace svc::cli
