#pragma once

#include "domain/pages/frame.hpp"

#include <cstdint>
#include <vector>

// Parts of pages that show components, incidents and maintenance.

namespace svc::pages {

/// The bars of a component as they are at a time: `most_days` local days, the last one is today. A copy that is days
/// old has grey days at its end; the last day is grey if the component is.
std::vector<day_bar> bars_of(page_context const& page, page_component const& component);

/// Appends the bars with a sentence about them and their ends.
void add_bars(page_context& page, page_component const& component);

/// Appends the table of days with trouble of all components.
void add_troubled_days(page_context& page);

/// Appends an open incident with its newest updates.
void add_incident_card(page_context& page, page_incident const& incident);
/// Appends maintenance with its times and its newest text.
void add_maintenance_card(page_context& page, page_maintenance const& maintenance);
/// Appends one line with the name of an incident, its status and its newest text.
void add_incident_line(page_context& page, page_incident const& incident);
/// Appends the time from start to end.
void add_span(page_context& page, page_maintenance const& maintenance);

}  // namespace svc::pages
