#include "cli/commands/body_flags.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/console/show.hpp"
#include "svc/core/numbers.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace svc::cli {
namespace {

/// Sets a member, or with dots a nested one.
void set_member(boost::json::object& object, std::string_view member, boost::json::value const& value) {
  auto const dot = member.find('.');
  auto& place = object[member.substr(0, dot)];
  if (dot == std::string_view::npos) {
    place = value;
    return;
  }
  if (!place.is_object()) place = boost::json::object();
  set_member(place.get_object(), member.substr(dot + 1), value);
}

/// Returns the name of an option without its dashes, as `--clear` takes it.
std::string word_of_flag(std::string_view flag) {
  return std::string(flag.substr(2, flag.find(',') - 2));
}

/// Returns the name of an option's file for messages.
std::string source_of(char const* flag, std::string const& path) {
  return std::string(flag) + ": " + (path == "-" ? "stdin" : path);
}

}  // namespace

boost::json::value text_member(std::vector<std::string> const& given) {
  return boost::json::value(given.back());
}

boost::json::value integer_member(std::vector<std::string> const& given) {
  auto const number = parse_number<std::int64_t>(given.back());
  if (!number) throw bad_usage("'" + given.back() + "' is not a whole number.");
  return *number;
}

boost::json::value boolean_member(std::vector<std::string> const& given) {
  return given.back() == "true";
}

boost::json::value json_member(std::vector<std::string> const& given) {
  return json_argument(given.back(), "The file");
}

boost::json::value ids_member(std::vector<std::string> const& given) {
  boost::json::array out;
  for (auto const& id : given) out.push_back(boost::json::object{{"id", id}});
  return out;
}

boost::json::value texts_member(std::vector<std::string> const& given) {
  boost::json::array out;
  for (auto const& text : given) out.emplace_back(text);
  return out;
}

std::string body_text(std::string const& file, std::span<given_member const> given, std::string_view required) {
  boost::json::value body = boost::json::object();
  if (!file.empty()) body = json_argument(file, "--file");
  if (!body.is_object()) throw bad_usage("--file does not hold a JSON object.");
  for (auto const& [member, value] : given) set_member(body.get_object(), member, value);
  if (!required.empty() && !body.get_object().contains(required))
    throw bad_usage("NAME is missing, the " + std::string(required) + " of the new resource.",
                    "Write it after the command, or as " + std::string(required) + " in the file of --file.");
  if (body.get_object().empty()) throw bad_usage("No change is given.", "Add --help to see the options.");
  return given.empty() ? file : boost::json::serialize(body);
}

body_flags::body_flags(std::span<body_field const> fields, std::string_view name_member, bool creates)
    : name_member_(name_member), creates_(creates) {
  for (auto const& field : fields) {
    if (creates ? field.creates : field.updates) flags_.push_back({&field, {}, {}});
    if (field.nullable && !creates) clearable_.emplace_back(word_of_flag(field.flag), field.member);
  }
}

void body_flags::declare(CLI::App& app) {
  if (creates_ && !name_member_.empty()) app.add_option("NAME", name_, "its " + std::string(name_member_));
  for (auto& f : flags_) declare_flag(app, f);
  app.add_option("--file", file_, "read the whole JSON body from a file, - for stdin; flags take precedence")
      ->type_name("FILE");
  if (clearable_.empty()) return;
  std::vector<std::string> words;
  for (auto const& [word, member] : clearable_) words.push_back(word);
  // The API's names of the members are accepted, too.
  auto const to_word = [this](std::string const& text) {
    auto const found =
        std::ranges::find(clearable_, std::string_view(text), [](auto const& each) { return each.second; });
    return found == clearable_.end() ? text : found->first;
  };
  app.add_option("--clear", cleared_, "remove the value of this option")
      ->type_name("OPTION")
      ->expected(1)
      ->take_all()
      ->transform(to_word)
      ->check(CLI::IsMember(words));
}

void body_flags::declare_flag(CLI::App& app, flag& f) {
  auto const& field = *f.field;
  // A creation has the name as a positional argument.
  if (creates_ && field.member == name_member_) return;
  if (std::string_view(field.type_name).empty()) {
    app.add_flag(field.flag, f.choice, field.help)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    return;
  }
  auto* const option = app.add_option(field.flag, f.texts, field.help)->type_name(field.type_name)->expected(1);
  option->multi_option_policy(field.many ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::Throw);
  if (!field.allowed.empty()) option->check(CLI::IsMember(field.allowed));
}

std::optional<boost::json::value> body_flags::value_of(context& cx, flag const& f) const {
  auto const& field = *f.field;
  if (creates_ && field.member == name_member_)
    return name_.empty() ? std::nullopt : std::optional<boost::json::value>(name_);
  if (!f.choice.empty()) return field.read({f.choice});
  if (f.texts.empty()) return std::nullopt;
  if (field.from_file && field.read == json_member) {
    f.json = text_of_file(f.texts.back(), field.flag);
    auto out = json_argument(f.json, source_of(field.flag, f.texts.back()));
    if (field.resolve != nullptr) field.resolve(cx, out);
    return out;
  }
  auto texts = f.texts;
  for (auto& text : texts) {
    if (field.from_file) text = text_of_file(text, field.flag);
    if (field.id != nullptr) text = field.id(cx, text);
  }
  try {
    return field.read(texts);
  } catch (failure const& f) {
    std::string const said = f.what();
    throw said.starts_with("--") ? f : f.retold(std::string(field.flag) + ": " + said, f.hint());
  }
}

bool body_flags::reads_stdin_twice() const {
  auto const of_flags = std::count_if(flags_.begin(), flags_.end(), [](flag const& f) {
    return f.field->from_file && !f.texts.empty() && f.texts.back() == "-";
  });
  return of_flags + (file_ == "-" ? 1 : 0) > 1;
}

std::vector<named_option> body_flags::options() const {
  std::vector<named_option> out;
  for (auto const& f : flags_) {
    bool const is_name = creates_ && f.field->member == name_member_;
    if (!file_.empty() && f.choice.empty() && f.texts.empty() && !(is_name && !name_.empty())) continue;
    auto const dot = f.field->member.find('.');
    bool const in_given_file = dot != std::string_view::npos && !typed(f.field->member.substr(0, dot)).empty();
    if (in_given_file && f.texts.empty()) continue;
    auto option = option_of(*f.field);
    if (is_name) option.flag = "NAME";
    option.values = f.texts;
    option.json_text = f.json;
    if (option.is_json && !f.texts.empty())
      option.source = f.texts.back() == "-" ? std::string_view("stdin") : std::string_view(f.texts.back());
    out.push_back(option);
  }
  if (!file_.empty())
    out.push_back({.member = {},
                   .flag = "--file",
                   .is_json = true,
                   .source = file_ == "-" ? std::string_view("stdin") : file_,
                   .json_text = file_text_});
  return out;
}

std::string body_flags::typed(std::string_view member) const {
  for (auto const& f : flags_)
    if (f.field->member == member && !f.texts.empty()) return f.texts.back();
  return {};
}

std::string body_flags::json(context& cx) const {
  if (reads_stdin_twice()) throw bad_usage("Only one file can be stdin (-).");
  std::vector<given_member> given;
  std::vector<char const*> sources;  // the flags of `given`
  for (auto const& f : flags_) {
    auto value = value_of(cx, f);
    if (!value) continue;
    auto const other = std::ranges::find(given, f.field->member, &given_member::member);
    if (other != given.end())
      throw bad_usage(std::string(sources[static_cast<std::size_t>(other - given.begin())]) + " and " +
                      f.field->flag + " exclude each other.");
    given.push_back({f.field->member, std::move(*value)});
    sources.push_back(f.field->flag);
  }
  for (auto const& word : cleared_) {
    auto const found = std::ranges::find(clearable_, word, [](auto const& each) { return each.first; });
    given.push_back({found->second, nullptr});
  }
  file_text_ = file_.empty() ? std::string() : text_of_file(file_);
  return body_text(file_text_, given, creates_ ? name_member_ : std::string_view());
}

}  // namespace svc::cli
