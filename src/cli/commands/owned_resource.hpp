#pragma once

#include "cli/commands/resource.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace svc::cli {

/// The common properties of resources that belong to one object of another resource, such as the components of a
/// page. Their commands name the owner first. The object is const and outlives the tree of commands.
struct owned_resource {
  resource const& owner;
  std::string_view below;                      ///< of the owner's path: `/components`
  resource (*address)(std::string_view path);  ///< Makes the resource from its path, which must outlive it.
  char const* owner_help;                      ///< for the argument that names the owner
};

/// Calls `act` with the resource that belongs to the named owner.
exit_code with_owner(context& cx, owned_resource const& owned, std::string const& owner,
                     std::function<exit_code(resource const&)> const& act);

// The following functions add the commands that all such resources share.
void add_owned_list(CLI::App& app, context& cx, owned_resource const& owned);
void add_owned_get(CLI::App& app, context& cx, owned_resource const& owned);
void add_owned_create(CLI::App& app, context& cx, owned_resource const& owned);
void add_owned_update(CLI::App& app, context& cx, owned_resource const& owned);
void add_owned_delete(CLI::App& app, context& cx, owned_resource const& owned);

}  // namespace svc::cli
