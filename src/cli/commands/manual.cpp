#include "cli/commands/context.hpp"
#include "cli/manual/man_page.hpp"
#include "svc/core/build_info.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace svc::cli {
namespace {

/// Today, or the day of SOURCE_DATE_EPOCH, so that two builds of one source give the same pages
/// (reproducible-builds.org/specs/source-date-epoch).
std::string date_of_pages() {
  auto const* const given = std::getenv("SOURCE_DATE_EPOCH");
  std::time_t const position = given != nullptr ? std::strtoll(given, nullptr, 10) : std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&position, &parts);
  char text[16];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts)};
}

exit_code write_pages(described_command const& root, std::string const& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  auto const date = date_of_pages();
  for (auto const& page : man_pages(root, {date, this_build().version})) {
    auto const path = directory + "/" + page.file;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << page.text;
    if (!file.flush()) throw failure(exit_code::usage, "not_written", "Cannot write " + path + ".");
  }
  return exit_code::ok;
}

}  // namespace

void add_manual_command(CLI::App& root, context& cx) {
  // Hidden from help by its group: for builds and packages, not for users.
  auto* const manual = root.add_subcommand("manual", "Write the manual pages")->group("");
  auto const directory = std::make_shared<std::string>();
  manual->add_option("DIR", *directory, "where")->type_name("DIR")->required();
  manual->callback([&root, &cx, directory] {
    cx.action = [&root, directory] { return write_pages(described(root), *directory); };
  });
}

}  // namespace svc::cli
