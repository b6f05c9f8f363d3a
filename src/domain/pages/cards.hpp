#pragma once

#include "domain/pages/frame.hpp"

namespace svc::pages {

/// Appends an open incident with its newest updates.
void add_incident_card(page_context& page, page_incident const& incident);
/// Appends maintenance with its times and its newest text.
void add_maintenance_card(page_context& page, page_maintenance const& maintenance);
/// Appends one line with the name of an incident, its status and its newest text.
void add_incident_line(page_context& page, page_incident const& incident);
/// Appends the time from start to end.
void add_span(page_context& page, page_maintenance const& maintenance);

}  // namespace svc::pages
