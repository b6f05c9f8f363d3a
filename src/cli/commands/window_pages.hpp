#pragma once

#include "cli/commands/resource.hpp"

#include <vector>

namespace svc::cli {

/// Returns the members that publish a maintenance window on status pages.
std::vector<body_field> publication_fields();

/// Puts ids in place of the names of components in a window's body, and completes its announcement. `id` is the
/// changed window's, or empty. Throws `bad_usage` for components without a page.
void prepare_publication(context& cx, boost::json::object& body, std::string const& id);

/// Shows pages and components of a window by their names.
void complete_publication(context& cx, boost::json::object& window);

void add_window_posts(CLI::App& window, context& cx);  // post updates correct

}  // namespace svc::cli
