#pragma once

#include "cli/commands/resource.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// Returns the fields of a published text: `--text` has it, `--body` names its file. Both give the same member.
std::vector<body_field> text_fields(std::string_view member);
/// Returns the field that says whether subscribers and providers get a post.
body_field notify_field();
/// Returns the members of a post with their options.
std::vector<body_field> post_fields();
/// Throws `bad_usage` if the body of a post has no text.
void require_text(boost::json::object const& body);

/// The object whose posts a command is about, an incident or a window. A value that the command's callbacks share.
struct post_parent {
  std::function<void(CLI::App& app)> declare;    ///< declares the arguments that name it
  std::function<std::string(context& cx)> path;  ///< returns the path of the object itself, from these arguments
  std::string example;                           ///< of these arguments
};

/// A command that creates a post.
struct post_command {
  char const *name, *help;
  std::string_view example;  ///< of its options
  std::vector<body_field> fields;
  /// Changes the body before it is sent; `path` is that of the parent. May be empty.
  std::function<void(context& cx, std::string const& path, boost::json::object& body)> prepare{};
};

void add_post(CLI::App& app, context& cx, post_parent const& parent, post_command const& command);
/// Adds `updates`, which lists the posts.
void add_post_list(CLI::App& app, context& cx, post_parent const& parent);
/// Adds `correct`, which changes a published text. Nobody is notified.
void add_post_correction(CLI::App& app, context& cx, post_parent const& parent);

}  // namespace svc::cli
