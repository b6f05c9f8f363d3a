#include "cli/commands/body_flags.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/console/show.hpp"
#include "svc/core/numbers.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace svc::cli {
namespace {

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

std::string body_text(std::string const& file, std::span<given_member const> given, std::string_view required) {
  boost::json::value body = boost::json::object();
  if (!file.empty()) body = json_argument(file, "--file");
  if (!body.is_object()) throw bad_usage("--file holds no JSON object.");
  for (auto const& [member, value] : given) body.get_object()[member] = value;
  if (!required.empty() && !body.get_object().contains(required))
    throw bad_usage("The new object needs a " + std::string(required) + ".", "Write it behind the command.");
  if (body.get_object().empty()) throw bad_usage("Nothing is to be changed.", "Add --help to see what can be.");
  return given.empty() ? file : boost::json::serialize(body);
}

body_flags::body_flags(std::span<body_field const> fields, std::string_view name_member, bool creates)
    : name_member_(name_member), creates_(creates) {
  for (auto const& field : fields) {
    if (creates ? field.creates : field.updates) flags_.push_back({&field, {}, {}});
    if (field.nullable && !creates) clearable_.emplace_back(field.member);
  }
}

void body_flags::declare(CLI::App& app) {
  if (creates_ && !name_member_.empty()) app.add_option("NAME", name_, "its " + std::string(name_member_));
  for (auto& f : flags_) declare_flag(app, f);
  app.add_option("--file", file_, "read the whole JSON body from a file, - for stdin; flags beat it")
      ->type_name("FILE");
  if (!clearable_.empty())
    app.add_option("--clear", cleared_, "take a member's value away")
        ->type_name("MEMBER")
        ->expected(1)
        ->take_all()
        ->check(CLI::IsMember(clearable_));
}

void body_flags::declare_flag(CLI::App& app, flag& f) {
  auto const& field = *f.field;
  // A creation has the name as a positional argument.
  if (creates_ && field.member == name_member_) return;
  if (std::string_view(field.type_name).empty()) {
    app.add_flag(field.flag, f.choice, field.help);
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
    auto out = json_argument(text_of_file(f.texts.back()), source_of(field.flag, f.texts.back()));
    if (field.resolve != nullptr) field.resolve(cx, out);
    return out;
  }
  auto texts = f.texts;
  for (auto& text : texts) {
    if (field.from_file) text = text_of_file(text);
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

std::vector<body_field> body_flags::optional_fields() const {
  std::vector<body_field> out;
  for (auto const& f : flags_) {
    bool const is_name = creates_ && f.field->member == name_member_;
    if (!file_.empty() && f.choice.empty() && f.texts.empty() && !(is_name && !name_.empty())) continue;
    out.push_back(*f.field);
    if (is_name) out.back().flag = "NAME";
  }
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
  for (auto const& f : flags_)
    if (auto value = value_of(cx, f)) given.push_back({f.field->member, std::move(*value)});
  for (auto const& member : cleared_) given.push_back({member, nullptr});
  auto const file = file_.empty() ? std::string() : text_of_file(file_);
  return body_text(file, given, creates_ ? name_member_ : std::string_view());
}

}  // namespace svc::cli
