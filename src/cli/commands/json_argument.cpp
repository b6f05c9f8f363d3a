// JSON that people wrote, with the place of their mistakes.
#include "cli/commands/arguments.hpp"
#include "cli/console/failure.hpp"

#include <boost/json/stream_parser.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace svc::cli {
namespace {

std::string position_in(std::string_view text, std::size_t position) {
  auto const before = text.substr(0, std::min(position, text.size()));
  auto const line = 1 + std::ranges::count(before, '\n');
  auto const begin = before.rfind('\n');
  auto const column = begin == std::string_view::npos ? before.size() + 1 : before.size() - begin;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// Finds a name that one object has twice, in text that is known to be valid JSON. Of two values JSON's readers take
/// the last one without a word.
class repeated_name {
 public:
  explicit repeated_name(std::string_view text) : text_(text) {
    while (position_ < text_.size() && name_.empty()) step();
  }
  std::string const& name() const { return name_; }  ///< empty: no name is repeated
  std::size_t position() const { return start_; }

 private:
  void step() {
    char const c = text_[position_];
    if (c == '"') return take_string();
    if (c == '{' || c == '[') open_.emplace_back();
    if ((c == '}' || c == ']') && !open_.empty()) open_.pop_back();
    ++position_;
  }
  /// A string is a name if a colon follows it.
  void take_string() {
    start_ = position_;
    for (++position_; position_ < text_.size() && text_[position_] != '"'; ++position_)
      if (text_[position_] == '\\') ++position_;
    position_ = std::min(position_ + 1, text_.size());
    auto const next = text_.find_first_not_of(" \t\r\n", position_);
    if (next == std::string_view::npos || text_[next] != ':' || open_.empty()) return;
    auto const name = text_.substr(start_, position_ - start_);
    if (!open_.back().insert(name).second) name_ = name;
  }

  std::string_view text_;
  std::size_t position_ = 0, start_ = 0;
  std::vector<std::set<std::string_view>> open_{};  ///< names of the objects around the position
  std::string name_{};
};

}  // namespace

boost::json::value json_argument(std::string_view text, std::string const& source) {
  boost::json::stream_parser reader;
  boost::system::error_code failed;
  auto const taken = reader.write_some(text.data(), text.size(), failed);
  if (!failed) {
    auto const rest = text.find_first_not_of(" \t\r\n", taken);
    if (rest != std::string_view::npos)
      throw bad_usage(source + " is not JSON: " + position_in(text, rest) + ": more text follows the value.");
    if (!reader.done()) reader.finish(failed);
  }
  if (failed == boost::json::error::incomplete)
    throw bad_usage(source + " is not JSON: " + position_in(text, text.size()) + ": the text ends too early.");
  if (failed)
    throw bad_usage(source + " is not JSON: " + position_in(text, taken) + ": " + failed.message() + ".",
                    "Strings and names need double quotes, and no comma may follow the last member.");
  if (repeated_name const twice(text); !twice.name().empty())
    throw bad_usage(source + " has the name " + twice.name() +
                    " twice in one object: " + position_in(text, twice.position()) + ".");
  return reader.release();
}

}  // namespace svc::cli
