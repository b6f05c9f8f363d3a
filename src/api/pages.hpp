#pragma once

#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/windows/window.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/json_text.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>
#include <vector>

// The JSON of status pages, components, incidents, posts and subscribers: as the contract shows it, and as it is read
// from bodies that the contract has checked. `..._json` adds the members of an object.

namespace svc::api {

/// The part of a request that the rules of pages need.
struct page_rules {
  std::string_view public_host;  ///< the host of `public_url`, without a port
};

/// Returns the host of `public_url`, without a port and without the brackets of an IPv6 address.
std::string_view host_of_public_url(std::string_view public_url);

// Status pages

/// The contract's `CreateStatusPageRequest`.
void page_settings_json(http::json_text& out, pages::page_settings const& set);
/// The contract's `StatusPage`.
void status_page_json(http::json_text& out, pages::status_page const& page);

/// Reads the contract's `CreateStatusPageRequest`, which the contract has checked. `before` holds the current
/// settings of the page, or null for a new one. Returns `validation_failed` for a slug that is reserved or a UUID, an
/// unknown time zone, a support URL that is no https URL, a domain that cannot be one of a page, `allowedCidrs`
/// without `visibility: restricted` or missing with it, repeated providers, and a new name with a hidden character.
result<pages::page_settings> read_page_settings(boost::json::object const& body, page_rules rules,
                                                pages::page_settings const* before = nullptr);
/// Returns the settings after a merge patch. Any other visibility than `restricted` removes the stored
/// `allowedCidrs`. Returns `validation_failed` as `read_page_settings` does, or if they do not fit
/// `CreateStatusPageRequest`.
result<pages::page_settings> patch_page_settings(http::body_validator& contract, pages::status_page const& current,
                                                 boost::json::object const& patch, page_rules rules);

/// Reads the contract's `SetStatusPageLogoRequest`. Returns `validation_failed` if `data` is not base64, is larger
/// than 256 KiB, or does not start as a picture of `contentType` does.
result<pages::logo> read_logo(boost::json::object const& body);

// Components

/// The contract's `CreateStatusPageComponentRequest`.
void component_settings_json(http::json_text& out, pages::component_settings const& set);
/// The contract's `StatusPageComponent`.
void component_json(http::json_text& out, pages::component const& component);

/// Reads the contract's `CreateStatusPageComponentRequest`, which the contract has checked. Returns
/// `validation_failed` for repeated monitors, `overrideUntil` without `statusOverride` or not in the future, and new
/// names with a hidden character. An `overrideUntil` of `before` may be over.
result<pages::component_settings> read_component(boost::json::object const& body, timestamp now,
                                                 pages::component_settings const* before = nullptr);
/// Returns the settings after a merge patch. A patch of `statusOverride` without `overrideUntil` removes the stored
/// `overrideUntil`. Returns `validation_failed` as `read_component` does.
result<pages::component_settings> patch_component(http::body_validator& contract, pages::component const& current,
                                                  boost::json::object const& patch, timestamp now);

// Incidents and posts

/// The contract's `Incident`.
void incident_json(http::json_text& out, pages::incident const& incident);
/// The contract's `IncidentUpdate`, and its `WindowUpdate`.
void incident_post_json(http::json_text& out, uuid const& incident, pages::stored_post const& post);
void window_post_json(http::json_text& out, uuid const& window, pages::stored_post const& post);
/// Reads the contract's `CreateIncidentRequest`. Returns `validation_failed` for repeated components and a name with
/// a hidden character. The store checks times, and that the components exist.
result<pages::new_incident> read_incident(boost::json::object const& body);
/// Returns the settings after a merge patch of the contract's `UpdateIncidentRequest`. Returns `validation_failed` as
/// `read_incident` does.
result<pages::incident_settings> patch_incident(pages::incident const& current, boost::json::object const& patch);
/// Reads the contract's `CreateIncidentUpdateRequest` or `CreateWindowUpdateRequest`, whose status is `note`.
pages::new_post read_post(boost::json::object const& body);
/// Reads the contract's `UpdateIncidentUpdateRequest` or `UpdateWindowUpdateRequest`.
pages::post_correction read_correction(boost::json::object const& body);

// Subscribers

/// The contract's `StatusPageSubscriber`.
void subscriber_json(http::json_text& out, uuid const& page, pages::subscriber const& subscriber);

// Windows on pages

/// The members of the contract's `CreateMaintenanceWindowRequest` that pages show.
void publication_json(http::json_text& out, windows::window_publication const& shown);
/// Reads these members. Adds faults for repeated ids, components without a page, and a new title with a hidden
/// character.
windows::window_publication read_publication(boost::json::object const& body,
                                             windows::window_publication const* before,
                                             std::vector<field_error>& wrong);

}  // namespace svc::api
