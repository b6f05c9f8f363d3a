// JSON that people wrote, with the place of their mistakes.
#include "cli/commands/arguments.hpp"
#include "cli/console/failure.hpp"

#include <boost/json/stream_parser.hpp>

#include <algorithm>

namespace svc::cli {
namespace {

std::string position_in(std::string_view text, std::size_t position) {
  auto const before = text.substr(0, std::min(position, text.size()));
  auto const line = 1 + std::ranges::count(before, '\n');
  auto const begin = before.rfind('\n');
  auto const column = begin == std::string_view::npos ? before.size() + 1 : before.size() - begin;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

boost::json::value json_argument(std::string_view text, std::string const& source) {
  boost::json::stream_parser reader;
  boost::system::error_code failed;
  auto const taken = reader.write_some(text.data(), text.size(), failed);
  if (!failed) {
    auto const rest = text.find_first_not_of(" \t\r\n", taken);
    if (rest != std::string_view::npos)
      throw bad_usage(source + " is not JSON: " + position_in(text, rest) + ": there is more text behind the value.");
    if (!reader.done()) reader.finish(failed);
  }
  if (failed == boost::json::error::incomplete)
    throw bad_usage(source + " is not JSON: " + position_in(text, text.size()) + ": the text ends too early.");
  if (failed)
    throw bad_usage(source + " is not JSON: " + position_in(text, taken) + ": " + failed.message() + ".",
                    "Strings and names need double quotes, and no comma may follow the last member.");
  return reader.release();
}

}  // namespace svc::cli
