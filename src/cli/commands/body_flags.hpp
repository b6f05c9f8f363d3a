#pragma once

#include "cli/commands/context.hpp"
#include "cli/commands/named_options.hpp"

#include <boost/json/object.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::cli {

/// A member of a resource's body, and the flag that sets it.
struct body_field {
  std::string_view member;  ///< with dots for a nested member: `config.port`
  char const* flag;
  char const* type_name;  ///< of the flag's value in help; empty: a switch, whose flag has both names
  char const* help;
  /// Converts the given texts, one or more, to JSON; throws `bad_usage`.
  boost::json::value (*read)(std::vector<std::string> const& given);
  std::vector<std::string> allowed{};  ///< by the contract's enum; empty: any text
  bool nullable = false;               ///< `--clear` accepts it
  bool creates = true, updates = true;
  bool many = false;       ///< may be given more than once
  bool from_file = false;  ///< the flag names a file
  /// Converts an id or a name to an id.
  std::string (*id)(context& cx, std::string const& given) = nullptr;
  /// Converts names inside of a JSON value to ids.
  void (*resolve)(context& cx, boost::json::value& value) = nullptr;
};

// These functions read fields.
boost::json::value text_member(std::vector<std::string> const& given);
boost::json::value integer_member(std::vector<std::string> const& given);
boost::json::value boolean_member(std::vector<std::string> const& given);
boost::json::value json_member(std::vector<std::string> const& given);   ///< text of JSON
boost::json::value ids_member(std::vector<std::string> const& given);    ///< [{id}, ...]
boost::json::value texts_member(std::vector<std::string> const& given);  ///< [text, ...]

/// The value that the command line gave for one field.
struct given_member {
  std::string_view member;
  boost::json::value value;
};

/// Returns the body from a file's JSON text (empty: no file) and flags: flags override the file. A file without flags
/// is sent unchanged. Throws `bad_usage` for a file that is no JSON object, and for a body without any member or
/// without `required`.
std::string body_text(std::string const& file, std::span<given_member const> given, std::string_view required);

/// The flags of one command that describe a body. The command's callback owns the object.
class body_flags {
 public:
  body_flags(std::span<body_field const> fields, std::string_view name_member, bool creates);
  body_flags(body_flags const&) = delete;
  body_flags& operator=(body_flags const&) = delete;

  /// Declares the flags, `--file`, and for updates `--clear`. For creations the positional `NAME` sets `name_member`,
  /// if there is one.
  void declare(CLI::App& app);
  /// Returns the body. Reads files (stdin at most once) and asks the service for ids of names.
  std::string json(context& cx) const;
  /// Returns the options for sentences about members of the body, after `json`. Members from a file belong to the
  /// file. The views in the options are valid as long as this object.
  std::vector<named_option> options() const;
  /// Returns the user's text for a member; empty without one.
  std::string typed(std::string_view member) const;
  bool has_file() const { return !file_.empty(); }

 private:
  struct flag {
    body_field const* field;
    std::vector<std::string> texts;
    std::string choice;          ///< of a switch
    mutable std::string json{};  ///< the JSON text of the file that the flag names
  };

  void declare_flag(CLI::App& app, flag& f);
  bool reads_stdin_twice() const;
  std::optional<boost::json::value> value_of(context& cx, flag const& f) const;

  std::vector<flag> flags_;
  std::string_view name_member_;
  bool creates_;
  std::string name_, file_;
  mutable std::string file_text_;                                    ///< of `--file`
  std::vector<std::pair<std::string, std::string_view>> clearable_;  ///< name of the option, and its member
  std::vector<std::string> cleared_;
};

}  // namespace svc::cli
