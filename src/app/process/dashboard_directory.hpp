#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/http/site/page_bundle.hpp"

#include <functional>
#include <string>

namespace svc::app {

/// Returns the pages in the program, and logs which they are; null if none are to be served from there.
site::bundle_ptr embedded_pages(configuration const& config);

/// Returns the function that finds the pages that one worker serves: the embedded ones, or those of
/// `dashboard.directory`. The result belongs to that worker.
std::function<site::bundle_ptr()> page_source(configuration const& config, site::bundle_ptr const& embedded);

/// True if the service answers browsers with pages of the dashboard.
bool serves_pages(configuration const& config);

/// Returns the link of messages, in which `{type}` and `{id}` are replaced. If the operator has configured none, the
/// link leads to the pages, if the service has any and its public address is configured. Empty: messages have no
/// link.
std::string link_of_messages(configuration const& config);

/// Names the embedded pages for `--version`.
std::string dashboard_version();

}  // namespace svc::app
