#pragma once

#include "cli/commands/owned_resource.hpp"
#include "cli/commands/resource.hpp"

#include <vector>

namespace svc::cli {

/// Returns the components of a page: `svc page component`.
owned_resource const& page_components();
/// Returns the incidents of a page: `svc incident`.
owned_resource const& page_incidents();

/// Returns the id of a component of a page; `path` is that of the page's components.
std::string component_id(context& cx, std::string_view path, std::string const& id_or_name);
/// Puts an empty array in place of null, which `--clear` makes of a list. The API has no null for lists.
void empty_cleared_list(boost::json::object& body, std::string_view member);

void add_component_commands(CLI::App& page, context& cx);   // page_components.cpp: list get create update delete
void add_subscriber_commands(CLI::App& page, context& cx);  // page_subscribers.cpp: list delete
void add_page_logo(CLI::App& page, context& cx);            // page_logo.cpp
void add_verify_domain(CLI::App& page, context& cx);        // page_domain.cpp

/// Returns the members of a status page's body with their options.
std::vector<body_field> page_fields();
/// Returns the members of a component's body with their options.
std::vector<body_field> component_fields();

}  // namespace svc::cli
