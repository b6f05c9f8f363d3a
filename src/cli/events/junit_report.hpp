#pragma once

#include "cli/events/run_report.hpp"

#include <string>
#include <string_view>

namespace svc::cli {

/// Text from elsewhere as the content of an XML element or of an attribute in double quotes (XML 1.0, 2.2 and 2.4):
/// characters that XML forbids and bytes that are not UTF-8 become visible, colours are left out. Total.
std::string xml_text(std::string_view text);

/// A run as JUnit XML, in the form that Jenkins's schema (junit-10.xsd) describes and other systems read: one suite
/// for the run, one case for each test. A test that failed is a failure with the last lines of its output; one that
/// had an error or ran too long is an error; one that did not run to its end is skipped. A run that did not pass
/// although no test did not, or whose end is unknown, has one more case `run` with that error. `unknown_because`: a
/// sentence, if the end of the run could not be seen; otherwise empty. `started_at`: RFC 3339, or empty.
std::string junit_report(run_result const& run, std::string_view started_at, std::string_view unknown_because);

}  // namespace svc::cli
