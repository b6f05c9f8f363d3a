#include "cli/commands/resource.hpp"
#include "cli/console/show.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>

namespace svc::cli {
namespace {

constexpr column usage_row[] = {
    {"What", "name"}, {"Used", "used"}, {"Limit", "limit"}, {"Percent", "percent", cell::text, 1}};

/// A quota in words. Sizes have units on a terminal.
struct quota {
  std::string_view member, words;
};
constexpr quota quotas[] = {{"cliTokens", "CLI tokens"},
                            {"triggerKeysOfOneJob", "Trigger keys of one job"},
                            {"scriptBytes", "Size of all scripts"},
                            {"variableBytes", "Size of all variables"},
                            {"notificationProviders", "Notification providers"},
                            {"maintenanceWindows", "Maintenance windows"},
                            {"statusPages", "Status pages"},
                            {"pageBytes", "Size of texts on status pages"},
                            {"outputBytes", "Size of stored output"},
                            {"queuedRuns", "Queued runs"}};

/// Puts a row into words for people.
void put_into_words(boost::json::object& row) {
  auto const name = text_of_member(row, "name");
  auto const known = std::ranges::find(quotas, name, &quota::member);
  std::string words(known == std::end(quotas) ? name : known->words);
  if (!words.empty()) words.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(words.front())));
  row["name"] = words;
  if (!name.ends_with("Bytes")) return;
  for (auto const* const member : {"used", "limit"})
    row[member] = cell_text(row.if_contains(member), cell::bytes, true);
}

/// The members of the answer as rows, each with its name; a member without a limit has no percentage.
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
    auto rows = usage_rows(usage.get_object());
    if (cx.console.how() == format::text && cx.console.out_is_terminal())
      for (auto& row : rows) put_into_words(row.get_object());
    show_rows(cx.console, rows, usage_row, "name");
  }
  return exit_code::ok;
}

}  // namespace

void add_usage_command(CLI::App& root, context& cx) {
  add_command(root, cx, "usage", "Show the usage of the project and its quotas", "--json",
              [&cx] { return show_usage(cx); });
}

}  // namespace svc::cli
